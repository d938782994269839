// @ts-check
/** Asking the service that sent this page, and no other. */

import { session } from "./dom.js";
import { language } from "./words.js";

/** A problem document, thrown. */
export class Refused extends Error {
  /** @param {any} problem @param {string | null} retryAfter the header, in seconds */
  constructor(problem, retryAfter) {
    super(problem.detail);
    this.problem = problem;
    /** How long to wait before asking again; null where asking again would be of no use. */
    this.wait = retryAfter === null ? null : Number(retryAfter);
  }
}

/** The service did not answer, or not in its own words. */
export class Unreachable extends Error {}

/** @param {string} key */
export function useKey(key) {
  session.set("key", key);
}

/** The address of something on this service, wherever a proxy put it. */
export function address(/** @type {string} */ path) {
  return new URL(path.replace(/^\//, ""), document.baseURI).href;
}

/**
 * Fetches a document, or with a body asks an action.
 *
 * @param {string} path
 * @param {unknown} [body]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 * @throws {Refused | Unreachable | DOMException}
 */
export async function ask(path, body, signal) {
  const url = new URL(address(path));
  const key = session.get("key");
  /** @type {RequestInit} */
  const options = { signal, headers: key ? { "X-API-Key": key } : {} };
  if (body !== undefined) {
    url.searchParams.set("lang", language());
    options.method = "POST";
    options.body = JSON.stringify(body);
  }
  const response = await fetch(url, options).catch((error) => {
    throw error.name === "AbortError" ? error : new Unreachable(error.message);
  });
  const answer = await response.json().catch(() => {
    throw new Unreachable(response.statusText);
  });
  if (!response.ok) throw answer.code ? new Refused(answer, response.headers.get("Retry-After")) : new Unreachable(response.statusText);
  return answer;
}

/**
 * Makes a function that does its work at most every so often, always with the newest arguments.
 *
 * @template {any[]} T
 * @param {number} milliseconds
 * @param {(...newest: T) => void} work
 * @returns {(...newest: T) => void}
 */
export function atMostEvery(milliseconds, work) {
  let last = -Infinity;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting;
  return (...newest) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      last = performance.now();
      work(...newest);
    }, Math.max(0, last + milliseconds - performance.now()));
  };
}
