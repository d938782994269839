/**
 * A form for a request, made from the service's description of it, so that whatever ruleset the service learns
 * has its form.
 *
 * Each field is an object with `element`, `read(pointer)` and `fill(value)`. What is empty, or at its default, is
 * not sent: `read` gives undefined for it. While reading, each field notes the JSON Pointer under which it is sent,
 * so that a refusal finds it again.
 */

import { button, h } from "./html.mjs";

/** The fields that the dialog has a place of its own for. */
const ELSEWHERE = ["ref", "seed", "nonce", "faces"];

/**
 * What a form needs to know.
 *
 * @typedef {object} Context
 * @property {Record<string, any>} schemas the service's schemas by name
 * @property {(path: string) => string} label the name of a field by its path
 * @property {(word: string) => string} word the name of a word
 * @property {(key: string) => string} say a text of the module
 */

/**
 * Makes the form of a request.
 *
 * @param {string} name of the request's schema
 * @param {string[]} first the fields that matter most; what else is not required stands under "more"
 * @param {Context} context
 */
export function requestForm(name, first, context) {
  const schema = context.schemas[name];
  const names = Object.keys(schema.properties).filter((field) => !ELSEWHERE.includes(field));
  const fields = parts(schema, names, "", context);
  const matters = (field) => first.includes(field) || schema.required?.includes(field);
  const element = h("div", { class: "wurf-form" }, ...names.filter(matters).map((field) => fields[field].element));
  const more = names.filter((field) => !matters(field)).map((field) => fields[field].element);
  if (more.length) element.append(h("details", {}, h("summary", {}, context.say("More")), ...more));
  return { element, ...object(fields) };
}

/**
 * Shows errors at their fields.
 *
 * @param {HTMLElement} form
 * @param {{ pointer: string, message: string }[]} errors
 * @returns {string[]} the messages that have no field here
 */
export function showErrors(form, errors) {
  for (const old of form.querySelectorAll(".wurf-error")) old.remove();
  for (const old of form.querySelectorAll("[aria-invalid]")) old.removeAttribute("aria-invalid");
  const homeless = errors.filter(({ pointer, message }) => {
    const field = fieldAt(form, pointer);
    if (!field) return true;
    field.append(h("p", { class: "wurf-error", role: "alert" }, message));
    firstInput(field)?.setAttribute("aria-invalid", "true");
    field.closest("details")?.setAttribute("open", "");
    return false;
  });
  form.querySelector("[aria-invalid]")?.focus();
  return homeless.map(({ message }) => message);
}

function firstInput(element) {
  return element.querySelector("input, select");
}

/** Lets a field be sent under no pointer. */
function forget(element) {
  for (const field of [element, ...element.querySelectorAll("[data-pointer]")]) delete field.dataset.pointer;
}

/** Finds the field that was sent under a pointer, or else the one that it is part of. */
function fieldAt(form, pointer) {
  for (let at = pointer; at; at = at.slice(0, at.lastIndexOf("/"))) {
    const field = form.querySelector(`[data-pointer="${CSS.escape(at)}"]`);
    if (field) return field;
  }
  return null;
}

function parts(schema, names, path, context) {
  return Object.fromEntries(names.map((name) => {
    const below = path ? `${path}.${name}` : name;
    return [name, field(plain(schema.properties[name], context), context.label(below), below, context)];
  }));
}

/** Looks through references, and through "or null", which is the same as leaving the field out. */
function plain(schema, context) {
  const [one] = (schema.anyOf ?? [schema]).filter(({ type }) => type !== "null");
  const found = one.$ref ? context.schemas[one.$ref.split("/").at(-1)] : one;
  return "default" in schema ? { ...found, default: schema.default } : found;
}

function field(schema, label, path, context) {
  if (schema.type === "boolean") return flag(schema, label);
  if (schema.enum) return choice(schema, label, context);
  if (schema.type === "integer") return number(schema, label);
  if (schema.type === "object") return group(schema, label, path, context);
  if (schema.type === "array") return list(schema, label, path, context);
  return text(schema, label);
}

/** A labeled input. `value` reads it; null is the same as empty. */
function labeled(label, input, value, fill) {
  const element = h("label", { class: "wurf-field" }, h("span", {}, label), input);
  return {
    element,
    fill,
    read(pointer) {
      element.dataset.pointer = pointer;
      return value() ?? undefined;
    },
  };
}

function number({ minimum, maximum, default: usual }, label) {
  const placeholder = Number.isInteger(usual) ? String(usual) : "";
  const input = h("input", { type: "number", step: "1", min: minimum ?? "", max: maximum ?? "", placeholder });
  const value = () => (input.value === "" ? undefined : Number(input.value));
  return labeled(label, input, value, (given) => (input.value = given ?? ""));
}

function text({ maxLength }, label) {
  const input = h("input", { type: "text", maxLength: maxLength ?? 524_288 });
  return labeled(label, input, () => input.value.trim() || undefined, (given) => (input.value = given ?? ""));
}

function flag({ default: usual = false }, label) {
  const input = h("input", { type: "checkbox", checked: usual });
  const value = () => (input.checked === usual ? undefined : input.checked);
  return labeled(label, input, value, (given) => (input.checked = given ?? usual));
}

function choice(schema, label, context) {
  const words = schema.enum.map((value) => h("option", { value: String(value) }, context.word(String(value))));
  const input = h("select", {}, "default" in schema ? null : h("option", { value: "" }, "—"), ...words);
  const fill = (given) => (input.value = String(given ?? schema.default ?? ""));
  fill();
  const value = () => schema.enum.find((one) => String(one) === input.value && one !== schema.default);
  return labeled(label, input, value, fill);
}

/** Several of a few words. */
function choices({ enum: words }, label, context) {
  const boxes = words.map((value) => ({ value, input: h("input", { type: "checkbox", value }) }));
  const element = h("fieldset", { class: "wurf-choices" }, h("legend", {}, label),
    ...boxes.map(({ value, input }) => h("label", {}, input, context.word(value))));
  return {
    element,
    read(pointer) {
      element.dataset.pointer = pointer;
      const chosen = boxes.filter(({ input }) => input.checked).map(({ value }) => value);
      return chosen.length ? chosen : undefined;
    },
    fill(given = []) {
      for (const { value, input } of boxes) input.checked = given.includes(value);
    },
  };
}

/** Several integers in one line: "8, 13". What is no number is sent as it is, for the service to refuse. */
function numbers(schema, label) {
  const input = h("input", { type: "text", placeholder: "1, 2, 3" });
  const value = () => {
    const words = input.value.split(/[\s,;]+/).filter(Boolean);
    return words.length ? words.map((word) => (/^[+-]?\d+$/.test(word) ? Number(word) : word)) : undefined;
  };
  return labeled(label, input, value, (given) => (input.value = (given ?? []).join(", ")));
}

function object(fields) {
  return {
    read(pointer = "") {
      const read = Object.entries(fields).map(([name, part]) => [name, part.read(`${pointer}/${name}`)]);
      const sent = read.filter(([, value]) => value !== undefined);
      return sent.length ? Object.fromEntries(sent) : undefined;
    },
    fill(given) {
      for (const [name, part] of Object.entries(fields)) part.fill(given?.[name]);
    },
  };
}

function group(schema, label, path, context) {
  const fields = parts(schema, Object.keys(schema.properties), path, context);
  const inside = Object.values(fields).map((part) => part.element);
  const element = h("fieldset", {}, label && h("legend", {}, label), ...inside);
  const { read, fill } = object(fields);
  return {
    element,
    fill,
    read(pointer) {
      element.dataset.pointer = pointer;
      return read(pointer);
    },
  };
}

function list(schema, label, path, context) {
  const items = plain(schema.items, context);
  if (items.enum && items.type === "string") return choices(items, label, context);
  if (items.type === "integer") return numbers(items, label);
  return rows(schema, items, label, path, context);
}

/** A list of rows. Those that have to be there cannot be taken away; what stays empty is not sent. */
function rows({ minItems = 0, maxItems = Infinity }, items, label, path, context) {
  let entries = [];
  const place = h("div", {});
  const more = button("+", `${context.say("Add")}: ${label}`, () => firstInput(add().element)?.focus());
  const element = h("fieldset", { class: "wurf-rows" }, h("legend", {}, label), place, more);

  function add(given) {
    const entry = group(items, "", path, context);
    entry.element.classList.add("wurf-row");
    if (entries.length >= minItems) {
      entry.element.append(button("−", `${context.say("Remove")}: ${label}`, () => remove(entry)));
    }
    entry.fill(given);
    entries.push(entry);
    place.append(entry.element);
    more.hidden = entries.length >= maxItems;
    return entry;
  }

  function remove(entry) {
    entries = entries.filter((one) => one !== entry);
    entry.element.remove();
    more.hidden = false;
    more.focus();
  }

  function fill(given = []) {
    entries = [];
    place.replaceChildren();
    for (let at = 0; at < Math.max(minItems, given.length); at++) add(given[at]);
  }

  fill();
  return {
    element,
    fill,
    read(pointer) {
      element.dataset.pointer = pointer;
      const sent = [];
      for (const entry of entries) {
        // What has to be there is sent even if it is empty, for the service to say what is missing.
        const value = entry.read(`${pointer}/${sent.length}`) ?? (sent.length < minItems ? {} : undefined);
        if (value === undefined) forget(entry.element);
        else sent.push(value);
      }
      return sent.length ? sent : undefined;
    },
  };
}
