/** Foundry's own rolls with dice that the service throws: an entry in Foundry's dice configuration. */

import { throwDice } from "./service.mjs";
import { MODULE, setting } from "./settings.mjs";
import { ownWords } from "./words.mjs";

const FEWEST_SIDES = 2;
const MOST_SIDES = 256;
const MOST_DICE = 1000;

/**
 * The faces that are still to be handed out for a term; null where Foundry has to throw by itself.
 *
 * @type {WeakMap<object, number[] | null>}
 */
const pools = new WeakMap();

/** Offers the service's dice in Foundry's dice configuration, and makes them the default where that is set. */
export function registerFulfillment() {
  CONFIG.Dice.fulfillment.methods[MODULE] = {
    label: "WURF.Method",
    icon: '<i class="fa-solid fa-receipt"></i>',
    interactive: false,
    handler: nextResult,
  };
  if (setting("everyDie")) CONFIG.Dice.fulfillment.defaultMethod = MODULE;
}

/**
 * Gives one result for a term. Foundry asks for each die by itself; the first question fetches the dice of the
 * whole roll, the following ones are answered from what came.
 *
 * @param {foundry.dice.terms.DiceTerm} term
 * @returns {Promise<number | undefined>} undefined where Foundry has to throw by itself
 */
export async function nextResult(term) {
  if (!pools.has(term)) await fetchPools(waiting(term));
  // Dice beyond the pool: something exploded or is thrown again.
  else if (pools.get(term)?.length === 0) await fetchPools([term]);
  const face = pools.get(term)?.shift();
  return face === undefined ? undefined : landed(term, face);
}

/** The terms of the same roll that are to be thrown by the service and have not been. */
function waiting(term) {
  const others = (term._root?.dice ?? []).filter((other) => other !== term && !pools.has(other));
  return [term, ...others.filter((other) => isOurs(other) && missing(other))];
}

/** The dice that a term still lacks. */
function missing(term) {
  return Math.max(0, Math.abs(term.number) - term.results.length);
}

function isOurs(term) {
  const chosen = game.settings.get("core", "diceConfiguration") ?? {};
  return (chosen[term.denomination] || CONFIG.Dice.fulfillment.defaultMethod) === MODULE;
}

function canBeThrown(term) {
  return Number.isInteger(term.faces) && term.faces >= FEWEST_SIDES && term.faces <= MOST_SIDES
    && missing(term) <= MOST_DICE;
}

async function fetchPools(terms) {
  for (const term of terms) pools.set(term, null);
  const thrown = terms.filter(canBeThrown);
  if (thrown.length < terms.length) await warn("NoSuchDie", { sides: MOST_SIDES, dice: MOST_DICE });
  if (thrown.length === 0) return;
  try {
    const asked = thrown.map((term) => ({ sides: term.faces, count: missing(term) || 1 }));
    const answers = await throwDice(asked);
    answers.forEach(({ faces, seed }, place) => {
      pools.set(thrown[place], [...faces]);
      // Saved with the roll, so that anyone can work the faces out again.
      (thrown[place].options[MODULE] ??= { seeds: [] }).seeds.push(seed);
    });
  } catch (error) {
    await warn("FoundryThrows", { reason: error.message });
  }
}

/** Turns a face from 1 to n into the term's own result: coins and Fate dice do not count from 1. */
function landed(term, face) {
  return term.mapRandomFace((term.faces - face + 0.5) / term.faces);
}

async function warn(key, values) {
  const say = await ownWords();
  ui.notifications.warn(say(key, values));
}
