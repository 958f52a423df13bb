// The frame of a chart: a title that says what it shows, a drawing as wide as its place, and its numbers as a table.

import { explained } from "./help.js";
import { h, refill, s, whenever_wide } from "./dom.js";

/**
 * @typedef {object} Drawn
 * @property {SVGElement[]} marks
 * @property {number} height
 *
 * @typedef {object} Numbers
 * @property {string[]} heads
 * @property {string[][]} rows
 */

/**
 * A chart. It is drawn again when its place gets wider or narrower.
 * @param {string} title
 * @param {string} note   what the axes are, and what a reader should see
 * @param {(width: number) => Drawn} draw
 * @param {Numbers} numbers
 * @param {string} [meaning]  the sentence of the docs
 * @returns {HTMLElement}
 */
export function chart(title, note, draw, numbers, meaning = "") {
  const place = h("div", { class: "drawing" });
  whenever_wide(place, () => {
    const width = place.clientWidth;
    const { marks, height } = draw(width);
    const links = marks.some((mark) => mark.querySelector("a")); // what is an image has nothing in it to press
    refill(place, s("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: links ? "group" : "img", "aria-label": `${title}. ${note}` }, marks));
  });
  return h(
    "figure",
    { class: "chart" },
    h("figcaption", {}, h("h3", {}, explained(title, meaning)), h("p", { class: "note" }, note)),
    place,
    h("details", {}, h("summary", {}, "Numbers"), table(numbers, title)),
  );
}

/** A plain table; the first column are words. @param {Numbers} numbers @param {string} title */
export function table({ heads, rows }, title) {
  return h(
    "div",
    { class: "scrolls", tabindex: 0, role: "group", "aria-label": `${title}: numbers` },
    h(
      "table",
      { class: "numbers" },
      h("thead", {}, h("tr", {}, heads.map((head) => h(head ? "th" : "td", head ? { scope: "col" } : {}, head)))),
      h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell, at) => h(at ? "td" : "th", at ? {} : { scope: "row", title: cell }, cell))))),
    ),
  );
}

/**
 * Text in a drawing.
 * @param {number} x
 * @param {number} y
 * @param {string} words
 * @param {"start" | "middle" | "end"} [anchor]
 * @param {string} [kind]
 */
export function label(x, y, words, anchor = "start", kind = "label") {
  return s("text", { x, y, "text-anchor": anchor, class: kind }, words);
}

/** A name that fits into so many letters; one that isolates itself from its neighbours still does. @param {string} name @param {number} most */
export function shortened(name, most) {
  const letters = [...name];
  if (letters.length <= most) return name;
  return `${letters.slice(0, Math.max(1, most - 1)).join("")}…${name.endsWith("\u2069") ? "\u2069" : ""}`;
}
