// @ts-check
/** Dice as they lie on the table: drawn by their shape, with the face on top. */

import { h, svg } from "./dom.js";
import { number, say } from "./words.js";

/** More dice than this are counted, not drawn. */
const DRAWN = 40;

/** Outlines in a square of 48, and the lines by which one knows the solid. */
const SHAPES = /** @type {Record<number, { outline: string, edges?: string, middle?: number }>} */ ({
  2: { outline: "M24 4a20 20 0 1 1 0 40a20 20 0 1 1 0-40z", edges: "M24 8a16 16 0 1 1 0 32a16 16 0 1 1 0-32z" },
  4: { outline: "M24 4L45 42H3z", middle: 33 },
  6: { outline: "M11 5H37a6 6 0 0 1 6 6V37a6 6 0 0 1-6 6H11a6 6 0 0 1-6-6V11a6 6 0 0 1 6-6z" },
  8: { outline: "M24 3L44 24L24 45L4 24z", edges: "M4 24L24 33L44 24M24 33V45" , middle: 22 },
  10: { outline: "M24 3L45 21V28L24 45L3 28V21z", edges: "M24 3L13 26L24 33L35 26zM3 28L13 26M45 28L35 26M24 33V45", middle: 22 },
  12: { outline: "M24 3L38 7.500L46 19V31L38 41L24 45L10 41L2 31V19L10 7.500z", edges: "M24 12L36 21L31.500 35H16.500L12 21zM24 12V3M36 21L46 19M31.500 35L38 41M16.500 35L10 41M12 21L2 19" , middle: 25.500 },
  20: { outline: "M24 2L43.500 13V35L24 46L4.500 35V13z", edges: "M24 11L37.500 33H10.500zM24 11V2M24 11L43.500 13L37.500 33L43.500 35M24 11L4.500 13L10.500 33L4.500 35M37.500 33L24 46L10.500 33", middle: 27 },
});
const OTHER = { outline: "M16 3H32L45 16V32L32 45H16L3 32V16z" };
/** Where the pips of a six-sided die stand. */
const PIPS = /** @type {Record<number, number[][]>} */ ({
  1: [[24, 24]],
  2: [[15, 15], [33, 33]],
  3: [[14, 14], [24, 24], [34, 34]],
  4: [[15, 15], [33, 15], [15, 33], [33, 33]],
  5: [[14, 14], [34, 14], [24, 24], [14, 34], [34, 34]],
  6: [[15, 13], [33, 13], [15, 24], [33, 24], [15, 35], [33, 35]],
});

/** Draws one die. It says nothing by itself; a tray does. */
export function die(/** @type {number} */ sides, /** @type {number | string} */ face) {
  const shape = SHAPES[sides] ?? OTHER;
  const pips = sides === 6 && PIPS[Number(face)];
  return svg("svg", { class: "die", viewBox: "0 0 48 48", "aria-hidden": "true", focusable: "false", "data-face": face },
    svg("path", { class: "outline", d: shape.outline }),
    "edges" in shape && shape.edges && svg("path", { class: "edges", d: shape.edges }),
    pips
      ? pips.map(([cx, cy]) => svg("circle", { cx, cy, r: 4 }))
      : svg("text", { x: 24, y: ("middle" in shape && shape.middle) || 24, class: String(face).length > 2 ? "long" : null }, String(face)));
}

/** Draws all dice of a throw, and says them to whoever does not see them. */
export function tray(/** @type {number} */ sides, /** @type {number[]} */ faces) {
  if (faces.length === 0) return h("p", { class: "tray empty" }, say("no_dice"));
  const beyond = faces.length - DRAWN;
  return h("div", { class: `tray${faces.length > 8 ? " many" : ""}` },
    h("span", { class: "aside" }, `${say("dice")}: ${faces.join(", ")}`),
    faces.slice(0, DRAWN).map((face) => die(sides, face)),
    beyond > 0 && h("span", { class: "beyond" }, say("more_dice", { number: number(beyond) })));
}
