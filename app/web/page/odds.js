// @ts-check
/** The chances of a situation: a bar of outcomes, a histogram of the number that the game cares about, and both exactly. */

import { h, svg } from "./dom.js";
import { sign } from "./slip.js";
import { inLanguage, number, percent, say, signed } from "./words.js";

/** @typedef {import("./catalog.js").Action} Action */

/** What all odds have; whatever else they hold is shown as a table. */
const KNOWN = ["ruleset", "action", "rules_version", "outcomes", "success", "quantity", "distribution", "mean", "remainder"];
/** A table of so many rows stands open; a longer one folds. */
const OPEN_ROWS = 8;
const WIDTH = 320;
const HEIGHT = 96;

/**
 * Makes the panel of chances. It is drawn again and again while somebody types, so the parts that can be pressed
 * or unfolded stay the same elements.
 *
 * @param {Action} action
 * @param {{ remember: () => void, forget: () => void, restore: () => void }} when
 */
export function makeOdds(action, when) {
  const headline = h("div", { class: "headline" });
  const bars = h("div", { class: "bars" });
  const outcomes = h("div", { class: "outcomes" });
  const histogram = h("figure", { class: "histogram" });
  const values = folded(say("all_values"));
  const tables = h("div", { class: "further" });
  const exact = h("input", { type: "checkbox", onchange: () => (element.dataset.exact = String(exact.checked)) });
  const remember = h("button", { type: "button", class: "quiet remember", onclick: when.remember }, say("remember"));
  const back = h("button", { type: "button", class: "quiet", hidden: true, onclick: when.restore }, say("restore"));
  const forget = h("button", { type: "button", class: "quiet", hidden: true, onclick: when.forget }, say("forget"));
  const stale = h("p", { class: "stale", hidden: true }, say("chances_stale"));
  const element = h("div", { class: "odds", "data-exact": "false" },
    headline, stale, bars, outcomes,
    h("div", { class: "tools" }, remember, back, forget, h("label", { class: "exactly" }, exact, h("span", {}, say("fractions")))),
    histogram, values.element, tables);

  return {
    element,
    /**
     * @param {any} odds
     * @param {any} pinned the odds of the situation that is remembered, or null
     * @param {any} answer the last roll of this action, or null
     */
    draw(odds, pinned, answer) {
      delete element.dataset.stale;
      stale.hidden = true;
      back.hidden = forget.hidden = !pinned;
      headline.replaceChildren(...drawHeadline(action, odds, pinned));
      drawBars(bars, action, odds, pinned, answer);
      outcomes.replaceChildren(...drawOutcomes(action, odds, pinned, answer));
      const label = odds.quantity && action.answerLabel(odds.quantity);
      histogram.hidden = values.element.hidden = odds.distribution.length === 0;
      if (!histogram.hidden) {
        const rolled = rolledValue(answer, odds.quantity);
        histogram.replaceChildren(...drawHistogram(label, odds, pinned, rolled));
        values.body.replaceChildren(drawValues(label, odds));
      }
      const unfolded = tables.querySelector("details")?.open ?? false;
      tables.replaceChildren(...drawFurther(action, odds));
      for (const details of tables.querySelectorAll("details")) details.open = unfolded;
    },
    /** Says that what is drawn belongs to an earlier situation. */
    outdated() {
      element.dataset.stale = "true";
      stale.hidden = false;
    },
  };
}

function folded(/** @type {string} */ title) {
  const body = h("div", { class: "unfolded" });
  return { body, element: h("details", { class: "values" }, h("summary", {}, title), body) };
}

/** The number that the last roll came to, where the answer has it. @returns {number | null} */
function rolledValue(/** @type {any} */ answer, /** @type {string | null} */ quantity) {
  const value = quantity === null ? null : answer?.[quantity];
  return typeof value === "number" ? value : null;
}

/** What the panel says first: the chance of success, else that of the first outcome, else the mean. */
function first(/** @type {Action} */ action, /** @type {any} */ odds) {
  if (odds.success) return { name: say("success"), value: odds.success.probability, chance: true };
  const [outcome] = odds.outcomes;
  if (outcome) return { name: action.outcomeLabel(outcome.outcome), value: outcome.probability, chance: true };
  const name = odds.quantity ? action.answerLabel(odds.quantity) : "";
  return { name, value: odds.mean?.value ?? 0, chance: false };
}

function drawHeadline(/** @type {Action} */ action, /** @type {any} */ odds, /** @type {any} */ pinned) {
  const now = first(action, odds);
  const write = (/** @type {number} */ value) => (now.chance ? percent(value) : number(value));
  const parts = [h("p", { class: "big" }, h("strong", { "data-headline": now.value }, write(now.value)), " ", h("span", {}, now.name))];
  if (!pinned) return parts;
  const before = first(action, pinned).value;
  const change = now.chance ? signed((now.value - before) * 100, 1) : signed(now.value - before);
  const how = now.value > before ? "up" : now.value < before ? "down" : "even";
  parts.push(h("p", { class: "compared", "data-change": how }, say("compare", { before: write(before), now: write(now.value), change })));
  return parts;
}

/** One bar for now, and above it a thinner one for what is remembered. */
function drawBars(/** @type {HTMLElement} */ bars, /** @type {Action} */ action, /** @type {any} */ odds, /** @type {any} */ pinned, /** @type {any} */ answer) {
  bars.hidden = odds.outcomes.length === 0;
  const wanted = [...(pinned ? [["pinned", pinned]] : []), ["now", odds]];
  for (const bar of [...bars.children]) {
    if (!wanted.some(([name]) => bar.classList.contains(name))) bar.remove();
  }
  for (const [name, shown] of wanted) {
    const found = bars.querySelector(`.${name}`);
    const bar = found ?? h("div", { class: `bar ${name}`, "aria-hidden": "true" }, shown.outcomes.map(() => h("span", {}, h("b"))));
    if (!found) bars.insertBefore(bar, name === "pinned" ? bars.firstChild : null);
    shown.outcomes.forEach((/** @type {any} */ one, /** @type {number} */ place) => {
      const segment = /** @type {HTMLElement} */ (bar.children[place]);
      segment.style.flexGrow = String(one.probability);
      segment.dataset.tone = String(action.tone(one.outcome));
      segment.dataset.place = String(place);
      segment.hidden = one.probability === 0;
      segment.dataset.rolled = String(name === "now" && answer?.outcome === one.outcome);
      const label = action.outcomeLabel(one.outcome);
      segment.children[0].textContent = name === "now" && fits(label, one.probability) ? label : "";
    });
  }
}

/** Whether a name fits on two lines into its share of a bar as narrow as bars get. */
function fits(/** @type {string} */ label, /** @type {number} */ share) {
  const letters = Math.max(...label.split(" ").map((word) => word.length), Math.ceil(label.length / 2) + 1);
  return share * 265 >= letters * 7 + 16;
}

function drawOutcomes(/** @type {Action} */ action, /** @type {any} */ odds, /** @type {any} */ pinned, /** @type {any} */ answer) {
  if (odds.outcomes.length === 0) return [];
  const head = [h("th", { scope: "col", colspan: 2 }, say("outcome")), h("th", { scope: "col" }, say("chance"))];
  if (pinned) head.push(h("th", { scope: "col" }, say("remembered")), h("th", { scope: "col" }, say("difference")));
  const rows = odds.outcomes.map((/** @type {any} */ one, /** @type {number} */ place) => {
    const before = pinned?.outcomes[place]?.probability;
    return h("tr", { "data-outcome": one.outcome, "data-tone": action.tone(one.outcome), "data-place": place },
      h("td", { class: "key" }, sign(action.tone(one.outcome))),
      h("th", { scope: "row" }, action.outcomeLabel(one.outcome), answer?.outcome === one.outcome && h("small", {}, ` ◂ ${say("this_roll")}`)),
      h("td", { class: "chance" }, h("span", {}, percent(one.probability)), h("small", { class: one.exact.length > 12 ? "exact long" : "exact" }, one.exact)),
      pinned && h("td", {}, percent(before)),
      pinned && h("td", {}, signed((one.probability - before) * 100, 1)));
  });
  return [h("table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows))];
}

/**
 * @param {string} label
 * @param {any} odds
 * @param {any} pinned
 * @param {number | null} rolled
 */
function drawHistogram(label, odds, pinned, rolled) {
  const before = pinned?.quantity === odds.quantity ? pinned.distribution : [];
  const all = [...odds.distribution, ...before];
  const lowest = Math.min(...all.map((one) => one.value));
  const highest = Math.max(...all.map((one) => one.value));
  const top = Math.max(...all.map((one) => one.probability));
  const step = WIDTH / (highest - lowest + 1);
  const gap = step > 5 ? 1.5 : step > 2.5 ? 0.75 : 0;
  const bar = (/** @type {any} */ one, /** @type {string} */ kind) => {
    const height = Math.max((one.probability / top) * HEIGHT, 0.75);
    return svg("rect", { class: kind, x: (one.value - lowest) * step + gap / 2, y: HEIGHT - height, width: step - gap, height });
  };
  const readout = h("figcaption", {});
  const rest = () => {
    const told = odds.mean ? [say("mean", { value: number(odds.mean.value) })] : [];
    if (rolled !== null) told.push(say("rolled_here", { value: number(rolled) }));
    readout.textContent = told.join(" · ");
  };
  rest();
  const chart = svg("svg", { viewBox: `-6 -4 ${WIDTH + 12} ${HEIGHT + 22}`, role: "img", "aria-label": `${say("distribution", { what: label })}. ${readout.textContent}`,
    onpointermove: (/** @type {PointerEvent} */ event) => read(event), onpointerdown: (/** @type {PointerEvent} */ event) => read(event), onpointerleave: rest },
    odds.distribution.map((/** @type {any} */ one) => bar(one, one.value === rolled ? "rolled" : "value")),
    before.length > 0 && svg("path", { class: "before", d: outline(before, lowest, step, top) }),
    svg("line", { class: "ground", x1: 0, x2: WIDTH, y1: HEIGHT + 0.5, y2: HEIGHT + 0.5 }),
    odds.mean && svg("path", { class: "mean", d: `M${(odds.mean.value - lowest + 0.5) * step} ${HEIGHT + 1}l3.500 5h-7z` }),
    ticks(lowest, highest).map((value) => svg("text", { x: (value - lowest + 0.5) * step, y: HEIGHT + 16 }, number(value))));
  function read(/** @type {PointerEvent} */ event) {
    const box = chart.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * (WIDTH + 12) - 6;
    const value = Math.min(Math.max(lowest + Math.floor(x / step), lowest), highest);
    const chance = odds.distribution.find((/** @type {any} */ one) => one.value === value)?.probability ?? 0;
    readout.textContent = say("read_value", { value: number(value), chance: percent(chance), least: percent(atLeast(odds, value)) });
  }
  return [h("p", { class: "caption" }, label), chart, readout];
}

/** The upper edge of a histogram, for one that lies over another. */
function outline(/** @type {any[]} */ distribution, /** @type {number} */ lowest, /** @type {number} */ step, /** @type {number} */ top) {
  const edge = distribution.map(({ value, probability }, place) => {
    const x = (value - lowest) * step;
    const apart = distribution[place - 1]?.value !== value - 1;
    return `${apart ? `${place ? `V${HEIGHT}` : ""}M${x} ${HEIGHT}` : ""}V${HEIGHT - (probability / top) * HEIGHT}H${x + step}`;
  });
  return `${edge.join("")}V${HEIGHT}`;
}

/** The chance of a value or more. */
function atLeast(/** @type {any} */ odds, /** @type {number} */ value) {
  const sum = odds.distribution.reduce((/** @type {number} */ total, /** @type {any} */ one) => total + (one.value >= value ? one.probability : 0), 0);
  return Math.min(sum + (odds.remainder?.probability ?? 0), 1);
}

/** Some round numbers along an axis. */
function ticks(/** @type {number} */ lowest, /** @type {number} */ highest) {
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find((one) => (highest - lowest) / one <= 11) ?? 10_000;
  const found = [];
  for (let value = Math.ceil(lowest / step) * step; value <= highest; value += step) found.push(value);
  return found;
}

/** The histogram as a table, for whoever wants a number or does not see the picture. */
function drawValues(/** @type {string} */ label, /** @type {any} */ odds) {
  const rest = odds.remainder && h("tr", {}, h("th", { scope: "row" }, say("rest")), h("td", {}, percent(odds.remainder.probability)), h("td"), h("td", { class: "exact" }, odds.remainder.exact));
  return h("table", {}, h("caption", { class: "aside" }, say("distribution", { what: label })),
    h("thead", {}, h("tr", {}, [label, say("chance"), say("at_least")].map((one) => h("th", { scope: "col" }, one)), h("th", { scope: "col", class: "exact" }, say("exact")))),
    h("tbody", {}, odds.distribution.map((/** @type {any} */ one) => h("tr", { "data-value": one.value },
      h("th", { scope: "row" }, number(one.value)), h("td", {}, percent(one.probability)), h("td", {}, percent(atLeast(odds, one.value))), h("td", { class: "exact" }, one.exact))), rest));
}

/** Whatever an action's odds hold beside what all odds hold: lists of rows. */
function drawFurther(/** @type {Action} */ action, /** @type {any} */ odds) {
  const lists = Object.entries(odds).filter(([name, value]) => !KNOWN.includes(name) && Array.isArray(value) && value.length);
  return lists.map(([name, rows]) => {
    const columns = Object.keys(rows[0]).sort((a, b) => Number(isChance(a)) - Number(isChance(b)));
    const heads = columns.map((column) => h("th", { scope: "col", class: column === "exact" ? "exact" : null },
      column === "probability" ? say("chance") : column === "exact" ? say("exact") : action.answerLabel(`${name}.${column}`)));
    const cell = (/** @type {any} */ row, /** @type {string} */ column) => {
      const value = row[column];
      if (column === "probability") return percent(value);
      if (column === "exact") return value;
      if (value === null) return "–";
      return typeof value === "number" ? number(value) : action.word(value);
    };
    const body = rows.map((/** @type {any} */ row) => h("tr", {}, columns.map((column, place) =>
      h(place ? "td" : "th", { scope: place ? null : "row", class: column === "exact" ? "exact" : null }, cell(row, column)))));
    const title = action.answerLabel(name);
    const table = h("table", {}, h("caption", { class: rows.length > OPEN_ROWS ? "aside" : null }, title), h("thead", {}, h("tr", {}, heads)), h("tbody", {}, body));
    return rows.length > OPEN_ROWS ? h("details", { class: "values" }, h("summary", {}, title), h("div", { class: "unfolded" }, table)) : table;
  });
}

function isChance(/** @type {string} */ column) {
  return column === "probability" || column === "exact";
}

/** The chance in a few letters, for the button at the thumb. */
export function inShort(/** @type {Action} */ action, /** @type {any} */ odds) {
  const { name, value, chance } = first(action, odds);
  return `${chance ? percent(value) : number(value)} ${name}`;
}

/** Names an action in full. */
export function fullName(/** @type {Action} */ action) {
  return `${inLanguage(action.rulesetName)}, ${inLanguage(action.label)}`;
}
