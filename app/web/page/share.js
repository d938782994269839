// @ts-check
/** A roll for elsewhere: as a command, as a program, as a link. */

import { address } from "./service.js";

/**
 * The request that gives a roll again: with its seed, or else with its faces.
 *
 * @param {any} request without what says where faces come from
 * @param {any} answer null where nothing was rolled yet
 */
export function repeatable(request, answer) {
  if (answer?.seed !== undefined && answer?.seed !== null) return { ...request, seed: answer.seed };
  return answer?.faces?.length ? { ...request, faces: answer.faces } : request;
}

/** @param {string} self @param {any} request @param {string} language */
export function asCurl(self, request, language) {
  const body = JSON.stringify(request).replaceAll("'", `'\\''`);
  return `curl -s '${address(self)}?lang=${language}' -d '${body}'`;
}

/** @param {string} self @param {any} request @param {string} language */
export function asJavaScript(self, request, language) {
  return `const response = await fetch("${address(self)}?lang=${language}", {
  method: "POST",
  body: JSON.stringify(${JSON.stringify(request)}),
});
const roll = await response.json();
if (!response.ok) throw new Error(\`\${roll.code}: \${roll.detail}\`);
console.log(roll.text);
`;
}

/** The page's address with everything behind the # that reproduces a roll; that part is never sent to a server. */
export function asLink(/** @type {string} */ action, /** @type {any} */ request) {
  return `${document.baseURI.split("#")[0]}${asFragment(action, request)}`;
}

export function asFragment(/** @type {string} */ action, /** @type {any} */ request) {
  return `#${action}?${encodeURIComponent(JSON.stringify(request))}`;
}

/** Reads such a link. @returns {{ action: string, request: any } | null} null where it is none */
export function fromFragment(/** @type {string} */ fragment) {
  const [, action, text] = /^#([\w-]+\/[\w-]+)(?:\?(.*))?$/s.exec(fragment) ?? [];
  if (!action) return null;
  try {
    return { action, request: text ? JSON.parse(decodeURIComponent(text)) : null };
  } catch {
    return { action, request: null };
  }
}

/** Copies a text, also where the clipboard is closed to pages that came without https. */
export async function copy(/** @type {string} */ text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}
