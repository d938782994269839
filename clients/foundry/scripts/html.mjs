/** Making elements. Text stays text: nothing from the service or from players is ever read as HTML. */

/**
 * Makes an element.
 *
 * @param {string} tag
 * @param {Record<string, any>} [properties] properties; `class`, `role` and names with a dash are attributes
 * @param {...(Node | string | null | false | undefined)} children
 * @returns {HTMLElement}
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name === "class" || name === "role" || name.includes("-")) element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Makes a button that only does something, and submits nothing. */
export function button(text, label, onclick) {
  return h("button", { type: "button", class: "wurf-small", "aria-label": label, title: label, onclick }, text);
}
