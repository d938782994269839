// @ts-check
/** Where the dice come from: drawn by the service, from a seed or a nonce, or thrown at the table. */

import { segments } from "./controls.js";
import { die } from "./dice.js";
import { freshId, h } from "./dom.js";
import { say } from "./words.js";

/** Dice with more sides than this are typed, not tapped. */
const TAPPED = 20;

/**
 * @param {{ nonces: boolean, changed: () => void }} about
 */
export function makeOrigin({ nonces, changed }) {
  const seed = line("seed", changed);
  const nonce = line("nonce", changed);
  const faces = makeFaces(changed);
  /** @type {Record<string, any>} */
  const panels = { seed, ...(nonces ? { nonce } : {}), faces };
  const entries = [["random", say("dice_random")], ...Object.keys(panels).map((name) => [name, say(`dice_${name}`)])];
  const show = () => Object.entries(panels).forEach(([name, panel]) => (panel.element.hidden = name !== mode.get()));
  const mode = segments({ label: say("dice"), entries }, () => {
    show();
    panels[mode.get()]?.element.querySelector("input")?.focus();
    changed();
  });
  const element = h("fieldset", { class: "origin" }, h("legend", {}, say("dice")), mode.element, Object.values(panels).map((panel) => panel.element));
  mode.set("random");
  show();
  return {
    element,
    /** What of a request says where faces come from. @returns {Record<string, any>} */
    get() {
      const chosen = mode.get();
      const value = panels[chosen]?.get();
      return value === undefined ? {} : { [chosen]: value };
    },
    fill(/** @type {any} */ request) {
      const given = Object.keys(panels).find((name) => request[name] !== undefined && request[name] !== null);
      mode.set(given ?? "random");
      if (given) panels[given].set(request[given]);
      show();
    },
    byFaces: () => mode.get() === "faces",
    need: faces.need,
  };
}

/** A line of text with its help. @param {"seed" | "nonce"} name @param {() => void} changed */
function line(name, changed) {
  const id = freshId();
  const input = h("input", { id, type: "text", maxlength: 128, autocomplete: "off", spellcheck: "false", oninput: changed });
  return {
    element: h("div", { class: "field text", "data-key": name }, h("label", { for: id }, say(name)), input,
      h("p", { class: "help" }, say(`${name}_hint`)), h("p", { class: "refusal", id: freshId(), hidden: true })),
    get: () => input.value || undefined,
    set: (/** @type {unknown} */ value) => (input.value = String(value)),
  };
}

/** Dice that fell on the table: typed, or tapped on a pad of all faces. @param {() => void} changed */
function makeFaces(changed) {
  const id = freshId();
  const input = h("input", { id, type: "text", autocomplete: "off", placeholder: say("faces_hint"), oninput: () => (draw(), changed()) });
  const given = h("span", { class: "given" });
  const told = h("p", { class: "help needed", role: "status" });
  const pad = h("div", { class: "pad" });
  let padded = 0;
  const faces = () => (input.value.match(/\d+/g) ?? []).map(Number);

  function put(/** @type {number[]} */ wanted) {
    input.value = wanted.join(" ");
    draw();
    changed();
  }
  function draw() {
    given.replaceChildren(...faces().slice(0, 40).map((face) => die(padded, face)));
  }
  return {
    element: h("div", { class: "field faces", "data-key": "faces" }, h("label", { for: id }, say("faces")), input,
      h("p", { class: "refusal", id: freshId(), hidden: true }), told, given, pad),
    get: faces,
    set: (/** @type {number[]} */ wanted) => {
      input.value = wanted.join(" ");
      draw();
    },
    /**
     * Tells how many dice the rule needs.
     *
     * @param {{ given: number, needed: number, sides: number }} count
     */
    need({ given: have, needed, sides }) {
      told.textContent = needed === 0 ? say("faces_none") : say("faces_needed", { given: have, needed, sides });
      told.dataset.enough = String(have === needed);
      if (padded === sides) return;
      padded = sides;
      const keys = sides <= TAPPED ? Array.from({ length: sides }, (_, place) => place + 1) : [];
      pad.replaceChildren(...keys.map((face) => h("button", { type: "button", "aria-label": say("face", { face, sides }), onclick: () => put([...faces(), face]) }, String(face))));
      if (keys.length) pad.append(h("button", { type: "button", class: "back", "aria-label": say("take_back"), onclick: () => put(faces().slice(0, -1)) }, "⌫"));
      draw();
    },
  };
}
