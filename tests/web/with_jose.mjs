// Receipts as an independent JOSE library sees them.
import { createLocalJWKSet, jwtVerify } from "jose";

const OURS = { algorithms: ["Ed25519"], typ: "wurf-receipt+jwt" };

/**
 * @param {string} token
 * @param {import("jose").JSONWebKeySet} keySet
 * @returns {Promise<unknown>} what was signed; throws where it cannot be trusted
 */
export async function payloadOf(token, keySet) {
  return (await jwtVerify(token, createLocalJWKSet(keySet), OURS)).payload;
}

/**
 * @param {string} token
 * @param {import("jose").JSONWebKeySet} keySet
 * @returns {Promise<string | null>} the code of why a receipt cannot be trusted, null where it can
 */
export async function refusalOf(token, keySet) {
  return payloadOf(token, keySet).then(
    () => null,
    (error) => error.code,
  );
}
