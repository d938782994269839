/** Asking the service. */

import { setting } from "./settings.mjs";
import { language } from "./words.mjs";

/** Milliseconds after which a player has waited long enough, all tries together. */
const PATIENCE = 6000;
const PAUSE = 300;
const TRIES = 2;
/** What a proxy or a busy service says: nothing was rolled, or nobody has seen it. */
const NO_TIME = [502, 503, 504];

/** What the service refuses, with its problem document. */
export class Refusal extends Error {
  constructor(document) {
    super(document.detail);
    this.document = document;
  }
}

/** The service is away, or what answers is no Wurf service. */
export class Away extends Error {}

/**
 * Resolves an action. A request that says nothing of its dice gets a seed, so that a second try is the same roll.
 *
 * @param {string} ruleset
 * @param {string} action
 * @param {object} request
 * @param {boolean} dice whether the action throws dice
 * @throws {Refusal | Away}
 */
export async function resolve(ruleset, action, request, dice = true) {
  const named = request.seed ?? request.nonce ?? request.faces;
  const sent = dice && named === undefined ? { ...request, seed: freshSeed() } : request;
  return ask(`/v1/${ruleset}/${action}`, sent);
}

/**
 * Throws pools of plain dice in one call.
 *
 * @param {{ sides: number, count: number }[]} pools
 * @returns {Promise<{ faces: number[], seed: string }[]>} one for each pool
 * @throws {Refusal | Away}
 */
export async function throwDice(pools) {
  const items = pools.map((request) => ({ request }));
  const defaults = { ruleset: "dice", action: "roll" };
  const { results } = await ask("/v1/batch", { seed: freshSeed(), defaults, items });
  const refused = results.find(({ problem }) => problem);
  if (refused) throw new Refusal(refused.problem);
  return results.map(({ answer }) => answer);
}

/** All rulesets. */
export const rulesets = () => ask("/v1/rulesets");
/** A ruleset with its actions and its words in each language. */
export const ruleset = (id) => ask(`/v1/rulesets/${encodeURIComponent(id)}`);
/** The description of every request, by name. */
export const schemas = async () => (await ask("/openapi.json")).components.schemas;

/** Draws a seed of 128 bits. */
export function freshSeed() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function ask(path, body) {
  const url = `${setting("address").replace(/\/+$/, "")}${path}?lang=${language()}`;
  const apiKey = setting("apiKey");
  const request = {
    method: body ? "POST" : "GET",
    // As text, so that a browser asks no preflight; the service reads JSON whatever it is called.
    ...(body && { body: JSON.stringify(body) }),
    ...(apiKey && { headers: { Authorization: `Bearer ${apiKey}` } }),
    signal: AbortSignal.timeout(PATIENCE),
  };
  const answer = await answered(url, request);
  const document = await answer.json().catch(() => null);
  if (answer.ok && document) return document;
  if (document?.code && document.detail) throw new Refusal(document);
  throw new Away(`${setting("address")}: ${answer.status}`);
}

async function answered(url, request) {
  for (let tries = 1; ; tries++) {
    const answer = await fetch(url, request).catch((error) => error);
    const away = answer instanceof Error;
    if (!away && !NO_TIME.includes(answer.status)) return answer;
    if (tries === TRIES || request.signal.aborted) {
      if (away) throw new Away(`${setting("address")}: ${answer.message}`);
      return answer;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}
