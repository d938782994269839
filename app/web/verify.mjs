// @ts-check
/**
 * Checks rolls and receipts of Wurf without asking the service: the faces are derived again from their seed,
 * and a receipt is held against the service's public keys.
 *
 * Runs in browsers and in Node from version 20, on WebCrypto with Ed25519 alone. Browsers have WebCrypto only
 * on pages that came by https or from localhost. Keep a copy of this file: checking with the one that the
 * service sends is asking the service.
 *
 * What it does not show: that the rule read the faces rightly and needed no more of them (send them as `faces`
 * to see that), that nobody shopped for the seed (`source` says who picked it), or that a roll was the first try.
 */

const STREAM = "dice1";
const SEEDED = ["client_seed", "server_seed", "server_keyed"];
/** What a seed may be: 1 to 128 code points, none of them a control character or half of one. */
const TEXT = /^[^\p{Cc}\p{Cs}]{1,128}$/u;

const ALGORITHM = "Ed25519";
const TYPE = "wurf-receipt+jwt";
/** Headers that would choose another key or other rules than ours. */
const REFUSED_HEADERS = ["crit", "jwk", "jku", "x5u"];
const KEY_BYTES = 32;
const MAX_TOKEN = 262_144;

const utf8 = new TextEncoder();

/**
 * An answer's fields that say how its faces came about.
 *
 * @typedef {object} Answer
 * @property {string} ruleset
 * @property {string} action
 * @property {number} sides
 * @property {number[]} faces
 * @property {string | null} seed
 * @property {string} source
 * @property {string | null} stream
 */

/**
 * The public keys of a service, as `/.well-known/jwks.json` has them. `retired` is the time in seconds when a
 * key came out of use: it still stands for the receipts made before.
 *
 * @typedef {{ keys: Record<string, unknown>[] }} KeySet
 */

/**
 * What a receipt is worth. `payload` is null unless the signature is valid; `faces` is null too where they
 * follow from no seed.
 *
 * @typedef {object} Verdict
 * @property {"valid" | "invalid" | "unknown_key" | "malformed"} signature
 * @property {"same" | "different" | null} faces
 * @property {Record<string, any> | null} payload
 */

/**
 * Derives the first `count` faces of a seed by the stream "dice1".
 *
 * @param {string} seed the text as it is; an integer seed is its decimal text
 * @param {string} ruleset the word of the path, such as "zrps"
 * @param {string} action the word of the path, such as "roll"
 * @param {number} sides 2 to 256
 * @param {number} count how many faces
 * @returns {Promise<number[]>}
 * @throws {RangeError} where no roll could have such a seed, name or die
 */
export async function faces(seed, ruleset, action, sides, count) {
  if (![seed, ruleset, action].every(isText)) throw new RangeError("a seed or name that no roll has");
  if (!isDie(sides)) throw new RangeError("a die has 2 to 256 sides");
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", utf8.encode(seed), hmac, false, ["sign"]);
  const limit = 256 - (256 % sides);
  /** @type {number[]} */
  const thrown = [];
  for (let block = 0; thrown.length < count; block++) {
    const message = utf8.encode(`${STREAM}\n${ruleset}\n${action}\n${block}`);
    const bytes = new Uint8Array(await crypto.subtle.sign("HMAC", key, message));
    // Bytes beyond the last full range of sides are skipped, so that every face is equally likely.
    for (const byte of bytes) if (byte < limit) thrown.push((byte % sides) + 1);
  }
  return thrown.slice(0, count);
}

/**
 * Says whether the faces of an answer follow from its seed.
 *
 * @param {Answer | any} answer a whole answer of the service
 * @returns {Promise<boolean | null>} null where no seed of a stream known here is named: dice thrown elsewhere
 *   or none at all
 */
export async function checkRoll(answer) {
  if (!SEEDED.includes(answer?.source) || answer.stream !== STREAM) return null;
  const { seed, ruleset, action, sides, faces: shown } = answer;
  if (![seed, ruleset, action].every(isText) || !isDie(sides)) return false;
  if (!Array.isArray(shown) || shown.length === 0) return false;
  const derived = await faces(seed, ruleset, action, sides, shown.length);
  return derived.every((face, place) => face === shown[place]);
}

/**
 * Checks a receipt: its form, its signature, then the faces of the answer in it.
 *
 * @param {string} token the receipt, a compact JWS
 * @param {KeySet} keySet the service's public keys; whoever can alter them can sign for the service
 * @returns {Promise<Verdict>}
 */
export async function checkReceipt(token, keySet) {
  const receipt = takeApart(token);
  if (receipt === null) return unproved("malformed");
  if (!isOurs(receipt.header)) return unproved("invalid");
  const known = findKey(keySet, receipt.header.kid);
  if (known === null) return unproved("unknown_key");
  const key = await crypto.subtle.importKey("raw", known.x, ALGORITHM, false, ["verify"]);
  const { signature, signed } = receipt;
  if (!(await crypto.subtle.verify(ALGORITHM, key, signature, signed))) return unproved("invalid");
  const payload = attempt(() => parseObject(receipt.payload));
  if (payload === null || !isReceipt(payload)) return unproved("malformed");
  if (payload.iat > known.retired) return unproved("invalid");
  const follows = await checkRoll(payload.answer);
  return { signature: "valid", faces: follows === null ? null : follows ? "same" : "different", payload };
}

/**
 * Names a key by its RFC 7638 thumbprint, which is the `kid` of the receipts that it signed. Whoever notes the
 * thumbprints of a service's keys today can tell later whether a key set still holds the same ones.
 *
 * @param {Record<string, unknown>} jwk a public Ed25519 key
 * @returns {Promise<string>}
 */
export async function thumbprint(jwk) {
  const members = JSON.stringify({ crv: jwk.crv, kty: jwk.kty, x: jwk.x });
  return encode(new Uint8Array(await crypto.subtle.digest("SHA-256", utf8.encode(members))));
}

/** @param {unknown} value */
function isText(value) {
  return typeof value === "string" && TEXT.test(value);
}

/** @param {unknown} sides */
function isDie(sides) {
  return Number.isInteger(sides) && Number(sides) >= 2 && Number(sides) <= 256;
}

/** @param {Record<string, unknown>} header */
function isOurs(header) {
  return header.alg === ALGORITHM && header.typ === TYPE && !REFUSED_HEADERS.some((name) => name in header);
}

/** @param {Record<string, any>} payload */
function isReceipt({ iat, ruleset, action, request, answer }) {
  return Number.isInteger(iat) && isText(ruleset) && isText(action) && isObject(request) && isObject(answer);
}

/** @param {unknown} value */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * @param {"invalid" | "unknown_key" | "malformed"} signature
 * @returns {Verdict}
 */
function unproved(signature) {
  return { signature, faces: null, payload: null };
}

/**
 * Finds a public key. One of another kind is not looked at, whatever it is called.
 *
 * @param {KeySet} keySet
 * @param {unknown} kid
 * @returns its bytes, and when it was retired: later receipts are not accepted
 */
function findKey(keySet, kid) {
  const jwk = keySet.keys.find((key) => key?.kid === kid && key.kty === "OKP" && key.crv === ALGORITHM);
  const x = attempt(() => decode(jwk?.x));
  const retired = jwk?.retired ?? Infinity;
  if (kid === undefined || x?.length !== KEY_BYTES || typeof retired !== "number") return null;
  return { x, retired };
}

/**
 * Takes a token apart. Null where it is not three parts of strict base64url, the first a JSON object.
 *
 * @param {string} token
 */
function takeApart(token) {
  if (typeof token !== "string" || token.length > MAX_TOKEN) return null;
  const parts = token.split(".");
  if (parts.length !== 3) return null;
  const [header, payload, signature] = parts;
  return attempt(() => ({
    header: parseHeader(decode(header)),
    payload: decode(payload),
    signature: decode(signature),
    signed: utf8.encode(`${header}.${payload}`),
  }));
}

/** @param {Uint8Array} bytes */
function parseHeader(bytes) {
  const header = parseObject(bytes);
  if (!["string", "undefined"].includes(typeof header.kid)) throw new SyntaxError("a kid is text");
  return header;
}

/**
 * @template T
 * @param {() => T} read
 * @returns {T | null} null where it cannot be read
 */
function attempt(read) {
  try {
    return read();
  } catch {
    return null;
  }
}

/**
 * Parses a JSON object in UTF-8. A key that stands twice is an error, since readers differ in which they take.
 *
 * @param {Uint8Array} bytes
 * @returns {Record<string, any>}
 */
function parseObject(bytes) {
  const json = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  const value = JSON.parse(json);
  if (!isObject(value)) throw new SyntaxError("no object");
  const strings = [...json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g)];
  if (strings.filter(([, colon]) => colon).length !== countKeys(value)) throw new SyntaxError("a key stands twice");
  return value;
}

/**
 * @param {unknown} value
 * @returns {number} how many keys it holds, those of its parts included
 */
function countKeys(value) {
  if (typeof value !== "object" || value === null) return 0;
  const parts = Object.values(value);
  return parts.reduce((sum, part) => sum + countKeys(part), Array.isArray(value) ? 0 : parts.length);
}

/**
 * Decodes base64url. What would not be encoded just so is an error: padding, other letters, unused bits.
 *
 * @param {unknown} text
 */
function decode(text) {
  const binary = atob(String(text).replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  if (encode(bytes) !== text) throw new SyntaxError("not base64url");
  return bytes;
}

/** @param {Uint8Array} bytes */
function encode(bytes) {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
