// @ts-check
/**
 * What there is to roll: the catalog's words and the OpenAPI document's schemas, put together. Nothing here or in
 * any other module of the page knows a ruleset by name, so that a new one appears by itself.
 */

import { ask } from "./service.js";
import { inLanguage } from "./words.js";

/** The fields that say where faces come from, which every action with dice has, and the reader's reference. */
const COMMON = ["seed", "nonce", "faces", "ref"];

/**
 * A field of a request, as a form needs it.
 *
 * @typedef {object} Field
 * @property {string} name
 * @property {string} path the names from the request down, without the places in lists
 * @property {"integer" | "boolean" | "text" | "choice" | "words" | "numbers" | "list" | "object" | "variant" | "constant"} kind
 * @property {boolean} required
 * @property {any} preset what stands for a field that is left out; undefined where nothing does
 * @property {string | undefined} help
 * @property {number | null} place where it stands among the fields that matter most
 * @property {number} [minimum]
 * @property {number} [maximum]
 * @property {number} [minItems]
 * @property {number} [maxItems]
 * @property {number} [maxLength]
 * @property {any[]} [options] the words of a choice
 * @property {Field} [item] what a list is made of
 * @property {Field[]} [parts] what an object is made of
 * @property {Field[]} [variants] the objects of which it is one
 */

/** @returns {Promise<any[]>} */
export function rulesets() {
  return ask("v1/rulesets");
}

/** @type {Promise<any> | undefined} */
let document_;

/** The OpenAPI document, fetched once; the earlier it is asked for, the sooner the first form stands. */
export function openapi() {
  document_ ??= ask("openapi.json").catch((error) => {
    document_ = undefined;
    throw error;
  });
  return document_;
}

/**
 * Fetches a ruleset with everything that its forms need.
 *
 * @param {string} self its link
 * @returns {Promise<{ id: string, name: any, summary: any, actions: Action[] }>}
 */
export async function ruleset(self) {
  const [entry, schemas] = await Promise.all([ask(self), openapi()]);
  return { ...entry, actions: entry.actions.map((/** @type {any} */ action) => new Action(entry, action, schemas)) };
}

/** One thing that can be rolled. */
export class Action {
  /**
   * @param {any} entry the ruleset's catalog
   * @param {any} action its entry there
   * @param {any} schemas the OpenAPI document
   */
  constructor(entry, action, schemas) {
    this.ruleset = entry.id;
    this.rulesetName = entry.name;
    this.name = action.name;
    this.label = action.label;
    this.self = action.links.self;
    /** @type {string | undefined} where to ask its odds */
    this.odds = action.links.odds;
    this.outcomes = action.outcomes;
    this.example = action.example;
    this.either = action.either ?? [];
    this.slip = action.slip?.length ? action.slip : (action.answer ?? []).filter(isPlain).map(plainLine);
    this.id = `${this.ruleset}/${this.name}`;
    this._values = entry.values ?? {};
    this._outcomes = new Map(
      entry.actions.flatMap((/** @type {any} */ one) => one.outcomes).map((/** @type {any} */ one) => [one.outcome, one]),
    );
    this._fields = new Map(action.fields.map((/** @type {any} */ one) => [one.field, one]));
    this._ranked = action.fields.some((/** @type {any} */ one) => typeof one.place === "number");
    this._answer = new Map((action.answer ?? []).map((/** @type {any} */ one) => [one.field, one.label]));
    const schema = pointed(schemas, action.request_schema);
    /** Whether it throws dice. */
    this.dice = "seed" in schema.properties;
    this.faces = new Reader(this, schemas).field("faces", "faces", schema.properties.faces ?? {}, false);
    this.root = new Reader(this, schemas).object("", "", schema);
    this.root.parts = this.root.parts?.filter((part) => !COMMON.includes(part.name));
  }

  /** The example's request in the reader's language. */
  exampleRequest() {
    return structuredClone(inLanguage(this.example.requests ?? { any: this.example.request }));
  }

  /** Names a field of the request. */
  fieldLabel(/** @type {string} */ path) {
    return inLanguage(this._fields.get(path)?.label) ?? readable(path);
  }

  /** Names a field of the answer. */
  answerLabel(/** @type {string} */ path) {
    return inLanguage(this._answer.get(path)) ?? this.fieldLabel(path);
  }

  /**
   * Where a field stands among those that matter most; null where it is not one of them. Where the catalog does not
   * say, the example's fields matter.
   */
  place(/** @type {string} */ path) {
    if (this._ranked) return this._fields.get(path)?.place ?? null;
    const shown = Object.keys(this.example.request).indexOf(path);
    return shown < 0 ? null : shown;
  }

  /** Puts a word of the service into the reader's language. */
  word(/** @type {any} */ value, field = "") {
    const values = inLanguage(this._values) ?? {};
    return values[`${field}.${value}`] ?? values[value] ?? this.outcomeLabel(value) ?? readable(String(value));
  }

  /** The name of a number, where it has one: a difficulty of 6 is called “Standard”. */
  numberName(/** @type {string} */ field, /** @type {number} */ value) {
    return (inLanguage(this._values) ?? {})[`${field}.${value}`];
  }

  outcomeLabel(/** @type {string} */ outcome) {
    return inLanguage(this._outcomes.get(outcome)?.label);
  }

  /** How good an outcome is for whoever rolls, from 2 (best) to −2; 0 where it is neither. */
  tone(/** @type {string | null} */ outcome) {
    return this._outcomes.get(outcome)?.tone ?? 0;
  }
}

/** Reads schemas as fields. */
class Reader {
  /** @param {Action} action @param {any} schemas */
  constructor(action, schemas) {
    this.action = action;
    this.schemas = schemas;
  }

  /**
   * @param {string} name
   * @param {string} path
   * @param {any} schema
   * @returns {Field}
   */
  object(name, path, schema) {
    const parts = Object.entries(schema.properties ?? {}).map(([part, inner]) =>
      this.field(part, path ? `${path}.${part}` : part, inner, schema.required?.includes(part) ?? false),
    );
    const order = (/** @type {Field} */ part) => part.place ?? Infinity;
    return this.made(name, path, schema, { kind: "object", parts: parts.sort((a, b) => compare(order(a), order(b))) });
  }

  /**
   * @param {string} name
   * @param {string} path
   * @param {any} given
   * @param {boolean} required
   * @returns {Field}
   */
  field(name, path, given, required) {
    const schema = this.flat(given);
    const more = { ...this.kindOf(name, path, schema), required };
    return this.made(name, path, { ...schema, ...pick(given, "default", "description") }, more);
  }

  /** Says what kind of field a schema makes, with what belongs to that kind. */
  kindOf(/** @type {string} */ name, /** @type {string} */ path, /** @type {any} */ schema) {
    if ("const" in schema) return { kind: "constant", preset: schema.const };
    if (schema.variants) {
      return { kind: "variant", variants: schema.variants.map((/** @type {any} */ one) => this.object(name, path, one)) };
    }
    if (schema.enum) return { kind: "choice", options: schema.enum };
    if (schema.type === "object") return this.object(name, path, schema);
    if (schema.type !== "array") return { kind: schema.type === "string" ? "text" : schema.type };
    const item = this.field(name, path, schema.items, true);
    const kind = item.kind === "choice" ? "words" : item.kind === "integer" ? "numbers" : "list";
    return { kind, item, options: item.options };
  }

  /** @returns {any} */
  made(/** @type {string} */ name, /** @type {string} */ path, /** @type {any} */ schema, /** @type {any} */ more) {
    const bounds = pick(schema, "minimum", "maximum", "minItems", "maxItems", "maxLength");
    const basis = { name, path, required: true, preset: schema.default, help: schema.description };
    return { ...basis, place: this.action.place(path), ...bounds, ...more };
  }

  /** Follows references and leaves the null out of a schema that allows it: leaving a field out says the same. */
  flat(/** @type {any} */ schema) {
    if (schema.$ref) return this.flat({ ...pointed(this.schemas, schema.$ref), ...pick(schema, "description") });
    const options = (schema.anyOf ?? schema.oneOf)?.filter((/** @type {any} */ one) => one.type !== "null");
    if (!options) return schema;
    const outer = pick(schema, "default", "description");
    if (options.length === 1) return { ...this.flat(options[0]), ...outer };
    const flattened = options.map((/** @type {any} */ one) => this.flat(one));
    const variants = flattened.every((/** @type {any} */ one) => one.type === "object");
    return variants ? { variants: flattened, ...outer } : { ...flattened[0], ...outer };
  }
}

/** Follows a JSON Pointer, also one behind an address. */
function pointed(/** @type {any} */ schemas, /** @type {string} */ reference) {
  const steps = reference.split("#/")[1].split("/");
  return steps.reduce((inner, step) => inner[step.replaceAll("~1", "/").replaceAll("~0", "~")], schemas);
}

function pick(/** @type {any} */ from, /** @type {string[]} */ ...names) {
  return Object.fromEntries(names.filter((name) => name in from).map((name) => [name, from[name]]));
}

function compare(/** @type {number} */ a, /** @type {number} */ b) {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Says a word that nobody translated as well as it goes. */
function readable(/** @type {string} */ word) {
  const text = word.split(".").at(-1)?.replaceAll("_", " ") ?? "";
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Whether a field of the answer makes a line where the catalog describes no slip. */
function isPlain(/** @type {any} */ entry) {
  return !entry.field.includes(".") && !["outcome", "success"].includes(entry.field);
}

function plainLine(/** @type {any} */ entry) {
  return { of: "answer", kind: "plain", each: null, ...entry };
}
