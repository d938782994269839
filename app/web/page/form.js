// @ts-check
/** The form of an action, made from its fields; what it holds as a request; refusals at the fields they name. */

import * as controls from "./controls.js";
import { freshId, h } from "./dom.js";
import { say } from "./words.js";

/** @typedef {import("./catalog.js").Action} Action */
/** @typedef {import("./catalog.js").Field} Field */
/** @typedef {import("./controls.js").Control} Control */

/**
 * Makes the form of an action.
 *
 * @param {Action} action
 * @param {() => void} changed called whenever something in it changes
 */
export function makeForm(action, changed) {
  const root = new Maker(action, changed).parts(action.root, action.either);
  root.element.classList.add("fields");
  root.element.prepend(refusal());
  root.element.addEventListener("input", changed);
  return {
    element: root.element,
    /** The request without what says where faces come from. */
    get: () => root.get() ?? {},
    /** @param {any} request */
    fill(request) {
      root.set(request);
      for (const details of root.element.querySelectorAll("details")) details.open = holdsChange(details);
    },
  };
}

/** Whether something folded away differs from what stands there by itself. */
function holdsChange(/** @type {HTMLDetailsElement} */ details) {
  return [...details.querySelectorAll(":scope > .folded > [data-key]")].some((part) => /** @type {any} */ (part).changedFrom?.());
}

/** Makes the controls of fields. */
class Maker {
  /** @param {Action} action @param {() => void} changed */
  constructor(action, changed) {
    this.action = action;
    this.changed = changed;
  }

  /** @param {Field} field @returns {Control} */
  control(field) {
    const kinds = {
      object: () => this.optional(field),
      variant: () => this.variant(field),
      list: () => this.rows(field),
      numbers: () => this.rows(field),
      constant: () => ({ element: h("span", { hidden: true }), get: () => field.preset, set() {} }),
    };
    const make = kinds[/** @type {keyof typeof kinds} */ (field.kind)];
    return make ? make() : this.single(field);
  }

  /** A field with its label, its help and the place where refusals stand. @param {Field} field @returns {Control} */
  single(field) {
    const id = freshId();
    const label = this.action.fieldLabel(field.path);
    const inner = this.input(field, id, label);
    const group = ["chips", "segments"].some((kind) => inner.element.classList.contains(kind));
    const name = group ? h("span", { class: "label" }, label) : h("label", { for: id }, label);
    const element = h(group && field.kind === "words" ? "fieldset" : "div", { class: `field ${field.kind}${field.required ? " required" : ""}`, "data-key": field.name },
      group && field.kind === "words" ? h("legend", {}, label) : name, inner.element, refusal());
    return marked(element, inner, field);
  }

  /** @param {Field} field @param {string} id @param {string} label @returns {Control} */
  input(field, id, label) {
    const about = { ...field, label, id, options: field.options ?? [] };
    const word = (/** @type {any} */ option) =>
      typeof option === "number" ? plusOrMinus(option) : this.action.word(option, field.path);
    if (field.kind === "integer") {
      const name = (/** @type {number} */ value) => this.action.numberName(field.path, value);
      return controls.stepper({ ...about, name }, this.changed);
    }
    if (field.kind === "boolean") return controls.toggle(about);
    if (field.kind === "words") return controls.words({ ...about, word });
    if (field.kind !== "choice") return controls.text(about);
    const optional = !field.required && field.preset === undefined;
    return controls.choice({ ...about, word, optional }, this.changed);
  }

  /**
   * The fields of an object: those that matter first, the others folded away.
   *
   * @param {Field} field
   * @param {string[][][]} either groups of which only one alternative is asked for
   * @returns {Control}
   */
  parts(field, either = []) {
    const parts = field.parts ?? [];
    const own = new Map(parts.map((part) => [part.name, this.control(part)]));
    const important = parts.some((part) => part.place !== null)
      ? parts.filter((part) => part.place !== null || part.required)
      : parts;
    const groups = either.map((alternatives) => this.either(alternatives, own));
    /** @type {Set<any>} */
    const placed = new Set();
    const place = (/** @type {Field} */ part) => {
      const group = groups.find((one) => one.names.includes(part.name));
      const control = group ?? own.get(part.name);
      if (placed.has(control)) return null;
      placed.add(control);
      return control?.element;
    };
    const shown = important.map(place);
    const folded = parts.filter((part) => !important.includes(part)).map(place).filter(Boolean);
    const element = h("div", { class: "parts", "data-part": true }, shown, folded.length > 0 && more(folded));
    return {
      element,
      get: () => {
        const silent = new Set(groups.flatMap((group) => group.silent()));
        return withoutPresets(parts, (part) => (silent.has(part.name) ? undefined : own.get(part.name)?.get()));
      },
      set(value) {
        for (const part of parts) own.get(part.name)?.set(value?.[part.name]);
        for (const group of groups) group.follow(value ?? {});
      },
    };
  }

  /**
   * A group of fields of which a request has only one alternative.
   *
   * @param {string[][]} alternatives
   * @param {Map<string, Control>} own
   */
  either(alternatives, own) {
    const entries = alternatives.map((names, place) => [place, names.map((name) => short(this.action.fieldLabel(name))).join(" + ")]);
    const panels = alternatives.map((names) => h("div", { class: "panel" }, names.map((name) => own.get(name)?.element)));
    const show = () => panels.forEach((panel, place) => (panel.hidden = place !== switcher.get()));
    const switcher = controls.segments({ label: say("either"), entries, preset: 0 }, () => {
      show();
      // Whoever chooses an object wants to fill it in.
      for (const name of alternatives[switcher.get()]) own.get(name)?.offer?.();
      this.changed();
    });
    return {
      names: alternatives.flat(),
      element: h("div", { class: "either" }, switcher.element, panels),
      silent: () => alternatives.filter((_, place) => place !== switcher.get()).flat(),
      follow(/** @type {any} */ value) {
        const given = alternatives.findIndex((names) => names.some((name) => value[name] !== undefined && value[name] !== null));
        switcher.set(Math.max(given, 0));
        show();
      },
    };
  }

  /** An object that may be left out stands behind a switch. @param {Field} field @returns {Control} */
  optional(field) {
    const inner = this.parts(field);
    const label = this.action.fieldLabel(field.path);
    const attributes = { class: "field object", "data-key": field.name };
    if (field.required) return { ...inner, element: h("fieldset", attributes, h("legend", {}, label), inner.element, refusal()) };
    const id = freshId();
    const given = controls.toggle({ id });
    const show = () => (inner.element.hidden = !given.get());
    given.element.addEventListener("input", show);
    const element = h("div", attributes, h("label", { for: id }, label), given.element, refusal(), inner.element);
    inner.element.setAttribute("role", "group");
    inner.element.setAttribute("aria-label", label);
    const control = {
      get: () => (given.get() ? (inner.get() ?? {}) : undefined),
      set(/** @type {any} */ value) {
        given.set(value !== undefined && value !== null);
        inner.set(value ?? undefined);
        show();
      },
    };
    const offer = () => {
      given.set(true);
      show();
    };
    return { ...marked(element, control, field), offer };
  }

  /** One of several objects, told apart by what is constant in them. @param {Field} field @returns {Control} */
  variant(field) {
    const variants = field.variants ?? [];
    const label = this.action.fieldLabel(field.path);
    const inner = variants.map((variant) => this.parts(variant));
    const constants = variants.map((variant) => (variant.parts ?? []).filter((part) => part.kind === "constant"));
    const entries = constants.map((parts, place) => [place, parts.map((part) => this.action.word(part.preset, part.path)).join(" ") || say("number_of", { what: label, number: place + 1 })]);
    const optional = field.required ? [] : [[undefined, say("nothing")]];
    const show = () => inner.forEach((one, place) => (one.element.hidden = place !== switcher.get()));
    const switcher = controls.segments({ label: `${label}: ${say("variant")}`, entries: [...optional, ...entries] }, () => {
      show();
      this.changed();
    });
    const element = h("fieldset", { class: "field variant", "data-key": field.name },
      h("legend", {}, label), switcher.element, refusal(), inner.map((one) => one.element));
    return {
      element,
      get: () => (switcher.get() === undefined ? undefined : (inner[switcher.get()].get() ?? {})),
      set(value) {
        const fits = constants.findIndex((parts) => parts.every((part) => part.preset === value?.[part.name]));
        switcher.set(value === undefined || value === null ? undefined : Math.max(fits, 0));
        inner.forEach((one, place) => one.set(place === fits ? value : undefined));
        show();
      },
    };
  }

  /** A list: rows that come and go. @param {Field} field @returns {Control} */
  rows(field) {
    const item = /** @type {Field} */ (field.item);
    const label = this.action.fieldLabel(field.path);
    const fixed = field.minItems !== undefined && field.minItems === field.maxItems;
    /** @type {{ element: HTMLElement, control: Control }[]} */
    let rows = [];
    const holder = h("div", { class: "rows" });
    const adder = h("button", { type: "button", class: "add", "aria-label": say("add", { what: label }), onclick: () => {
      const row = add(undefined);
      row.element.querySelector("input, select")?.focus();
      this.changed();
    } }, "+ ", label);
    const full = () => (adder.hidden = fixed || rows.length >= (field.maxItems ?? Infinity));

    const add = (/** @type {any} */ value) => {
      const control = item.kind === "object" ? this.parts(item) : this.bare(item, label);
      const element = h("div", { class: `row ${item.kind}${fixed ? "" : " terse"}`, "data-row": true, role: "group" },
        fixed && h("h3", {}, say("number_of", { what: this.action.answerLabel(field.path), number: rows.length + 1 })),
        control.element,
        !fixed && h("button", { type: "button", class: "remove", "aria-label": say("remove", { what: label }), onclick: () => {
          rows = rows.filter((row) => row.element !== element);
          element.remove();
          full();
          adder.focus();
          this.changed();
        } }, "×"));
      element.setAttribute("aria-label", say("number_of", { what: label, number: rows.length + 1 }));
      if (!fixed) sayBriefly(control.element);
      control.set(value);
      const row = { element, control };
      rows.push(row);
      holder.append(element);
      full();
      return row;
    };
    const element = h("fieldset", { class: `field ${field.kind}${fixed ? " fixed" : ""}`, "data-key": field.name, "data-part": true },
      h("legend", {}, label), holder, refusal(), adder);
    const control = {
      get: () => rows.map((row) => row.control.get() ?? (item.kind === "object" ? {} : null)),
      set(/** @type {any} */ values) {
        rows = [];
        holder.replaceChildren();
        const wanted = values ?? Array.from({ length: field.minItems ?? 0 });
        for (const value of wanted) add(value);
        full();
      },
    };
    return marked(element, control, field);
  }

  /** An entry of a list that is no object: the list's label stands for it. @param {Field} item @param {string} label @returns {Control} */
  bare(item, label) {
    const id = freshId();
    const control = this.input(item, id, label);
    control.element.querySelector("input")?.setAttribute("aria-label", label);
    return { ...control, element: h("span", { class: "bare" }, control.element, refusal()) };
  }
}

/** Lets what is folded away say whether anybody changed it. @param {any} element @param {any} control @param {Field} field @returns {Control} */
function marked(element, control, field) {
  element.changedFrom = () => !isPreset(field, control.get());
  return { element, get: control.get, set: control.set };
}

/** In a row there is no room for labels that their inputs explain: what is empty says it itself. */
function sayBriefly(/** @type {HTMLElement} */ row) {
  for (const field of row.querySelectorAll(":scope > .field.text, :scope > .field.choice, :scope > .field.integer")) {
    const input = /** @type {HTMLInputElement} */ (field.querySelector("input, select"));
    const label = field.querySelector("label");
    if (!label || !field.matches(".text, .required")) continue;
    label.classList.add("aside");
    if (field.matches(".text")) input.placeholder = label.textContent ?? "";
  }
}

function more(/** @type {any[]} */ folded) {
  return h("details", { class: "more" }, h("summary", {}, say("more")), h("div", { class: "folded" }, folded));
}

/** Where refusals of a field stand. */
function refusal() {
  return h("p", { class: "refusal", id: freshId(), hidden: true });
}

/** A label without what stands in brackets behind it. */
function short(/** @type {string} */ label) {
  return label.replace(/\s*\(.*\)$/, "");
}

function plusOrMinus(/** @type {number} */ value) {
  return value > 0 ? `+${value}` : `−${-value}`;
}

/** Gathers a request and leaves out what says no more than leaving it out. @returns {any} */
function withoutPresets(/** @type {Field[]} */ parts, /** @type {(part: Field) => any} */ valueOf) {
  /** @type {Record<string, any>} */
  const request = {};
  for (const part of parts) {
    const value = valueOf(part);
    if (value !== undefined && (part.required || !isPreset(part, value))) request[part.name] = value;
  }
  return request;
}

function isPreset(/** @type {Field} */ field, /** @type {any} */ value) {
  const preset = field.preset ?? { boolean: false, list: [], numbers: [], words: [] }[/** @type {"list"} */ (field.kind)];
  return value === undefined || JSON.stringify(value) === JSON.stringify(preset);
}

/**
 * Shows refusals at the fields that they point at.
 *
 * @param {HTMLElement} root
 * @param {{ pointer: string, message: string }[]} errors
 * @returns {HTMLElement | undefined} the first input that is wrong
 */
export function showRefusals(root, errors) {
  clearRefusals(root);
  const inputs = errors.map(({ pointer, message }) => {
    const place = placeOf(root, pointer);
    const note = noteOf(place);
    note.textContent = note.hidden ? message : `${note.textContent} ${message}`;
    note.hidden = false;
    for (let details = place.closest("details"); details; details = details.parentElement.closest("details")) details.open = true;
    const input = place.querySelector("input:not([type=radio], [type=checkbox]), select") ?? place.querySelector("input, button");
    input?.setAttribute("aria-invalid", "true");
    input?.setAttribute("aria-describedby", note.id);
    return input;
  });
  return inputs.find(Boolean);
}

/** Finds where a place's own refusals stand; a row has none, so that its first field speaks for it. @returns {any} */
function noteOf(/** @type {HTMLElement} */ place) {
  const notes = [...place.querySelectorAll(".refusal")];
  return notes.find((note) => (note.closest("[data-key], [data-row]") ?? null) === (place.closest("[data-key], [data-row]") ?? null)) ?? notes[0];
}

export function clearRefusals(/** @type {HTMLElement} */ root) {
  for (const note of root.querySelectorAll(".refusal")) /** @type {HTMLElement} */ (note).hidden = true;
  for (const input of root.querySelectorAll("[aria-invalid]")) {
    input.removeAttribute("aria-invalid");
    input.removeAttribute("aria-describedby");
  }
}

/** Follows a JSON Pointer down the form, as far as the form goes. @returns {any} */
function placeOf(/** @type {HTMLElement} */ root, /** @type {string} */ pointer) {
  let place = root;
  for (const step of pointer.split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    const rows = place.querySelectorAll(":scope > .rows > [data-row]");
    const found = rows.length && /^\d+$/.test(name) ? rows[Number(name)] : within(place, name);
    if (!found) break;
    place = /** @type {HTMLElement} */ (found);
  }
  return place;
}

/** Finds a part of a place by its name, but none of a part of that place. */
function within(/** @type {HTMLElement} */ place, /** @type {string} */ name) {
  const candidates = place.querySelectorAll(`[data-key="${CSS.escape(name)}"]`);
  return [...candidates].find((one) => (one.parentElement?.closest("[data-key], [data-row]") ?? null) === (place.closest("[data-key], [data-row]") ?? null));
}
