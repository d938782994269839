// @ts-check
/** The inputs of single values: steppers, choices, switches, texts. */

import { freshId, h } from "./dom.js";
import { say } from "./words.js";

/**
 * @typedef {object} Control
 * @property {HTMLElement} element
 * @property {() => any} get undefined where the field is left out
 * @property {(value: any) => void} set undefined for what stands where it is left out
 * @property {() => void} [offer] opens what may be left out
 */

/** A choice of so few words of so few letters stands open; a longer one folds into a list. */
const OPEN_WORDS = 4;
const OPEN_LETTERS = 34;
const HOLD_MILLISECONDS = 400;
const REPEAT_MILLISECONDS = 70;

/**
 * A number with a button on either side, which a thumb may hold.
 *
 * @param {{ label: string, id: string, minimum?: number, maximum?: number, preset?: any, name?: (value: number) => string | undefined }} about
 * @param {() => void} changed
 * @returns {Control}
 */
export function stepper({ label, id, minimum, maximum, preset, name }, changed) {
  const input = h("input", { id, type: "number", step: 1, min: minimum, max: maximum, autocomplete: "off" });
  const called = h("output", { class: "called", for: id });
  const start = Math.max(minimum ?? 0, 0);

  function tell() {
    called.textContent = (input.value !== "" && name?.(Number(input.value))) || "";
  }
  function move(/** @type {number} */ by) {
    const to = input.value === "" ? start : Number(input.value) + by;
    const value = Math.min(Math.max(to, minimum ?? -Infinity), maximum ?? Infinity);
    if (input.value === String(value)) return;
    input.value = value;
    tell();
    changed();
  }
  input.addEventListener("input", tell);
  return {
    element: h("span", { class: "stepper" },
      holdable(say("less", { what: label }), "−", () => move(-1)),
      input,
      holdable(say("plus", { what: label }), "+", () => move(1)),
      called),
    get: () => (input.value === "" ? (input.validity.badInput ? "?" : undefined) : Number(input.value)),
    set(value) {
      input.value = value ?? preset ?? "";
      tell();
    },
  };
}

/** A button that goes on while it is held. Keys step in the input itself, so it is no stop for them. */
function holdable(/** @type {string} */ label, /** @type {string} */ sign, /** @type {() => void} */ step) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting;
  function again() {
    step();
    waiting = setTimeout(again, REPEAT_MILLISECONDS);
  }
  const stop = () => clearTimeout(waiting);
  return h("button", {
    type: "button", tabindex: -1, "aria-label": label,
    onpointerdown: (/** @type {PointerEvent} */ event) => {
      if (event.button !== 0) return;
      step();
      waiting = setTimeout(again, HOLD_MILLISECONDS);
    },
    onpointerup: stop, onpointerleave: stop, onpointercancel: stop,
    oncontextmenu: (/** @type {Event} */ event) => event.preventDefault(),
    // Whoever presses it otherwise than by pointer, such as a screen reader, has only the click.
    onclick: (/** @type {MouseEvent} */ event) => event.detail === 0 && step(),
  }, sign);
}

/**
 * One of some words: all in sight where they are few, else in a list.
 *
 * @param {{ label: string, id: string, options: any[], word: (option: any) => string, optional: boolean, preset?: any }} about
 * @param {() => void} changed
 * @returns {Control}
 */
export function choice({ label, id, options, word, optional, preset }, changed) {
  const entries = [...(optional ? [[undefined, say("nothing")]] : []), ...options.map((option) => [option, word(option)])];
  const letters = entries.reduce((sum, [, text]) => sum + text.length, 0);
  return entries.length <= OPEN_WORDS && letters <= OPEN_LETTERS
    ? segments({ label, entries, preset }, changed)
    : list({ id, entries, preset });
}

/** @param {{ id: string, entries: any[][], preset: any }} about @returns {Control} */
function list({ id, entries, preset }) {
  const select = h("select", { id }, entries.map(([, text], place) => h("option", { value: place }, text)));
  return {
    element: h("span", { class: "select" }, select),
    get: () => entries[select.value]?.[0],
    set(value) {
      select.value = placeOf(entries, value ?? preset);
    },
  };
}

/**
 * Words side by side of which one is pressed.
 *
 * @param {{ label: string, entries: any[][], preset?: any }} about
 * @param {() => void} changed
 * @returns {Control}
 */
export function segments({ label, entries, preset }, changed) {
  const name = freshId();
  const inputs = entries.map((_, place) => h("input", { type: "radio", name, value: place, onchange: changed }));
  return {
    element: h("span", { class: "segments", role: "radiogroup", "aria-label": label },
      entries.map(([, text], place) => h("label", {}, inputs[place], h("span", {}, text)))),
    get: () => entries[inputs.findIndex((input) => input.checked)]?.[0],
    set(value) {
      const place = placeOf(entries, value ?? preset);
      inputs.forEach((input, at) => (input.checked = at === place));
    },
  };
}

function placeOf(/** @type {any[][]} */ entries, /** @type {any} */ value) {
  return Math.max(0, entries.findIndex(([option]) => option === value));
}

/**
 * A switch.
 *
 * @param {{ id: string, preset?: any }} about
 * @returns {Control}
 */
export function toggle({ id, preset }) {
  const input = h("input", { id, type: "checkbox", role: "switch" });
  return {
    element: h("span", { class: "switch" }, input),
    get: () => input.checked,
    set(value) {
      input.checked = value ?? preset ?? false;
    },
  };
}

/**
 * Words of which any number may be pressed.
 *
 * @param {{ options: any[], word: (option: any) => string }} about
 * @returns {Control}
 */
export function words({ options, word }) {
  const inputs = options.map((option) => h("input", { type: "checkbox", value: option }));
  /** @type {any[]} */
  let order = [];
  return {
    element: h("span", { class: "chips" }, options.map((option, place) => h("label", {}, inputs[place], h("span", {}, word(option))))),
    // In the order in which they were given, the newest last: whoever reads an answer finds them as they sent them.
    get: () => [...new Set([...order, ...options])].filter((option) => inputs[options.indexOf(option)]?.checked),
    set(value) {
      order = value ?? [];
      inputs.forEach((input, place) => (input.checked = value?.includes(options[place]) ?? false));
    },
  };
}

/**
 * A line of text.
 *
 * @param {{ id: string, maxLength?: number }} about
 * @returns {Control}
 */
export function text({ id, maxLength }) {
  const input = h("input", { id, type: "text", maxlength: maxLength, autocomplete: "off" });
  return {
    element: input,
    get: () => input.value || undefined,
    set(value) {
      input.value = value ?? "";
    },
  };
}
