// @ts-check
/** The page's own words in every language, and how it writes numbers. The games' words come from the catalog. */

const WORDS = {
  en: {
    language: "English",
    title: "Wurf: dice for tabletop games",
    tagline: "Every roll as a receipt",
    rulesets: "Rulesets",
    actions: "What is rolled",
    theme: "Theme",
    skip: "To the result",
    loading: "Fetching the rules …",
    retry: "Try again",
    offline: "The service does not answer.",
    situation: "Situation",
    example: "Back to the example",
    more: "more",
    nothing: "none",
    add: "Add: {what}",
    remove: "Remove: {what}",
    less: "{what}: one less",
    plus: "{what}: one more",
    either: "Give one of them",
    variant: "Kind",
    number_of: "{what} {number}",
    dice: "Dice",
    dice_random: "Random",
    dice_seed: "Seed",
    dice_nonce: "Nonce",
    dice_faces: "Thrown here",
    seed: "Seed",
    seed_hint: "Any text. The same seed gives the same faces.",
    nonce: "Name of the roll",
    nonce_hint: "The service makes the seed from it: nobody can foresee the roll, and the same name gives it again.",
    faces: "Faces in the order they fell",
    faces_hint: "Tap them or type them: 14 3",
    faces_needed: "{given} of {needed} dice given, each with {sides} sides",
    faces_none: "No die is needed.",
    take_back: "Take back the last die",
    face: "{face} on a die with {sides} sides",
    roll: "Roll",
    reckon: "Work out",
    chances: "Chances",
    chances_stale: "These are the chances of the last valid situation.",
    success: "Success",
    outcome: "Outcome",
    chance: "Chance",
    exact: "Exact",
    fractions: "Exact fractions",
    mean: "Mean {value}",
    distribution: "Distribution: {what}",
    all_values: "All values",
    value: "Value",
    at_least: "At least",
    rest: "beyond",
    read_value: "{value}: {chance} · at least {value}: {least}",
    rolled_here: "This roll: {value}",
    this_roll: "this roll",
    remember: "Remember this",
    forget: "Forget",
    restore: "Back to it",
    remembered: "Remembered",
    now: "Now",
    difference: "Change",
    compare: "remembered {before} → now {now} ({change})",
    slip: "Receipt",
    slip_empty: "The roll is printed here: every number on a line of its own.",
    no_dice: "No die thrown",
    more_dice: "and {number} more",
    not_counted: "does not count here",
    source_client_seed: "Seed chosen by the player",
    source_server_seed: "Seed drawn by the service",
    source_server_keyed: "Seed made from the nonce",
    source_given_faces: "Dice thrown at the table",
    source_no_dice: "No die thrown",
    seed_line: "Seed",
    checking: "being worked out again …",
    faces_hold: "These faces follow from the seed: derived again in this browser.",
    faces_fail: "These faces do not follow from the seed.",
    faces_given: "No seed made these faces; whoever threw them vouches for them.",
    faces_unable: "This browser derives faces only on pages that come by https or from localhost.",
    verdict_holds: "With these faces the service comes to the same verdict.",
    verdict_holds_plain: "Asked again, the service comes to the same.",
    verdict_fails: "With these faces the service comes to another verdict.",
    verdict_unknown: "The service could not be asked again.",
    signature_valid: "The signature is valid.",
    signature_invalid: "The signature is not valid.",
    signature_unknown_key: "The signature's key is unknown here.",
    signature_malformed: "This is no receipt.",
    checked: "checked",
    failed: "does not hold",
    copy: "Copy",
    copy_link: "Link",
    copy_text: "Text",
    copy_receipt: "Signed receipt",
    copied: "Copied: {what}",
    print: "Print",
    log: "Last rolls",
    log_empty: "No rolls yet. They stay on this device.",
    log_open: "{when}, {what}: {label}",
    download: "Save as a file",
    clear: "Clear",
    check: "Check a roll",
    check_hint: "Paste an answer, a signed receipt or a saved log. The faces are derived again in this browser.",
    check_label: "Answer, receipt or log",
    check_go: "Check",
    check_unreadable: "Neither JSON nor a receipt.",
    check_nothing: "There is no roll in it.",
    close: "Close",
    key: "This service wants a key",
    key_hint: "It is kept until this tab closes, and sent to this service only.",
    key_label: "API key",
    key_go: "Use the key",
    problem_here: "Please look at the fields that are marked.",
    interface: "The interface",
  },
  de: {
    language: "Deutsch",
    title: "Wurf: Würfel für Rollenspiele",
    tagline: "Jeder Wurf als Beleg",
    rulesets: "Regelwerke",
    actions: "Was gewürfelt wird",
    theme: "Darstellung",
    skip: "Zum Ergebnis",
    loading: "Die Regeln werden geholt …",
    retry: "Noch einmal versuchen",
    offline: "Der Dienst antwortet nicht.",
    situation: "Situation",
    example: "Zurück zum Beispiel",
    more: "mehr",
    nothing: "keine Angabe",
    add: "Hinzufügen: {what}",
    remove: "Entfernen: {what}",
    less: "{what}: eins weniger",
    plus: "{what}: eins mehr",
    either: "Eines davon angeben",
    variant: "Art",
    number_of: "{what} {number}",
    dice: "Würfel",
    dice_random: "Zufall",
    dice_seed: "Seed",
    dice_nonce: "Nonce",
    dice_faces: "Eigene",
    seed: "Seed",
    seed_hint: "Beliebiger Text. Derselbe Seed gibt dieselben Augen.",
    nonce: "Name des Wurfs",
    nonce_hint: "Daraus macht der Dienst den Seed: Niemand sieht den Wurf voraus, derselbe Name gibt ihn wieder.",
    faces: "Augen in der Reihenfolge, in der sie fielen",
    faces_hint: "Antippen oder eintippen: 14 3",
    faces_needed: "{given} von {needed} Würfeln angegeben, jeder mit {sides} Seiten",
    faces_none: "Es braucht keinen Würfel.",
    take_back: "Letzten Würfel zurücknehmen",
    face: "{face} auf einem Würfel mit {sides} Seiten",
    roll: "Würfeln",
    reckon: "Ausrechnen",
    chances: "Chancen",
    chances_stale: "Das sind die Chancen der letzten gültigen Situation.",
    success: "Erfolg",
    outcome: "Ausgang",
    chance: "Chance",
    exact: "Genau",
    fractions: "Genaue Brüche",
    mean: "im Mittel {value}",
    distribution: "Verteilung: {what}",
    all_values: "Alle Werte",
    value: "Wert",
    at_least: "Mindestens",
    rest: "darüber hinaus",
    read_value: "{value}: {chance} · mindestens {value}: {least}",
    rolled_here: "Dieser Wurf: {value}",
    this_roll: "dieser Wurf",
    remember: "Merken",
    forget: "Vergessen",
    restore: "Zurückholen",
    remembered: "Gemerkt",
    now: "Jetzt",
    difference: "Änderung",
    compare: "gemerkt {before} → jetzt {now} ({change})",
    slip: "Beleg",
    slip_empty: "Hier wird der Wurf gedruckt: jede Zahl auf ihrer eigenen Zeile.",
    no_dice: "Kein Würfel geworfen",
    more_dice: "und {number} weitere",
    not_counted: "zählt hier nicht",
    source_client_seed: "Seed selbst gewählt",
    source_server_seed: "Seed vom Dienst gezogen",
    source_server_keyed: "Seed aus der Nonce gemacht",
    source_given_faces: "Am Tisch geworfen",
    source_no_dice: "Kein Würfel geworfen",
    seed_line: "Seed",
    checking: "wird nachgerechnet …",
    faces_hold: "Diese Augen folgen aus dem Seed: in diesem Browser nachgerechnet.",
    faces_fail: "Diese Augen folgen nicht aus dem Seed.",
    faces_given: "Kein Seed hat diese Augen gemacht; wer sie warf, steht für sie ein.",
    faces_unable: "Dieser Browser rechnet Augen nur auf Seiten nach, die per https oder von localhost kommen.",
    verdict_holds: "Mit diesen Augen kommt der Dienst zum selben Urteil.",
    verdict_holds_plain: "Noch einmal gefragt, kommt der Dienst zum selben.",
    verdict_fails: "Mit diesen Augen kommt der Dienst zu einem anderen Urteil.",
    verdict_unknown: "Der Dienst ließ sich nicht noch einmal fragen.",
    signature_valid: "Die Unterschrift ist gültig.",
    signature_invalid: "Die Unterschrift ist nicht gültig.",
    signature_unknown_key: "Der Schlüssel der Unterschrift ist hier unbekannt.",
    signature_malformed: "Das ist kein Beleg.",
    checked: "nachgerechnet",
    failed: "hält nicht",
    copy: "Kopieren",
    copy_link: "Link",
    copy_text: "Text",
    copy_receipt: "Signierter Beleg",
    copied: "Kopiert: {what}",
    print: "Drucken",
    log: "Letzte Würfe",
    log_empty: "Noch keine Würfe. Sie bleiben auf diesem Gerät.",
    log_open: "{when}, {what}: {label}",
    download: "Als Datei sichern",
    clear: "Leeren",
    check: "Einen Wurf prüfen",
    check_hint: "Füge eine Antwort, einen signierten Beleg oder ein gesichertes Protokoll ein. Die Augen werden in diesem Browser nachgerechnet.",
    check_label: "Antwort, Beleg oder Protokoll",
    check_go: "Prüfen",
    check_unreadable: "Weder JSON noch ein Beleg.",
    check_nothing: "Darin steht kein Wurf.",
    close: "Schließen",
    key: "Dieser Dienst verlangt einen Schlüssel",
    key_hint: "Er bleibt, bis dieser Tab geschlossen wird, und geht nur an diesen Dienst.",
    key_label: "API-Schlüssel",
    key_go: "Schlüssel verwenden",
    problem_here: "Bitte sieh dir die markierten Felder an.",
    interface: "Die Schnittstelle",
  },
};

/** @typedef {keyof typeof WORDS} Language */

export const LANGUAGES = /** @type {Language[]} */ (Object.keys(WORDS));
const FIRST = LANGUAGES[0];
/** @type {Language} */
let spoken = FIRST;

/** Picks the first of some languages, such as `navigator.languages`, that the page speaks. */
export function choose(/** @type {readonly (string | null | undefined)[]} */ wanted) {
  for (const tag of wanted) {
    const found = LANGUAGES.find((language) => tag?.toLowerCase().split("-")[0] === language);
    if (found) return found;
  }
  return FIRST;
}

/** @param {Language} language */
export function speak(language) {
  spoken = language;
}

export function language() {
  return spoken;
}

/**
 * Says something of the page's own.
 *
 * @param {string} key
 * @param {Record<string, unknown>} [values] what stands in the braces
 */
export function say(key, values = {}) {
  const words = /** @type {Record<string, string>} */ (WORDS[spoken]);
  return words[key].replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

/** Names a language in itself. */
export function nameOf(/** @type {Language} */ one) {
  return WORDS[one].language;
}

/**
 * Takes the text in the reader's language from the catalog's texts in all languages.
 *
 * @param {Record<string, any> | undefined} texts
 * @returns {any}
 */
export function inLanguage(texts) {
  return texts?.[spoken] ?? Object.values(texts ?? {})[0];
}

/** Writes a number as people do here: `1.234,5`, `−3`. */
export function number(/** @type {number} */ value, digits = 2) {
  return new Intl.NumberFormat(spoken, { maximumFractionDigits: digits }).format(value).replace("-", "−");
}

/** Writes a number with its sign: `+4`, `−3`, `±0`. */
export function signed(/** @type {number} */ value, digits = 2) {
  const rounded = Number(value.toFixed(digits));
  return rounded > 0 ? `+${number(value, digits)}` : rounded < 0 ? number(value, digits) : "±0";
}

/** The most decimals of a percentage. */
const DECIMALS = 6;

/**
 * Writes a chance in percent, with one decimal; near nothing or certainty with as many as tell it apart from both.
 */
export function percent(/** @type {number} */ chance) {
  const write = (/** @type {number} */ value, /** @type {number} */ digits) =>
    new Intl.NumberFormat(spoken, { style: "percent", maximumFractionDigits: digits }).format(value);
  const distance = Math.min(chance, 1 - chance) * 100;
  if (distance <= 0) return write(chance, 0);
  for (let digits = 1; digits <= DECIMALS; digits++) if (distance >= 0.5 / 10 ** digits) return write(chance, digits);
  const least = 1 / 10 ** (DECIMALS + 2);
  return chance < 0.5 ? `< ${write(least, DECIMALS)}` : `> ${write(1 - least, DECIMALS)}`;
}

/** Writes a time of day, with the date where it is not today's or the whole is wanted. */
export function time(/** @type {string | number | Date} */ when, whole = false) {
  const date = new Date(when);
  const today = date.toDateString() === new Date().toDateString();
  const day = today && !whole ? {} : { day: "2-digit", month: "2-digit", year: "numeric" };
  return new Intl.DateTimeFormat(spoken, { ...day, hour: "2-digit", minute: "2-digit" }).format(date);
}
