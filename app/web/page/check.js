// @ts-check
/** Checking a roll: its faces derived again from the seed here, its verdict asked for again with these faces. */

import { checkReceipt, checkRoll } from "../verify.mjs";
import { ask } from "./service.js";

/** What may differ between an answer and the same roll read again from its faces. */
const FREE = ["seed", "source", "stream", "ref", "text", "label", "odds", "receipt"];

/**
 * @typedef {object} Checked
 * @property {"hold" | "fail" | "given" | "unable" | "none"} faces whether they follow from the seed
 * @property {"holds" | "fails" | "unknown"} verdict whether the service reads these faces the same way again
 */

/**
 * Checks a roll.
 *
 * @param {string} self where its action is asked
 * @param {any} request without what says where faces come from
 * @param {any} answer
 * @returns {Promise<Checked>}
 */
export async function check(self, request, answer) {
  const [faces, verdict] = await Promise.all([checkFaces(answer), checkVerdict(self, request, answer)]);
  return { faces, verdict };
}

/** @param {any} answer @returns {Promise<Checked["faces"]>} */
export async function checkFaces(answer) {
  if (answer.source === undefined || answer.source === "no_dice") return "none";
  if (globalThis.crypto?.subtle === undefined) return "unable";
  const follows = await checkRoll(answer);
  return follows === null ? "given" : follows ? "hold" : "fail";
}

/** @returns {Promise<Checked["verdict"]>} */
async function checkVerdict(/** @type {string} */ self, /** @type {any} */ request, /** @type {any} */ answer) {
  try {
    const dice = answer.faces === undefined ? {} : { faces: answer.faces };
    return same(await ask(self, { ...request, ...dice }), answer) ? "holds" : "fails";
  } catch {
    return "unknown";
  }
}

/** Whether two answers say the same of a roll. @param {any} again @param {any} answer */
function same(again, answer) {
  const facts = (/** @type {any} */ one) => JSON.stringify(Object.entries(one).filter(([name]) => !FREE.includes(name)));
  return facts(again) === facts(answer);
}

/**
 * Checks whatever somebody pasted: an answer, a list or a log of them, or a signed receipt.
 *
 * @param {string} pasted
 * @returns {Promise<{ name: string, faces: Checked["faces"], signature?: string }[] | null>} null where it is neither
 */
export async function checkPasted(pasted) {
  const text = pasted.trim();
  if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)) return [await checkToken(text)];
  try {
    const answers = answersIn(JSON.parse(text));
    return await Promise.all(answers.map(async (answer) => ({ name: nameOf(answer), faces: await checkFaces(answer) })));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

async function checkToken(/** @type {string} */ token) {
  const { signature, faces, payload } = await checkReceipt(token, await ask(".well-known/jwks.json"));
  const held = { same: "hold", different: "fail" };
  const result = /** @type {Checked["faces"]} */ (faces === null ? (payload ? "given" : "none") : held[faces]);
  return { name: payload ? nameOf(payload.answer) : "", faces: result, signature };
}

/** Finds the answers in what a client, a batch or this page's log has kept. @returns {any[]} */
function answersIn(/** @type {any} */ value) {
  if (Array.isArray(value)) return value.flatMap(answersIn);
  if (typeof value !== "object" || value === null) return [];
  if ("faces" in value && "source" in value) return [value];
  return answersIn(value.answer ?? value.rolls ?? value.results ?? null);
}

function nameOf(/** @type {any} */ answer) {
  return [answer.ruleset, answer.action, answer.label ?? answer.outcome, answer.faces?.join(" ")].filter(Boolean).join(" · ");
}
