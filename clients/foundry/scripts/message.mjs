/** Chat messages with rolls that carry the faces which the service threw. */

import { receipt } from "./receipt.mjs";
import { MODULE } from "./settings.mjs";
import { ownWords, wordsOf } from "./words.mjs";

/**
 * Writes an answer into the chat. Who may see it follows the mode that the player has chosen there.
 *
 * @param {object} card the ruleset, as the catalog has it
 * @param {object} action the action, as the ruleset has it
 * @param {object} answer
 * @param {object} speaker
 */
export async function post(card, action, answer, speaker) {
  const words = wordsOf(card, action, await ownWords());
  const roll = await asRoll(answer);
  const { ruleset, action: name, seed = null, source = null, rules_version: version } = answer;
  // Foundry applies the chosen mode here by itself, whatever it is called in this version.
  return roll.toMessage({
    content: receipt(card, action, answer, words).outerHTML,
    speaker,
    // Enough for anyone to work the faces out again.
    flags: { [MODULE]: { ruleset, action: name, seed, source, rules_version: version, faces: answer.faces ?? [] } },
  });
}

/**
 * Makes a roll that has already fallen, so that 3D dice show these faces and no others.
 *
 * @param {{ sides?: number, faces?: number[], result?: number }} answer
 */
export async function asRoll({ sides, faces = [], result = 0 }) {
  const { Roll, terms } = foundry.dice;
  if (faces.length === 0) return new Roll(String(result)).evaluate();
  // A term that is made with its results counts as evaluated.
  const results = faces.map((face) => ({ result: face, active: true }));
  return Roll.fromTerms([new terms.Die({ number: faces.length, faces: sides, results })]);
}
