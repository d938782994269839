// @ts-check
/** The table's log: the last rolls, kept on this device. */

import { die } from "./dice.js";
import { device, h } from "./dom.js";
import { sign } from "./slip.js";
import { say, time } from "./words.js";

/** @typedef {{ at: string, action: string, name: string, label: string, tone: number, request: any, answer: any }} Roll */

const KEPT = 60;
const NAME = "log";

/**
 * @param {(roll: Roll) => void} open called when somebody wants to see a roll again
 */
export function makeLog(open) {
  const kept = device.get(NAME);
  /** @type {Roll[]} */
  let rolls = Array.isArray(kept) ? kept.filter((roll) => roll?.answer && roll.request) : [];
  const list = h("ol", { class: "rolls" });
  const empty = h("p", { class: "empty" }, say("log_empty"));
  const save = h("button", { type: "button", class: "quiet", onclick: download }, say("download"));
  const clear = h("button", { type: "button", class: "quiet", onclick: () => set([]) }, say("clear"));
  const element = h("section", { class: "log", "aria-labelledby": "log-title" },
    h("header", {}, h("h2", { id: "log-title" }, say("log")), h("span", { class: "tools" }, save, clear)), empty, list);

  function draw() {
    empty.hidden = rolls.length > 0;
    save.hidden = clear.hidden = list.hidden = rolls.length === 0;
    list.replaceChildren(...rolls.map((roll) => h("li", {}, entry(roll, open))));
  }
  function set(/** @type {Roll[]} */ newer) {
    rolls = newer;
    device.set(NAME, rolls);
    draw();
  }
  function download() {
    const json = JSON.stringify({ service: document.baseURI.split("#")[0], rolls }, null, 1);
    const url = URL.createObjectURL(new Blob([json], { type: "application/json" }));
    h("a", { href: url, download: `wurf-${new Date().toISOString().slice(0, 10)}.json` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  }
  draw();
  return { element, add: (/** @type {Roll} */ roll) => set([roll, ...rolls].slice(0, KEPT)) };
}

/** @param {Roll} roll @param {(roll: Roll) => void} open */
function entry(roll, open) {
  const when = time(roll.at);
  const faces = roll.answer.faces ?? [];
  return h("button", { type: "button", "data-tone": roll.tone, onclick: () => open(roll), title: roll.answer.text },
    h("span", { class: "aside" }, say("log_open", { when, what: roll.name, label: roll.label })),
    h("span", { class: "seen", "aria-hidden": "true" }, h("span", {},
      faces.slice(0, 3).map((/** @type {number} */ face) => die(roll.answer.sides, face)),
      faces.length > 3 && h("i", {}, `+${faces.length - 3}`),
      h("span", { class: "label" }, roll.answer.outcome && sign(roll.tone), " ", roll.label)),
      h("small", {}, `${roll.name} · ${when}`)));
}
