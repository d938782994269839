/** The dialog: choose what to roll, fill in its form, roll. */

import { requestForm, showErrors } from "./form.mjs";
import { h } from "./html.mjs";
import { post } from "./message.mjs";
import { Away, Refusal, resolve, ruleset, rulesets, schemas } from "./service.mjs";
import { inLanguage, ownWords, wordsOf } from "./words.mjs";

const LONGEST_REFERENCE = 100;

/** What was last asked for, by action, so that the next roll is quick. */
const lastRequests = new Map();
let lastAction = null;

export class RollDialog extends foundry.applications.api.ApplicationV2 {
  static DEFAULT_OPTIONS = {
    id: "wurf-dialog",
    tag: "form",
    classes: ["wurf-dialog"],
    window: {
      title: "WURF.Title", icon: "fa-solid fa-receipt", contentClasses: ["standard-form"], resizable: true,
    },
    position: { width: 480 },
    form: { handler: RollDialog.#onSubmit, submitOnChange: false, closeOnSubmit: false },
  };

  /** @type {(key: string, values?: object) => string} */
  #say;
  #cards;
  #schemas;
  #form;
  #place = h("div", {});
  #trouble = h("p", { class: "wurf-error", role: "alert" });

  /**
   * Opens the dialog, or brings it to the front.
   *
   * @param {string} [action] to begin with, such as "zrps/roll"; otherwise the last one
   */
  async open(action) {
    lastAction = action ?? lastAction;
    await this.render({ force: true });
    this.bringToFront();
  }

  async _renderHTML() {
    this.#say = await ownWords();
    try {
      [this.#cards, this.#schemas] = await Promise.all([allCards(), schemas()]);
    } catch (error) {
      return this.#apology(error);
    }
    const select = this.#actionSelect();
    const roll = h("button", { type: "submit", class: "wurf-roll" }, this.#say("Roll"));
    this.#show(select.value);
    const action = h("label", { class: "wurf-field" }, h("span", {}, this.#say("Action")), select);
    return [action, this.#place, this.#trouble, roll];
  }

  _replaceHTML(result, content) {
    content.replaceChildren(...result);
  }

  #apology(error) {
    const again = h("button", { type: "button", onclick: () => this.render() }, this.#say("Retry"));
    return [h("p", { role: "alert" }, this.#say("Away", { reason: error.message })), again];
  }

  #actionSelect() {
    const options = this.#cards.flatMap((card) => card.actions.map(({ name, label }) =>
      h("option", { value: `${card.id}/${name}` }, `${inLanguage(card.name)}: ${inLanguage(label)}`)));
    const select = h("select", { class: "wurf-action", onchange: () => this.#show(select.value) }, ...options);
    if (lastAction) select.value = lastAction;
    if (!select.value) select.selectedIndex = 0;
    return select;
  }

  /** Shows the form of an action, with what was last asked for. */
  #show(path) {
    lastAction = path;
    const [id, name] = path.split("/");
    const card = this.#cards.find((one) => one.id === id);
    const action = card.actions.find((one) => one.name === name);
    const schema = action.request_schema.split("/").at(-1);
    const context = { schemas: this.#schemas, ...wordsOf(card, action, this.#say) };
    const form = requestForm(schema, fieldsThatMatter(action), context);
    const dice = "faces" in this.#schemas[schema].properties ? this.#diceFields() : null;
    form.fill(lastRequests.get(path));
    this.#form = { path, card, action, form, dice };
    this.#trouble.replaceChildren();
    this.#place.replaceChildren(form.element, ...(dice ? [dice.element] : []));
  }

  /** Where the faces come from, unless the service is to throw. */
  #diceFields() {
    const faces = h("input", { type: "text", placeholder: this.#say("FacesHint") });
    const nonce = h("input", { type: "text", maxLength: 128, placeholder: this.#say("NonceHint") });
    const field = (label, input, pointer) =>
      h("label", { class: "wurf-field", "data-pointer": pointer }, h("span", {}, label), input);
    const element = h("details", {}, h("summary", {}, this.#say("Dice")),
      field(this.#say("Faces"), faces, "/faces"), field(this.#say("Nonce"), nonce, "/nonce"));
    const read = () => ({
      ...(faces.value.trim() && { faces: faces.value.split(/[\s,;]+/).filter(Boolean).map(Number) }),
      ...(nonce.value.trim() && { nonce: nonce.value.trim() }),
    });
    const clear = () => {
      faces.value = "";
      nonce.value = "";
    };
    return { element, read, clear };
  }

  static async #onSubmit(event, element) {
    const button = element.querySelector(".wurf-roll");
    if (!button || button.disabled) return;
    button.disabled = true;
    try {
      await this.#roll();
    } finally {
      button.disabled = false;
    }
  }

  async #roll() {
    const { path, card, action, form, dice } = this.#form;
    const asked = form.read() ?? {};
    const speaker = CONFIG.ChatMessage.documentClass.getSpeaker();
    const ref = speaker.alias?.slice(0, LONGEST_REFERENCE);
    const request = { ...asked, ...dice?.read(), ...(ref && { ref }) };
    this.#trouble.replaceChildren();
    showErrors(this.#place, []);
    try {
      const answer = await resolve(card.id, action.name, request, dice !== null);
      lastRequests.set(path, asked);
      // The next roll is another one: it gets dice and a name of its own.
      dice?.clear();
      await post(card, action, answer, speaker);
    } catch (error) {
      this.#refuse(error);
    }
  }

  #refuse(error) {
    if (error instanceof Away) {
      const message = this.#say("Away", { reason: error.message });
      ui.notifications.error(message);
      this.#trouble.append(message);
    } else if (error instanceof Refusal) {
      const homeless = showErrors(this.#place, error.document.errors ?? []);
      this.#trouble.append([error.document.detail, ...homeless].join(" "));
    } else {
      throw error;
    }
  }
}

/**
 * Rolls without the dialog, for macros.
 *
 * @param {string} path such as "zrps/roll"
 * @param {object} request as the service takes it
 * @param {object} [speaker]
 * @returns {Promise<object>} the answer, which also stands in the chat
 * @throws {Refusal | Away}
 */
export async function rollInChat(path, request, speaker = CONFIG.ChatMessage.documentClass.getSpeaker()) {
  const [id, name] = path.split("/");
  const [card, described] = await Promise.all([ruleset(id), schemas()]);
  const action = card.actions.find((one) => one.name === name);
  if (!action) throw new Error((await ownWords())("NoSuchAction", { action: path }));
  const { properties } = described[action.request_schema.split("/").at(-1)];
  const answer = await resolve(id, name, request, "faces" in properties);
  await post(card, action, answer, speaker);
  return answer;
}

/** The fields that the catalog does not leave to be folded away. */
function fieldsThatMatter({ fields }) {
  return fields.filter(({ place }) => place !== null).map(({ field }) => field);
}

async function allCards() {
  return Promise.all((await rulesets()).map(({ id }) => ruleset(id)));
}
