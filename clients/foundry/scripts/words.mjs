/** Words for people, in the language that was set: the module's own, and those of the service's catalog. */

import { setting } from "./settings.mjs";

const LANGUAGES = ["en", "de"];
const loaded = new Map();

/** The language of the dialog, of receipts and of the service's answers: the one that was set, else Foundry's. */
export function language() {
  const wanted = setting("language") || game.i18n.lang;
  return LANGUAGES.includes(wanted) ? wanted : LANGUAGES[0];
}

/**
 * Loads the module's own words. Foundry has them only in its own language.
 *
 * @returns {Promise<(key: string, values?: Record<string, unknown>) => string | undefined>} finds a text by its
 *   key, such as "Setting.address.Name"; undefined where there is none
 */
export async function ownWords() {
  const chosen = language();
  if (!loaded.has(chosen)) {
    const file = await fetch(new URL(`../lang/${chosen}.json`, import.meta.url));
    loaded.set(chosen, (await file.json()).WURF);
  }
  return (key, values = {}) => {
    const text = key.split(".").reduce((words, part) => words?.[part], loaded.get(chosen));
    return typeof text === "string" ? text.replace(/\{(\w+)\}/g, (_, name) => String(values[name])) : undefined;
  };
}

/**
 * Finds the words for a ruleset. What the service has no words for is shown as its name, in plain letters.
 *
 * @param {object} card the ruleset, as the catalog has it
 * @param {object} action the action, as the ruleset has it
 * @param {(key: string) => string | undefined} say the module's own words
 */
export function wordsOf(card, action, say) {
  const chosen = language();
  const labels = new Map(action.fields.map(({ field, label }) => [field, inLanguage(label)]));
  const answers = new Map(action.answer.map(({ field, label }) => [field, inLanguage(label)]));
  // A contest also names the outcomes of its sides, which are those of another action.
  const ends = [...card.actions, action].flatMap((one) => one.outcomes);
  const outcomes = new Map(ends.map(({ outcome, label }) => [outcome, inLanguage(label)]));
  const values = card.values[chosen] ?? {};
  return {
    say,
    /** The name of a field of the request, by its path. */
    label: (path) => labels.get(path) ?? spelled(last(path)),
    /** The name of a field of the answer, by its path. */
    answer: (path) => answers.get(path) ?? spelled(last(path)),
    /** The name of a word in requests or answers. */
    word: (word) => values[word] ?? outcomes.get(word) ?? spelled(word),
  };
}

/** Takes one language of what the catalog has in each. */
export function inLanguage(words) {
  return words[language()] ?? words[LANGUAGES[0]] ?? Object.values(words)[0];
}

function last(path) {
  return path.split(".").at(-1);
}

function spelled(name) {
  return name.replaceAll("_", " ");
}
