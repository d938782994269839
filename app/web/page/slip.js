// @ts-check
/**
 * The slip: the arithmetic of an answer, every number on a line of its own. Which lines there are, and what they
 * add up to, says the catalog; here they are read, added and drawn.
 */

import { tray } from "./dice.js";
import { h, svg } from "./dom.js";
import { inLanguage, number, say, signed, time } from "./words.js";

/** @typedef {import("./catalog.js").Action} Action */

/**
 * A line of the slip.
 *
 * @typedef {object} Line
 * @property {string} name
 * @property {string} value
 * @property {boolean} [sum] whether it is what the lines above come to
 * @property {string} [struck] why it does not count
 * @property {string} [heading] what the lines below it are about; it then stands alone
 * @property {string[][]} [table] rows with a head, in place of name and value
 */

/**
 * Reads the lines of an answer.
 *
 * @param {Action} action
 * @param {any} request
 * @param {any} answer
 * @returns {Line[]}
 */
export function slipLines(action, request, answer) {
  const lines = [];
  for (const part of sections(action.slip, answer)) {
    if (part.list === null) {
      lines.push(...new Reckoner(action, request, answer, null).read(part.lines));
      continue;
    }
    answer[part.list].forEach((/** @type {any} */ entry, /** @type {number} */ place) => {
      const heading = entry.name ?? say("number_of", { what: action.answerLabel(/** @type {string} */ (part.list)), number: place + 1 });
      lines.push({ name: heading, value: "", heading }, ...new Reckoner(action, request, answer, place).read(part.lines));
    });
    lines.push({ name: "", value: "", heading: "" });
  }
  return lines;
}

/** Groups lines that are about the entries of one list of the answer. */
function sections(/** @type {any[]} */ slip, /** @type {any} */ answer) {
  /** @type {{ list: string | null, lines: any[] }[]} */
  const found = [];
  for (const line of slip) {
    const [head, ...tail] = line.field.split(".");
    const list = tail.length > 0 && Array.isArray(answer[head]) ? head : null;
    if (found.at(-1)?.list !== list || found.length === 0) found.push({ list, lines: [] });
    found.at(-1)?.lines.push(line);
  }
  return found;
}

/** Reads one section of a slip from top to bottom and adds it up. */
class Reckoner {
  /**
   * @param {Action} action
   * @param {any} request
   * @param {any} answer
   * @param {number | null} place in the section's list
   */
  constructor(action, request, answer, place) {
    this.action = action;
    this.sources = { request, answer };
    this.place = place;
    /** @type {Line[]} */
    this.done = [];
    this.begin(null);
    /** What was said last, to leave out what says it again. */
    this.said = undefined;
  }

  /** Starts a sum, from a number or from nothing. */
  begin(/** @type {number | null} */ from) {
    /** @type {(Line & { rest?: boolean, start?: boolean, counts?: boolean })[]} */
    this.pending = [];
    this.carried = from;
    this.running = from;
  }

  /** @param {any[]} slip @returns {Line[]} */
  read(slip) {
    for (const line of slip) this.line(line, this.valueOf(line));
    return this.flush().done;
  }

  flush() {
    this.done.push(...(this.pending ?? []).filter((line) => !line.rest));
    return this;
  }

  line(/** @type {any} */ line, /** @type {any} */ value) {
    const label = inLanguage(line.label);
    if (line.kind === "rest") return this.pending.push({ name: label, value: "", rest: true });
    if (line.kind === "sum") return this.sum(label, value);
    if (line.kind === "total") return this.sum(label, this.running);
    const absent = isNothing(value) || (line.kind === "nonzero" && value === 0);
    const starts = ["plain", "nonzero"].includes(line.kind) && (absent || typeof value === "number");
    // A number that is not there starts a sum all the same: the one before it has ended.
    if (starts) this.flush().begin(null);
    if (absent) return undefined;
    if (line.kind === "changed" && value === this.said) return undefined;
    if (["plus", "minus", "times"].includes(line.kind)) return this.add(line, label, value);
    return this.state(line, label, value);
  }

  /** Puts down what is no part of a sum, or starts one. */
  state(/** @type {any} */ line, /** @type {string} */ label, /** @type {any} */ value) {
    this.said = Array.isArray(value) ? (value.at(-1)?.to ?? this.said) : value;
    if (Array.isArray(value)) return this.pending.push(...this.list(line, label, value));
    if (typeof value !== "number") return this.pending.push({ name: label, value: this.show(value, line.field) });
    if (line.kind === "signed") return this.pending.push({ name: label, value: signed(value) });
    if (line.kind === "changed") return this.pending.push({ name: label, value: this.show(value, line.field) });
    this.running = value;
    return this.pending.push({ name: label, value: this.show(value, line.field), start: true, counts: true });
  }

  /** Adds a number, or every entry of a list. */
  add(/** @type {any} */ line, /** @type {string} */ label, /** @type {any} */ value) {
    const entries = Array.isArray(value) ? value : [value];
    if (entries.length > 1 && entries.every((one) => typeof one === "number")) {
      const all = entries.reduce((sum, one) => sum + one, 0);
      this.running = (this.running ?? 0) + all;
      return this.pending.push({ name: label, value: entries.length > 60 ? number(all) : entries.map((one) => number(one)).join(" + "), counts: true });
    }
    for (const entry of entries) this.entry(line, label, entry);
    return undefined;
  }

  entry(/** @type {any} */ line, /** @type {string} */ label, /** @type {any} */ entry) {
    const whole = typeof entry === "object";
    const amount = whole ? (entry.value ?? line.each ?? 0) : entry;
    const counts = !(whole && entry.applied === false);
    if (!whole && amount === (line.kind === "times" ? 1 : 0)) return;
    const name = whole ? this.nameOf(entry, label) : label;
    const struck = counts ? undefined : this.reason(entry);
    // What the request says first is what the sum starts from, where no line before it did.
    const start = line.of === "request" && !whole && line.kind === "plus" && this.running === null;
    const change = line.kind === "minus" ? -amount : amount;
    const shown = line.kind === "times" ? `× ${number(amount)}` : start ? number(amount) : signed(change);
    this.pending.push({ name, value: shown, struck, counts, start });
    if (!counts) return;
    const before = this.running ?? (line.kind === "times" ? 1 : 0);
    this.running = line.kind === "times" ? before * amount : before + change;
  }

  /** Ends a sum. Where there is none here, nothing that led to it is shown. */
  sum(/** @type {string} */ label, /** @type {any} */ total) {
    if (typeof total !== "number") return this.begin(this.carried);
    this.settle(total);
    const counted = this.pending.filter((line) => line.counts);
    const nothing = counted.length === 0 && this.carried === null && total === 0;
    // A sum of one number is that number under its better name.
    const one = counted.length === 1 && counted[0].start;
    if (one) this.pending = this.pending.filter((line) => line !== counted[0]);
    if (!nothing) this.pending.push({ name: label, value: number(total), sum: counted.length > 0 && !one });
    this.said = total;
    this.flush().begin(nothing ? null : total);
    return undefined;
  }

  /** Fills in what the lines leave missing to their sum. */
  settle(/** @type {number} */ total) {
    const missing = total - (this.running ?? 0);
    const place = this.pending.findIndex((line) => line.rest);
    if (place < 0) return;
    const first = this.carried === null && !this.pending.slice(0, place).some((line) => line.counts);
    const { name } = this.pending[place];
    const filled = missing === 0 ? [] : [{ name, value: first ? number(missing) : signed(missing), counts: true, start: first }];
    this.pending.splice(place, 1, ...filled);
  }

  /** Shows a list that is no part of a sum. @returns {Line[]} */
  list(/** @type {any} */ line, /** @type {string} */ label, /** @type {any[]} */ entries) {
    if (entries.every((entry) => typeof entry !== "object")) {
      return [{ name: label, value: entries.map((entry) => this.show(entry, line.field)).join(" · ") }];
    }
    if (entries.every((entry) => "from" in entry)) {
      return entries.map((entry) => ({ name: this.nameOf(entry, label), value: `${this.show(entry.from)} → ${this.show(entry.to)}` }));
    }
    if (entries.every((entry) => "applied" in entry)) {
      return entries.map((entry) => ({ name: this.nameOf(entry, label), value: "✓", struck: entry.applied ? undefined : this.reason(entry) }));
    }
    const columns = Object.keys(entries[0]);
    const head = ["", ...columns.map((column) => this.action.answerLabel(`${line.field}.${column}`))];
    const rows = entries.map((entry, place) => [`${place + 1}.`, ...columns.map((column) => this.show(entry[column]))]);
    return [{ name: label, value: "", table: [head, ...rows] }];
  }

  /** Names an entry by the reason that a player gave, with its type beside it, or by its word. */
  nameOf(/** @type {any} */ entry, /** @type {string} */ label) {
    const word = entry.type ?? entry.effect;
    const called = word === undefined || word === null ? null : this.action.word(word);
    if (entry.label) return called && entry.type ? `${entry.label} (${called})` : entry.label;
    return called ? called + this.madeOf(entry) : label;
  }

  /** What a field of the request said that made an entry of that name: the proficiency, (expert, 5). */
  madeOf(/** @type {any} */ entry) {
    const { request } = this.sources;
    const made = request[entry.type];
    const listed = Object.values(request).filter(Array.isArray).flat().some((one) => one?.type === entry.type && !one.label);
    if (!made || typeof made !== "object" || listed) return "";
    return ` (${Object.values(made).map((value) => this.show(value)).join(", ")})`;
  }

  reason(/** @type {any} */ entry) {
    return entry.ignored ? this.action.word(entry.ignored) : say("not_counted");
  }

  show(/** @type {any} */ value, field = "") {
    if (isNothing(value)) return "–";
    if (typeof value === "boolean") return value ? "✓" : "–";
    if (typeof value === "number") return number(value);
    return this.action.word(value, field);
  }

  valueOf(/** @type {any} */ line) {
    if (!(line.of in this.sources)) return undefined;
    const [head, ...tail] = line.field.split(".");
    const source = this.sources[/** @type {"answer"} */ (line.of)][head];
    const from = this.place !== null && Array.isArray(source) ? source[this.place] : source;
    return tail.reduce((/** @type {any} */ inner, /** @type {string} */ name) => inner?.[name], from);
  }
}

/** Whether a value says nothing: absent, false, an empty list. */
function isNothing(/** @type {any} */ value) {
  return value === undefined || value === null || value === false || (Array.isArray(value) && value.length === 0);
}

/** What the slip says in one word: the outcome, or where there is none the last thing it adds up to. */
function verdictOf(/** @type {any} */ answer, /** @type {Line[]} */ lines) {
  if (answer.label) return answer.label;
  const sum = lines.filter((line) => line.sum !== undefined).at(-1);
  return sum ? `${sum.name} ${sum.value}` : answer.text;
}

const SIGNS = /** @type {Record<string, string>} */ ({
  2: "M12 2l2.900 6.600 7.100.700-5.400 4.700 1.600 7L12 17.300 5.800 21l1.600-7L2 9.300l7.100-.700z",
  1: "M3.500 12.500l3-3 4 4 8-8.500 3 3-11 11.500z",
  0: "M3 9h18v2.500H3zM3 14h18v2.500H3z",
  "-1": "M5 2.500L12 9.500 19 2.500 21.500 5l-7 7 7 7-2.500 2.500-7-7-7 7L2.500 19l7-7-7-7z",
  "-2": "M13.500 1L4 13.500h6L8 23l11-13.500h-6.500z",
});

/** Draws the sign of an outcome, so that no outcome is told by its color alone. */
export function sign(/** @type {number} */ tone) {
  return svg("svg", { class: "sign", viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" }, svg("path", { d: SIGNS[tone] ?? SIGNS[0] }));
}

/**
 * Draws the slip of a roll.
 *
 * @param {Action} action
 * @param {{ request: any, answer: any, at: string }} roll
 */
export function drawSlip(action, { request, answer, at }) {
  const lines = slipLines(action, request, answer);
  const said = verdictOf(answer, lines);
  const verdict = h("h3", { class: said.length > 14 ? "stamp long" : "stamp", tabindex: -1, "data-tone": action.tone(answer.outcome), "data-outcome": answer.outcome },
    answer.outcome && sign(action.tone(answer.outcome)), h("span", {}, said));
  const element = h("article", { class: "paper" },
    h("header", {},
      h("p", { class: "shop" }, "Wurf"),
      h("p", {}, `${inLanguage(action.rulesetName)} · ${inLanguage(action.label)}`),
      h("p", {}, h("time", { datetime: at }, time(at, true)))),
    action.dice && tray(answer.sides, answer.faces),
    drawLines(lines),
    h("div", { class: "verdict" }, verdict),
    h("p", { class: "sentence" }, answer.text));
  return { element, verdict };
}

/** @param {Line[]} lines */
function drawLines(lines) {
  const blocks = /** @type {any[]} */ ([]);
  const rows = () => (blocks.at(-1)?.tagName === "TABLE" && !blocks.at(-1).tHead ? blocks.at(-1).tBodies[0] : opened());
  const opened = () => {
    const body = h("tbody", { role: "rowgroup" });
    blocks.push(h("table", { role: "table", class: "lines" }, body));
    return body;
  };
  for (const line of lines) {
    if (line.heading !== undefined) blocks.push(line.heading ? h("h4", {}, line.heading) : h("hr"));
    else if (line.table) blocks.push(drawTable(line));
    else rows().append(drawLine(line));
  }
  return blocks;
}

/** @param {Line} line */
function drawLine({ name, value, sum, struck }) {
  // The lines are laid out as boxes, so the roles say what the elements no longer do.
  return h("tr", { role: "row", class: sum ? "sum" : struck ? "struck" : null },
    h("th", { role: "rowheader", scope: "row" }, h("span", { class: "leader" }, struck ? h("del", {}, name) : h("span", {}, name)), struck && h("small", {}, struck)),
    h("td", { role: "cell" }, struck ? h("del", {}, value) : value));
}

/** @param {Line} line */
function drawTable({ name, table = [] }) {
  const [head, ...rows] = table;
  return h("table", { class: "throws" }, h("caption", {}, name),
    h("thead", {}, h("tr", {}, head.map((cell, place) => (place ? h("th", { scope: "col" }, cell) : h("td"))))),
    h("tbody", {}, rows.map(([first, ...cells]) => h("tr", {}, h("th", { scope: "row" }, first), cells.map((cell) => h("td", {}, cell))))));
}

const WIDTH = 44;

/**
 * Writes the slip as text in letters of one width.
 *
 * @param {Action} action
 * @param {{ request: any, answer: any, at: string }} roll
 */
export function slipText(action, { request, answer, at }) {
  const lines = slipLines(action, request, answer);
  const dotted = (/** @type {Line} */ { name, value, sum, struck, heading, table }) => {
    if (heading !== undefined) return heading ? `\n${heading}` : "─".repeat(WIDTH);
    if (table) return table.map((row) => row.join("  ")).join("\n");
    const text = struck ? `${name} [${struck}]` : name;
    const shown = struck ? `(${value})` : value;
    return `${sum ? `${"─".repeat(WIDTH)}\n` : ""}${text} ${".".repeat(Math.max(2, WIDTH - text.length - shown.length - 2))} ${shown}`;
  };
  const dice = answer.faces?.length ? [`${say("dice")} ${answer.faces.join(" ")}`] : [];
  const seed = answer.seed === null || answer.seed === undefined ? [] : [`${say("seed_line")} ${answer.seed}`];
  return [
    `WURF · ${inLanguage(action.rulesetName)} · ${inLanguage(action.label)} · ${time(at, true)}`,
    ...dice, ...lines.map(dotted), "", `*** ${verdictOf(answer, lines).toUpperCase()} ***`, answer.text, ...seed, "",
  ].join("\n");
}
