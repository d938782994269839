/** An answer as a receipt: every number of the arithmetic on its own line, then the verdict, then the proof. */

import { h } from "./html.mjs";
import { inLanguage } from "./words.mjs";

/** What every answer has; it stands elsewhere on the receipt. */
const SHARED = new Set([
  "ruleset", "action", "outcome", "success", "sides", "faces", "seed", "source", "stream", "rules_version", "ref",
  "label", "text", "odds", "receipt",
]);

/**
 * A line: what it is, its value, whether it counts, why not, and how deep it lies in the answer.
 *
 * @typedef {{ name: string, value: string, counts?: boolean, why?: string, depth: number }} Line
 */

/**
 * Writes a receipt.
 *
 * @param {object} card the ruleset, as the catalog has it
 * @param {object} action the action, as the ruleset has it
 * @param {object} answer
 * @param {object} words as `wordsOf` gives them
 * @returns {HTMLElement}
 */
export function receipt(card, action, answer, words) {
  const { faces = [], sides, label, text, success, seed, source, ref } = answer;
  const verdict = { true: "success", false: "failure" }[success] ?? "open";
  const die = words.say("Die", { sides });
  return h("section", { class: "wurf-receipt" },
    h("header", {}, h("strong", {}, inLanguage(card.name)), ` ${inLanguage(action.label)}`, ref && ` · ${ref}`),
    faces.length > 0 && h("p", { class: "wurf-dice" },
      ...faces.map((face) => h("span", { class: "wurf-die", title: die }, String(face)))),
    h("table", {}, h("tbody", {}, ...lines(answer, words).map(row))),
    label && h("p", { class: `wurf-verdict wurf-${verdict}` }, label),
    h("p", { class: "wurf-text" }, text),
    source && h("footer", {}, words.say(`Source.${source}`) ?? source, seed && ": ", seed && h("code", {}, seed)),
  );
}

/**
 * Lists the lines of an answer. It knows no ruleset: what it is given, it shows.
 *
 * @param {object} answer
 * @param {object} words
 * @returns {Line[]}
 */
export function lines(answer, words) {
  const own = Object.entries(answer).filter(([name]) => !SHARED.has(name));
  return own.flatMap(([name, value]) => (name === "winner" ? winner(answer, words) : field(name, value, words, 0)));
}

function row({ name, value, counts = true, why, depth }) {
  const shown = [counts ? name : h("s", {}, name), why && h("small", {}, ` ${why}`)];
  return h("tr", { class: `wurf-depth-${Math.min(depth, 2)}` },
    h("th", { scope: "row" }, ...shown), h("td", {}, counts ? value : h("s", {}, value)));
}

/** The lines of a field, by its path. Nothing, false and an empty list say nothing. */
function field(path, value, words, depth) {
  if (value === null || value === undefined || value === false || value.length === 0) return [];
  const name = words.answer(path);
  if (!isObject(value)) return [{ name, value: shown(value, words), depth }];
  if (!Array.isArray(value)) return [{ name, value: "", depth }, ...fields(path, value, words, depth + 1)];
  if (!value.some(isObject)) return [{ name, value: value.map((one) => shown(one, words)).join(", "), depth }];
  return value.flatMap((part, place) => entry(path, part, `${name} ${place + 1}`, words, depth));
}

function fields(path, object, words, depth) {
  // Whether a side succeeded, its outcome says.
  const told = Object.entries(object).filter(([name]) => name !== "success");
  return told.flatMap(([name, value]) => field(`${path}.${name}`, value, words, depth));
}

/** One of several: a modifier with its value, a step from word to word, or something with lines below it. */
function entry(path, part, number, words, depth) {
  const { label, name: called, type, effect, value, from, to, applied, ignored, ...rest } = part;
  const word = typeof effect === "string" ? effect : type;
  const name = label ?? called ?? (word ? words.word(word) : number);
  const line = { name, counts: applied ?? true, why: ignored ? words.word(ignored) : undefined, depth };
  if (typeof value === "number") return [{ ...line, value: signed(value) }];
  if (from && to) return [{ ...line, value: `${words.word(from)} → ${words.word(to)}` }];
  const below = typeof effect === "number" ? { ...rest, effect } : rest;
  return [{ ...line, value: "" }, ...fields(path, below, words, depth + 1)];
}

function winner({ winner: place, contestants = [] }, words) {
  if (place === null) return [];
  return [{ name: words.answer("winner"), value: contestants[place]?.name ?? String(place + 1), depth: 0 }];
}

function shown(value, words) {
  if (value === true) return "✓";
  return typeof value === "number" ? String(value).replace("-", "−") : words.word(value);
}

function signed(value) {
  return value < 0 ? `−${-value}` : `+${value}`;
}

function isObject(value) {
  return typeof value === "object" && value !== null;
}
