// Elements, made of data: whatever a bot or a stranger wrote becomes a text node or an attribute's value, never markup.

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, string | number | boolean | EventListener | undefined | null>} Attributes */

/**
 * An HTML element. An attribute that begins with "on" is a listener; one that is false, null or undefined is left out.
 * @param {string} tag
 * @param {Attributes} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElement}
 */
export function h(tag, attributes = {}, ...children) {
  return /** @type {HTMLElement} */ (filled(document.createElement(tag), attributes, children));
}

/**
 * An SVG element.
 * @param {string} tag
 * @param {Attributes} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {SVGElement}
 */
export function s(tag, attributes = {}, ...children) {
  return /** @type {SVGElement} */ (filled(document.createElementNS(SVG, tag), attributes, children));
}

/** A line, or a shape. @param {string} d @param {string} kind */
export function path(d, kind) {
  return s("path", { d, class: kind });
}

/** A drawing with what it says to those who do not see it. @param {number} width @param {number} height @param {string} words @param {Child[]} marks @param {Attributes} [more] */
export function picture(width, height, words, marks, more = {}) {
  return s("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words, ...more }, marks);
}

/**
 * @param {Element} element
 * @param {Attributes} attributes
 * @param {(Child | Child[])[]} children
 */
function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

/** A place that scrolls what is too wide for it, by keys, too. @param {string} title @param {Child} inside @param {string} [kind] */
export function scrolls(title, inside, kind = "scrolls") {
  const box = h("div", { class: kind, tabindex: 0, role: "group", "aria-label": title }, inside);
  const more = h("p", { class: "goes-on", "aria-hidden": "true" }, "more to the right: scroll →");
  const look = () => { more.hidden = box.scrollWidth - box.clientWidth - box.scrollLeft < 4; };
  box.addEventListener("scroll", look, { passive: true });
  const sizes = new ResizeObserver(look);
  sizes.observe(box);
  if (inside instanceof Element) sizes.observe(inside);
  look();
  return h("div", {}, box, more);
}

/** Hands the keys of a view to a function that tells whether it has used one. @param {(key: string) => boolean} act */
export function keyed(act) {
  addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.composedPath()[0]); // within a shadow root, too
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest?.("input:not([type=range]), select, textarea, [contenteditable]")) return;
    if (event.key === " " && target.closest?.("button, a, summary")) return;
    if (act(event.key)) event.preventDefault();
  });
}

/** What stands in a list of words and values. @param {[string, Child | Child[]][]} rows */
export function pairs(rows) {
  return rows.flatMap(([word, value]) => [h("dt", {}, word), h("dd", { "data-what": word }, ...[value].flat())]);
}

/** A name, cut where it is too long for its place, with the whole at hand. @param {string} text @param {boolean} [strong] */
export function name(text, strong = false) {
  return h("span", { class: strong ? "name won" : "name", title: text }, text);
}

/**
 * Puts children into an element, in place of what it held.
 * @param {Element} element
 * @param {...Child} children
 */
export function refill(element, ...children) {
  element.replaceChildren();
  filled(element, {}, children);
}

/**
 * Calls ``draw`` when an element gets its first width, and whenever that changes; in the next frame, so that what is drawn may
 * change the element's height.
 * @param {Element} element
 * @param {() => void} draw
 */
export function whenever_wide(element, draw) {
  let known = 0;
  new ResizeObserver(() =>
    requestAnimationFrame(() => {
      if (element.clientWidth === known || !element.isConnected) return;
      known = element.clientWidth;
      draw();
    }),
  ).observe(element);
}
