/**
 * Stand-ins for the few parts of Foundry VTT that the module meets, written after its public documentation and
 * after how modules use it; none of Foundry's code is in here. What differs between versions 12, 13 and 14 and
 * matters to the module, differs here too.
 */

/** What happened, for the tests to look at. */
export const seen = { notifications: [], messages: [] };

/**
 * Puts Foundry's globals up and starts a world with the module, in Foundry's order.
 *
 * @param {{ generation: number, lang: string, settings: Record<string, unknown>, mode?: string }} world `settings`
 *   by "namespace.key", as they were saved
 */
export async function startWorld({ generation, lang, settings, mode }) {
  const manifest = await (await fetch("/modules/wurf/module.json")).json();
  Object.assign(globalThis, {
    Hooks: new HookEvents(),
    game: {
      release: { generation },
      user: { id: "gm", name: "Gamemaster", isGM: true, hasPermission: () => true },
      modules: new Map([["wurf", { id: "wurf", active: true }]]),
      settings: new Settings(settings),
      i18n: new Localization(),
    },
    ui: { notifications: { warn: notify("warn"), error: notify("error"), info: notify("info") } },
    CONFIG: {
      Dice: {
        fulfillment: {
          defaultMethod: "",
          methods: {
            mersenne: { label: "DICE.FULFILLMENT.Mersenne", interactive: false, handler: (term) => term.randomFace() },
            manual: { label: "DICE.FULFILLMENT.Manual", interactive: true },
          },
        },
        randomUniform: Math.random,
        rolls: [Roll],
        terms: { d: Die, f: FateDie, c: Coin },
        termTypes: { NumericTerm, OperatorTerm },
      },
      ChatMessage: { documentClass: ChatMessage },
      sounds: { dice: "sounds/dice.wav" },
    },
    foundry: {
      applications: { api: { ApplicationV2 } },
      dice: { Roll, terms: { RollTerm, DiceTerm, Die, FateDie, Coin, NumericTerm, OperatorTerm } },
    },
    ChatMessage,
    Roll,
  });
  game.settings.register("core", "diceConfiguration", { scope: "client", default: {} });
  // Version 14 calls the roll mode a message mode, and its modes by other names.
  if (generation >= 14) game.settings.register("core", "messageMode", { scope: "client", default: mode ?? "public" });
  else game.settings.register("core", "rollMode", { scope: "client", default: mode ?? "publicroll" });

  for (const module of manifest.esmodules) await import(`/modules/wurf/${module}`);
  Hooks.callAll("init");
  await game.i18n.initialize(lang, manifest.languages);
  Hooks.callAll("setup");
  Hooks.callAll("ready");
}

/** The scene controls as Foundry hands them out: lists in version 12, records since. */
export function sceneControls() {
  const controls = game.release.generation < 13
    ? [{ name: "token", tools: [{ name: "select" }] }]
    : { tokens: { name: "tokens", tools: { select: { name: "select", order: 0 } } } };
  Hooks.callAll("getSceneControlButtons", controls);
  return controls;
}

const notify = (kind) => (message) => seen.notifications.push([kind, message]);

class HookEvents {
  #handlers = new Map();

  on(name, handler) {
    this.#handlers.set(name, [...(this.#handlers.get(name) ?? []), handler]);
  }

  once(name, handler) {
    this.on(name, handler);
  }

  callAll(name, ...given) {
    for (const handler of this.#handlers.get(name) ?? []) handler(...given);
  }

  /** Stops, and says so, where a handler answers false. */
  call(name, ...given) {
    return (this.#handlers.get(name) ?? []).every((handler) => handler(...given) !== false);
  }
}

class Settings {
  registered = new Map();
  #saved;

  constructor(saved) {
    this.#saved = new Map(Object.entries(saved));
  }

  register(namespace, key, setting) {
    this.registered.set(`${namespace}.${key}`, setting);
  }

  get(namespace, key) {
    const name = `${namespace}.${key}`;
    if (!this.registered.has(name)) throw new Error(`"${name}" is not a registered game setting`);
    return this.#saved.get(name) ?? this.registered.get(name).default;
  }

  async set(namespace, key, value) {
    this.#saved.set(`${namespace}.${key}`, value);
  }
}

class Localization {
  lang = "en";
  #translations = {};

  async initialize(lang, files) {
    this.lang = lang;
    // English stands in where the language has no words.
    for (const wanted of new Set(["en", lang])) {
      for (const { path } of files.filter((file) => file.lang === wanted)) {
        Object.assign(this.#translations, await (await fetch(`/modules/wurf/${path}`)).json());
      }
    }
  }

  localize(key) {
    const found = key.split(".").reduce((words, part) => words?.[part], this.#translations);
    return typeof found === "string" ? found : key;
  }
}

/** A window with a frame and a content, whose subclass makes and places the content. */
class ApplicationV2 {
  static DEFAULT_OPTIONS = {};
  element = null;

  constructor(options = {}) {
    this.options = { ...this.constructor.DEFAULT_OPTIONS, ...options };
  }

  get rendered() {
    return this.element !== null;
  }

  async render({ force = false } = {}) {
    if (!this.rendered && !force) return this;
    const result = await this._renderHTML({}, {});
    if (!this.rendered) this.element = this.#frame();
    this._replaceHTML(result, this.element.querySelector(".window-content"), {});
    return this;
  }

  bringToFront() {
    if (!this.rendered) throw new Error("what is not rendered cannot be brought to the front");
  }

  async close() {
    this.element?.remove();
    this.element = null;
    return this;
  }

  #frame() {
    const { id, tag, classes = [], window, form } = this.options;
    const element = document.createElement(tag);
    element.id = id;
    element.className = ["application", ...classes].join(" ");
    const title = document.createElement("header");
    const close = Object.assign(document.createElement("button"), { type: "button", textContent: "×" });
    close.addEventListener("click", () => this.close());
    title.append(game.i18n.localize(window.title), close);
    const content = document.createElement("section");
    content.className = ["window-content", ...(window.contentClasses ?? [])].join(" ");
    element.append(title, content);
    element.addEventListener("submit", async (event) => {
      event.preventDefault();
      await form.handler.call(this, event, element, { object: Object.fromEntries(new FormData(element)) });
      if (form.closeOnSubmit) await this.close();
    });
    document.body.append(element);
    return element;
  }
}

class RollTerm {
  _evaluated = false;
  _root = undefined;

  constructor({ options = {} } = {}) {
    this.options = options;
  }

  async evaluate() {
    this._evaluated = true;
    return this;
  }

  static fromData(data) {
    const named = Object.values(CONFIG.Dice.terms).find(({ name }) => name === data.class);
    const term = new (CONFIG.Dice.termTypes[data.class] ?? named ?? Die)(data);
    term._evaluated = data.evaluated ?? true;
    return term;
  }

  toJSON() {
    const { options, _evaluated: evaluated } = this;
    return { class: this.constructor.name, options, evaluated, ...this.saved() };
  }
}

class NumericTerm extends RollTerm {
  constructor({ number, ...data }) {
    super(data);
    this.number = number;
  }

  get total() {
    return this.number;
  }

  get expression() {
    return String(this.number);
  }

  saved() {
    return { number: this.number };
  }
}

class OperatorTerm extends RollTerm {
  constructor({ operator, ...data }) {
    super(data);
    this.operator = operator;
  }

  get total() {
    return ` ${this.operator} `;
  }

  get expression() {
    return this.total;
  }

  saved() {
    return { operator: this.operator };
  }
}

class DiceTerm extends RollTerm {
  constructor({ number = 1, faces = 6, modifiers = [], results = [], ...data } = {}) {
    super(data);
    Object.assign(this, { number, faces, modifiers, results });
    if (results.length) this._evaluated = true;
  }

  get denomination() {
    return this.constructor.DENOMINATION;
  }

  get expression() {
    return `${this.number}${this.denomination}${this.modifiers.join("")}`;
  }

  get total() {
    return this.results.filter(({ active }) => active).reduce((sum, { result }) => sum + result, 0);
  }

  /** One die after the other, then what the modifiers ask for. */
  async evaluate() {
    while (this.results.length < Math.abs(this.number)) await this.roll();
    for (const modifier of this.modifiers) await this[{ kh: "keepHighest", x: "explode" }[modifier]]();
    return super.evaluate();
  }

  async roll(options = {}) {
    const { handler, interactive } = CONFIG.Dice.fulfillment.methods[this.#method()] ?? {};
    if (interactive) throw new Error("nobody is here to be asked for a die");
    const result = (await handler?.(this, options)) ?? this.randomFace();
    this.results.push({ result, active: true });
  }

  mapRandomFace(uniform) {
    return Math.ceil((1 - uniform) * this.faces);
  }

  randomFace() {
    return this.mapRandomFace(CONFIG.Dice.randomUniform());
  }

  keepHighest() {
    const highest = this.results.reduce((one, other) => (other.result > one.result ? other : one));
    for (const result of this.results) if (result !== highest) Object.assign(result, { active: false, discarded: true });
  }

  async explode() {
    for (let at = 0; at < this.results.length; at++) {
      if (this.results[at].result !== this.faces) continue;
      this.results[at].exploded = true;
      await this.roll({ explode: true });
    }
  }

  #method() {
    return game.settings.get("core", "diceConfiguration")[this.denomination] || CONFIG.Dice.fulfillment.defaultMethod;
  }

  saved() {
    const { number, faces, modifiers, results } = this;
    return { number, faces, modifiers, results };
  }
}

class Die extends DiceTerm {
  static DENOMINATION = "d";

  get denomination() {
    return `d${this.faces}`;
  }
}

class FateDie extends DiceTerm {
  static DENOMINATION = "f";

  constructor(data) {
    super({ ...data, faces: 3 });
  }

  mapRandomFace(uniform) {
    return Math.ceil(uniform * 3 - 2);
  }
}

class Coin extends DiceTerm {
  static DENOMINATION = "c";

  constructor(data) {
    super({ ...data, faces: 2 });
  }

  mapRandomFace(uniform) {
    return Math.round(uniform);
  }
}

class Roll {
  _evaluated = false;

  constructor(formula = "") {
    this.terms = formula.split(/\s*([+-])\s*/).filter(Boolean).map(asTerm);
  }

  get dice() {
    return this.terms.filter((term) => term instanceof DiceTerm);
  }

  get formula() {
    return this.terms.map(({ expression }) => expression).join("");
  }

  get total() {
    return this._total;
  }

  async evaluate() {
    if (this._evaluated) throw new Error("a roll is evaluated once");
    this._evaluated = true;
    for (const term of this.terms) {
      term._root = this;
      if (!term._evaluated) await term.evaluate();
    }
    this.#addUp();
    return this;
  }

  #addUp() {
    let sign = 1;
    this._total = 0;
    for (const term of this.terms) {
      if (term instanceof OperatorTerm) sign = term.operator === "-" ? -1 : 1;
      else this._total += sign * term.total;
    }
  }

  static fromTerms(terms) {
    const evaluated = terms.filter((term) => term._evaluated).length;
    if (evaluated !== 0 && evaluated !== terms.length) throw new Error("either all terms are evaluated, or none");
    const roll = new this();
    roll.terms = terms;
    roll._evaluated = evaluated > 0;
    if (roll._evaluated) roll.#addUp();
    return roll;
  }

  static fromJSON(json) {
    const { terms, total, evaluated } = JSON.parse(json);
    const roll = new this();
    return Object.assign(roll, { terms: terms.map(RollTerm.fromData), _total: total, _evaluated: evaluated });
  }

  toJSON() {
    return { class: "Roll", formula: this.formula, terms: this.terms, total: this.total, evaluated: this._evaluated };
  }

  /** Puts the roll into the chat, seen by whom the chosen mode says. Content that was given stays. */
  async toMessage(data = {}, options = {}) {
    const [setting, option] = game.release.generation >= 14 ? ["messageMode", "messageMode"] : ["rollMode", "rollMode"];
    const mode = options[option] ?? game.settings.get("core", setting);
    if (!this._evaluated) await this.evaluate();
    const message = { author: game.user.id, content: String(this.total), sound: CONFIG.sounds.dice, ...data };
    const gm = ["gmroll", "blindroll", "gm", "blind"].includes(mode);
    return ChatMessage.create({ ...message, rolls: [this], whisper: gm ? ["gm"] : [], blind: mode.startsWith("blind") });
  }
}

function asTerm(text) {
  if (text === "+" || text === "-") return new OperatorTerm({ operator: text });
  const dice = /^(\d*)d(\d+|f|c)(kh|x)?$/.exec(text);
  if (!dice) return new NumericTerm({ number: Number(text) });
  const [, number, kind, modifier] = dice;
  const data = { number: Number(number || 1), modifiers: modifier ? [modifier] : [] };
  return kind in CONFIG.Dice.terms ? new CONFIG.Dice.terms[kind](data) : new Die({ ...data, faces: Number(kind) });
}

class ChatMessage {
  static getSpeaker() {
    return { scene: null, token: null, actor: null, alias: "Mara" };
  }

  /** Saves a message, which is all JSON from then on. */
  static async create(data) {
    const saved = JSON.parse(JSON.stringify({ ...data, rolls: data.rolls.map((roll) => JSON.stringify(roll)) }));
    seen.messages.push(saved);
    return saved;
  }
}
