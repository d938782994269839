// @ts-check
/** The page: what is shown, what is asked, what was rolled. */

import { openapi, ruleset, rulesets } from "./catalog.js";
import { check, checkPasted } from "./check.js";
import { device, h, svg } from "./dom.js";
import { clearRefusals, makeForm, showRefusals } from "./form.js";
import { makeLog } from "./log.js";
import { fullName, inShort, makeOdds } from "./odds.js";
import { makeOrigin } from "./origin.js";
import { Refused, ask, atMostEvery, useKey } from "./service.js";
import { asCurl, asFragment, asJavaScript, asLink, copy, fromFragment, repeatable } from "./share.js";
import { drawSlip, slipText } from "./slip.js";
import { LANGUAGES, choose, inLanguage, language, nameOf, say, speak } from "./words.js";

/** @typedef {import("./catalog.js").Action} Action */

const ODDS_MILLISECONDS = 100;

/** What the page knows; everything on it can be drawn anew from this. */
const state = {
  /** @type {any[]} */
  rulesets: [],
  /** @type {any} */
  info: { features: [] },
  /** @type {any} the ruleset that is shown */
  ruleset: null,
  /** @type {any} */
  action: null,
  /** @type {{ request: any, odds: any } | null} a situation to compare with */
  pinned: null,
  /** @type {any} the last roll of this action */
  roll: null,
};

/** The parts of the page that change while it is used. @type {any} */
let parts = {};

// Starting

async function start() {
  const asked = new URLSearchParams(location.search).get("lang");
  speak(choose([asked, device.get("language"), ...navigator.languages]));
  drawShell();
  openapi().catch(() => null); // whoever needs it asks again, and sees what is wrong
  await guarded(async () => {
    [state.rulesets, state.info] = await Promise.all([rulesets(), ask("v1/info")]);
    await follow(location.hash);
  }, start);
}

/** Shows what a link asks for, or the first ruleset. */
async function follow(/** @type {string} */ fragment) {
  const link = fromFragment(fragment);
  const [id, name] = link?.action.split("/") ?? [];
  const entry = state.rulesets.find((one) => one.id === id) ?? state.rulesets[0];
  await open(entry, name, link?.request ?? null);
  if (link?.request && ["seed", "faces"].some((origin) => link.request[origin] !== undefined)) await roll({ focus: false });
}

/** Opens a ruleset with one of its actions, with the example filled in unless there is a request. */
async function open(/** @type {any} */ entry, /** @type {string | undefined} */ name = undefined, /** @type {any} */ request = null) {
  state.ruleset = await ruleset(entry.links.self);
  const action = state.ruleset.actions.find((/** @type {Action} */ one) => one.name === name) ?? state.ruleset.actions[0];
  openAction(action, request);
}

function openAction(/** @type {Action} */ action, /** @type {any} */ request = null) {
  Object.assign(state, { action, pinned: null, roll: null });
  if (!request) history.replaceState(null, "", `#${action.id}`);
  drawShell();
  // The example brings its dice along; whoever comes to roll wants others.
  const { seed, nonce, faces, ...situation } = request ?? action.exampleRequest();
  fill(situation, request ?? {});
}

function fill(/** @type {any} */ situation, /** @type {any} */ origin) {
  parts.form.fill(situation);
  parts.origin?.fill(origin);
  situationChanged();
}

// Drawing

/** Draws everything anew in the language that is spoken. */
function drawShell() {
  document.documentElement.lang = language();
  const { action } = state;
  document.title = action ? `${fullName(action)} · Wurf` : say("title");
  const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset.stay;
  parts = { status: h("p", { class: "aside", role: "status" }), notice: h("p", { class: "notice", role: "alert", hidden: true }) };
  const main = h("main", {}, action ? drawAction(action) : h("p", { class: "loading" }, say("loading")));
  document.body.replaceChildren(
    h("a", { class: "skip", href: "#slip" }, say("skip")),
    drawHeader(), drawKey(), main, parts.status, ...(action ? [drawLog(), drawChecker(), drawFooter()] : []));
  if (focused) /** @type {any} */ (document.querySelector(`[data-stay="${CSS.escape(focused)}"]`))?.focus();
  const tab = /** @type {any} */ (document.querySelector(".rulesets [aria-current]"));
  if (tab) tab.closest("ul").scrollLeft = tab.offsetLeft - 60;
}

function drawHeader() {
  const languages = LANGUAGES.map((one) =>
    h("button", { type: "button", lang: one, "data-stay": one, title: nameOf(one), "aria-pressed": String(one === language()), onclick: () => switchLanguage(one) }, one.toUpperCase()));
  const theme = h("button", { type: "button", class: "theme", "aria-label": say("theme"), title: say("theme"), onclick: switchTheme },
    svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("circle", { cx: 12, cy: 12, r: 9 }), svg("path", { d: "M12 3a9 9 0 0 1 0 18z" })));
  return h("header", { class: "top" },
    h("p", { class: "brand" }, h("a", { href: "./" }, brand(), "Wurf"), h("span", {}, say("tagline"))),
    h("nav", { class: "rulesets", "aria-label": say("rulesets") }, h("ul", {}, state.rulesets.map((entry) => h("li", {}, drawTab(entry))))),
    h("div", { class: "switches" }, h("span", { role: "group", "aria-label": LANGUAGES.map(nameOf).join(", ") }, languages), theme));
}

function brand() {
  return svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: "M12 1l9.500 5.500v11L12 23l-9.500-5.500v-11z" }), svg("path", { class: "inner", d: "M12 6l5.500 9.500h-11z" }));
}

function drawTab(/** @type {any} */ entry) {
  const current = entry.id === state.ruleset?.id;
  return h("button", { type: "button", "data-stay": entry.id, "aria-current": current ? "true" : null, onclick: () => guarded(() => open(entry)) }, shortName(inLanguage(entry.name)));
}

/** A name without what stands in brackets behind it. */
function shortName(/** @type {string} */ name) {
  return name.replace(/\s*\(.*\)$/, "");
}

function drawAction(/** @type {Action} */ action) {
  const form = (parts.form = makeForm(action, situationChanged));
  const origin = action.dice ? makeOrigin({ nonces: state.info.features.includes("nonces"), changed: situationChanged }) : null;
  parts.origin = origin;
  parts.brief = h("span", { class: "brief" });
  const button = h("button", { type: "submit", class: "roll" }, h("span", {}, say(action.dice ? "roll" : "reckon")), parts.brief);
  parts.situation = h("form", { class: "situation", id: "situation", novalidate: true, "aria-labelledby": "situation-title", onsubmit: submit, onkeydown: rollOnEnter },
    h("header", {}, h("h2", { id: "situation-title" }, say("situation")), h("button", { type: "button", class: "quiet", "data-stay": "example", onclick: () => openAction(action) }, say("example"))),
    drawActions(), form.element, origin?.element, h("div", { class: "rollbar" }, parts.notice, button));
  parts.slip = h("section", { class: "slip", id: "slip", "aria-labelledby": "slip-title" }, h("h2", { id: "slip-title" }, say("slip")), drawEmptySlip());
  return [
    h("h1", {}, inLanguage(state.ruleset.name)), h("p", { class: "summary" }, inLanguage(state.ruleset.summary)),
    h("div", { class: action.odds ? "columns three" : "columns" }, parts.situation, action.odds && drawChances(action), parts.slip),
  ];
}

/** The actions of a ruleset, where there are several. */
function drawActions() {
  const { actions } = state.ruleset;
  if (actions.length < 2) return null;
  return h("nav", { class: "actions", "aria-label": say("actions") }, actions.map((/** @type {Action} */ one) =>
    h("button", { type: "button", "data-stay": one.id, "aria-current": one === state.action ? "true" : null, onclick: () => openAction(one) }, inLanguage(one.label))));
}

function drawChances(/** @type {Action} */ action) {
  parts.odds = makeOdds(action, {
    remember: () => pin({ request: parts.form.get(), odds: parts.drawn }),
    forget: () => pin(null),
    restore: () => fill(state.pinned?.request, parts.origin?.get() ?? {}),
  });
  return h("section", { class: "chances", "aria-labelledby": "chances-title" }, h("h2", { id: "chances-title" }, say("chances")), parts.odds.element);
}

function drawEmptySlip() {
  return h("div", { class: "paper blank" }, h("p", { class: "shop", "aria-hidden": "true" }, "Wurf"), h("p", {}, say("slip_empty")),
    h("div", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i"), h("i")));
}

function drawLog() {
  parts.log = makeLog((roll) => guarded(() => reopen(roll)));
  return parts.log.element;
}

function drawFooter() {
  return h("footer", {}, h("a", { href: "docs" }, say("interface")), h("button", { type: "button", class: "quiet", onclick: () => parts.checker.showModal() }, say("check")),
    h("span", {}, `Wurf ${state.info.version ?? ""}`), state.info.contact && h("span", {}, state.info.contact));
}

// Chances while typing

/** Asks for the chances of what stands in the form, and how many dice it needs. */
const askAbout = atMostEvery(ODDS_MILLISECONDS, () => {
  void askOdds();
  void askFaces();
});

function situationChanged() {
  parts.notice.hidden = true;
  askAbout();
}

let asking = 0;

async function askOdds() {
  const { action } = state;
  if (!action?.odds) return;
  const turn = ++asking;
  const mine = parts;
  try {
    const odds = await ask(action.odds, parts.form.get());
    // An answer that comes late belongs to a situation that is no more.
    if (turn !== asking || mine !== parts) return;
    clearRefusals(parts.situation);
    parts.drawn = odds;
    drawOdds();
  } catch (error) {
    if (turn !== asking || mine !== parts) return;
    parts.odds.outdated();
    explain(error);
    // A service that is asked too much says when it will answer again.
    if (error instanceof Refused && error.wait) setTimeout(() => turn === asking && situationChanged(), error.wait * 1000);
  }
}

function drawOdds() {
  if (!parts.drawn) return;
  parts.odds.draw(parts.drawn, state.pinned?.odds ?? null, state.roll?.answer ?? null);
  parts.brief.textContent = inShort(state.action, parts.drawn);
}

function pin(/** @type {any} */ situation) {
  if (situation && !situation.odds) return;
  state.pinned = situation;
  drawOdds();
}

/**
 * Asks how many dice the rule needs by giving it those that there are. A batch of one answers that as a result,
 * where the action itself would refuse.
 */
async function askFaces() {
  if (!parts.origin?.byFaces()) return;
  const { action } = state;
  const { faces } = parts.origin.get();
  const mine = parts;
  const item = { ruleset: action.ruleset, action: action.name, request: { ...parts.form.get(), faces } };
  const [{ answer, problem }] = (await ask("v1/batch", { items: [item] }).catch(() => ({ results: [{}] }))).results;
  if (mine !== parts) return;
  if (answer) parts.origin.need({ given: faces.length, needed: faces.length, sides: answer.sides });
  if (problem?.code === "faces_count") parts.origin.need({ given: faces.length, needed: problem.needed, sides: problem.sides });
}

// Rolling

function submit(/** @type {Event} */ event) {
  event.preventDefault();
  void guarded(() => roll({ focus: true }));
}

/** Enter rolls, also from a list or a switch, which do not submit by themselves. */
function rollOnEnter(/** @type {KeyboardEvent} */ event) {
  if (event.key !== "Enter" || !(/** @type {Element} */ (event.target).matches("select, input"))) return;
  event.preventDefault();
  parts.situation.requestSubmit();
}

async function roll({ focus = true }) {
  const { action } = state;
  const request = parts.form.get();
  const origin = parts.origin?.get() ?? {};
  const signed = action.dice && state.info.features.includes("receipts");
  const mine = parts;
  parts.situation.setAttribute("aria-busy", "true");
  try {
    const answer = await ask(signed ? `${action.self}?receipt=true` : action.self, { ...request, ...origin });
    if (mine !== parts) return;
    clearRefusals(parts.situation);
    const made = { at: new Date().toISOString(), action: action.id, name: fullName(action), tone: action.tone(answer.outcome), request, answer };
    const label = showRoll(made, { focus });
    parts.log.add({ ...made, label });
  } catch (error) {
    if (mine === parts) explain(error, { focus });
  } finally {
    mine.situation.removeAttribute("aria-busy");
  }
}

/** Shows a roll of the action that is open. Returns what it says in one word. */
function showRoll(/** @type {any} */ roll, { focus = true }) {
  state.roll = roll;
  const { element, verdict } = drawSlip(state.action, roll);
  const foot = drawFoot(roll);
  element.append(foot.element);
  parts.slip.replaceChildren(h("h2", { id: "slip-title" }, say("slip")), element, drawCopying(roll));
  parts.status.textContent = roll.answer.text;
  drawOdds();
  if (focus) verdict.focus();
  void prove(roll, foot);
  return verdict.textContent;
}

/** What makes a roll checkable, at the foot of the slip. */
function drawFoot(/** @type {any} */ { answer }) {
  const proof = h("ul", { class: "proof" }, h("li", { "data-state": "waiting" }, say("checking")));
  const seed = answer.seed !== null && answer.seed !== undefined && h("p", { class: "seed" }, h("span", {}, say("seed_line")), " ", h("code", {}, answer.seed));
  const source = answer.source && h("p", {}, say(`source_${answer.source}`));
  return { proof, element: h("footer", {}, seed, source, proof) };
}

/** Derives the faces again, asks for the verdict again, and says how that went. */
async function prove(/** @type {any} */ { request, answer }, /** @type {any} */ { proof }) {
  const { faces, verdict } = await check(state.action.self, request, answer);
  const faceStates = /** @type {Record<string, string>} */ ({ hold: "holds", fail: "fails", given: "open", unable: "open" });
  const verdictStates = { holds: "holds", fails: "fails", unknown: "open" };
  const told = verdict === "holds" && !answer.faces?.length ? "verdict_holds_plain" : `verdict_${verdict}`;
  const items = [[verdictStates[verdict], say(told)]];
  if (faces !== "none") items.unshift([faceStates[faces], say(`faces_${faces}`)]);
  const states = items.map(([one]) => one);
  const all = states.includes("fails") ? "fails" : faces === "hold" ? "holds" : "open";
  proof.dataset.state = all;
  const badge = all === "open" ? null : h("li", { class: "badge", "data-state": all }, h("strong", {}, all === "holds" ? `✓ ${say("checked")}` : `✗ ${say("failed")}`));
  proof.replaceChildren(...(badge ? [badge] : []), ...items.map(([one, text]) => h("li", { "data-state": one }, text)));
}

function drawCopying(/** @type {any} */ roll) {
  const { action } = state;
  const request = repeatable(roll.request, roll.answer);
  const kinds = [
    ["curl", () => asCurl(action.self, request, language())],
    ["JavaScript", () => asJavaScript(action.self, request, language())],
    [say("copy_link"), () => asLink(action.id, request)],
    [say("copy_text"), () => slipText(action, roll)],
    ...(roll.answer.receipt ? [[say("copy_receipt"), () => roll.answer.receipt]] : []),
  ];
  return h("div", { class: "copying" }, h("span", {}, say("copy")),
    kinds.map(([name, make]) => h("button", { type: "button", onclick: async () => {
      await copy(make());
      parts.status.textContent = say("copied", { what: name });
      toast(say("copied", { what: name }));
    } }, name)),
    h("button", { type: "button", onclick: () => print() }, say("print")));
}

/** Shows a roll of the log again, with its situation. */
async function reopen(/** @type {any} */ roll) {
  const [id, name] = roll.action.split("/");
  const entry = state.rulesets.find((one) => one.id === id);
  if (!entry) return;
  if (state.action.id !== roll.action) await open(entry, name, roll.request);
  else fill(roll.request, {});
  showRoll(roll, { focus: true });
}

/** Says for a moment that something was done. */
function toast(/** @type {string} */ text) {
  document.querySelector(".toast")?.remove();
  const note = h("p", { class: "toast", "aria-hidden": "true" }, text);
  document.body.append(note);
  setTimeout(() => note.remove(), 1800);
}

// When something is wrong

/** Does something and shows what went wrong, with a way to try again. */
async function guarded(/** @type {() => Promise<any>} */ work, /** @type {(() => any) | null} */ again = null) {
  try {
    await work();
  } catch (error) {
    explain(error, { again });
  }
}

/** Shows a refusal at its fields, and what is about no field beside the button. */
function explain(/** @type {any} */ error, { focus = false, again = /** @type {any} */ (null) } = {}) {
  if (error.name === "AbortError") return;
  const problem = error instanceof Refused ? error.problem : { detail: say("offline") };
  if (problem.status === 401 || problem.status === 403) parts.key.hidden = false;
  const wrong = problem.errors && parts.situation ? showRefusals(parts.situation, problem.errors) : undefined;
  if (focus) (wrong ?? parts.key.querySelector("input:not([hidden])"))?.focus();
  if (!problem.errors || focus) notify(problem.errors ? say("problem_here") : problem.detail, again);
}

function notify(/** @type {string} */ text, /** @type {(() => any) | null} */ again) {
  if (!parts.notice.isConnected) document.querySelector("main")?.prepend(parts.notice);
  parts.notice.replaceChildren(text, ...(again ? [" ", h("button", { type: "button", onclick: again }, say("retry"))] : []));
  parts.notice.hidden = false;
}

function drawKey() {
  const input = h("input", { id: "key", type: "password", autocomplete: "off" });
  parts.key = h("form", { class: "key", hidden: true, onsubmit: (/** @type {Event} */ event) => {
    event.preventDefault();
    useKey(input.value);
    parts.key.hidden = true;
    if (state.action) situationChanged();
    else void start();
  } }, h("h2", {}, say("key")), h("label", { for: "key" }, say("key_label")), input, h("button", { type: "submit" }, say("key_go")), h("p", { class: "help" }, say("key_hint")));
  return parts.key;
}

// Checking any roll

function drawChecker() {
  const area = h("textarea", { id: "pasted", rows: 6, spellcheck: "false" });
  const results = h("ul", { class: "proof", "aria-live": "polite" });
  const run = async () => results.replaceChildren(...drawChecked(await checkPasted(area.value)));
  parts.checker = h("dialog", { class: "checker", "aria-labelledby": "checker-title" },
    h("h2", { id: "checker-title" }, say("check")), h("p", {}, say("check_hint")),
    h("label", { for: "pasted" }, say("check_label")), area,
    h("div", { class: "tools" }, h("button", { type: "button", onclick: () => guarded(run) }, say("check_go")),
      h("button", { type: "button", class: "quiet", onclick: () => parts.checker.close() }, say("close"))),
    results);
  return parts.checker;
}

function drawChecked(/** @type {any[] | null} */ found) {
  if (found === null) return [h("li", { "data-state": "fails" }, say("check_unreadable"))];
  if (found.length === 0) return [h("li", { "data-state": "open" }, say("check_nothing"))];
  return found.map(({ name, faces, signature }) => {
    const fails = faces === "fail" || (signature && signature !== "valid");
    const told = [signature && say(`signature_${signature}`), faces !== "none" && say(`faces_${faces}`)].filter(Boolean).join(" ");
    return h("li", { "data-state": fails ? "fails" : faces === "hold" ? "holds" : "open" }, h("b", {}, name), " ", told);
  });
}

// Language and theme

/** Says everything in another language; what is filled in and what was rolled stays. */
async function switchLanguage(/** @type {any} */ wanted) {
  const [situation, origin, { pinned, roll }] = [parts.form?.get(), parts.origin?.get() ?? {}, state];
  speak(wanted);
  device.set("language", wanted);
  drawShell();
  if (state.action) {
    state.pinned = pinned;
    fill(situation, origin);
    if (roll) await guarded(async () => showRoll({ ...roll, answer: await inThisLanguage(roll) }, { focus: false }));
  }
}

/** The same roll in the words of the language that is spoken now; where it came from stays as it was. */
async function inThisLanguage(/** @type {any} */ { request, answer }) {
  const again = await ask(state.action.self, repeatable(request, answer));
  return { ...answer, label: again.label, text: again.text };
}

function switchTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  device.set("theme", root.dataset.theme);
}

addEventListener("hashchange", () => {
  if (location.hash !== "#slip" && fromFragment(location.hash)) void guarded(() => follow(location.hash));
});
// Enter rolls again where nothing else takes it, such as on the verdict.
addEventListener("keydown", (event) => {
  const at = /** @type {Element} */ (event.target);
  if (event.key === "Enter" && !event.defaultPrevented && !at.closest("a, button, input, select, textarea, summary, dialog")) {
    event.preventDefault();
    parts.situation?.requestSubmit();
  }
});

void start();
