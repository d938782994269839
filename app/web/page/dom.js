// @ts-check
/** Making elements. No markup is ever built from text, so nothing that a player wrote can become any. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Makes an HTML element. Properties named on… listen, true and false set or leave out an attribute, null leaves
 * it out, everything else is an attribute.
 *
 * @param {string} tag
 * @param {Record<string, any>} [properties]
 * @param {...any} children nodes, texts, lists of them, or null and false for nothing
 * @returns {any}
 */
export function h(tag, properties, ...children) {
  return furnish(document.createElement(tag), properties, children);
}

/**
 * The same for SVG.
 *
 * @param {string} tag
 * @param {Record<string, any>} [properties]
 * @param {...any} children
 * @returns {any}
 */
export function svg(tag, properties, ...children) {
  return furnish(document.createElementNS(SVG, tag), properties, children);
}

/**
 * @param {Element} element
 * @param {Record<string, any>} properties
 * @param {any[]} children
 */
function furnish(element, properties = {}, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== false && child !== undefined));
  return element;
}

let made = 0;

/** Makes an id that no other element has. */
export function freshId() {
  made += 1;
  return `x${made}`;
}

/**
 * Keeps something for the next visit, where the browser lets us.
 *
 * @param {Storage | undefined} storage
 */
function kept(storage) {
  return {
    /** @param {string} name */
    get(name) {
      try {
        return JSON.parse(storage?.getItem(`wurf.${name}`) ?? "null");
      } catch {
        return null;
      }
    },
    /** @param {string} name @param {unknown} value */
    set(name, value) {
      try {
        storage?.setItem(`wurf.${name}`, JSON.stringify(value));
      } catch {
        // Full, or forbidden: the page works without.
      }
    },
  };
}

/** @param {() => Storage} find */
function allowed(find) {
  try {
    return find();
  } catch {
    return undefined;
  }
}

/** What stays on this device. */
export const device = kept(allowed(() => localStorage));
/** What goes when the tab closes. */
export const session = kept(allowed(() => sessionStorage));
