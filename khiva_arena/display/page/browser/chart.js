// The frame of a chart: a title that says what it shows, a drawing as wide as its place, and its numbers as a table.

import { explained } from "./help.js";
import { h, path, picture, refill, s, scrolls, whenever_wide } from "./dom.js";

const LETTER = 7; // pixels, of a wide one

/** How wide the names of rows are: as wide as the longest needs, and at most 40 % of the drawing. @param {string[]} names @param {number} width */
export function room(names, width) {
  return Math.round(Math.min(width * 0.4, Math.max(60, ...names.map((name) => LETTER * [...name].length + 8))));
}

/** How many letters fit. @param {number} wide */
export function letters(wide) {
  return Math.max(4, Math.floor((wide - 4) / (LETTER - 0.4)));
}

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
    refill(place, picture(width, height, `${title}. ${note}`, marks, links ? { role: "group" } : {}));
  });
  return figure(title, note, meaning, place, h("details", {}, h("summary", {}, "Numbers"), table(numbers, title)));
}

const ROWS = 60;

/**
 * The rows that are drawn, and a note that says so if they are not all: those of a thousand bots would be a page of forty screens.
 * @template T
 * @param {T[]} rows
 * @param {string} note
 * @returns {[T[], string]}
 */
export function first_of(rows, note) {
  return rows.length > ROWS ? [rows.slice(0, ROWS), `${note} The first ${ROWS} of ${rows.length} are drawn; the numbers are of all.`] : [rows, note];
}

/**
 * What is drawn, or a table, under a title that says what it shows.
 * @param {string} title
 * @param {string} note
 * @param {string} meaning  the sentence of the docs
 * @param {...import("./dom.js").Child} children
 */
export function figure(title, note, meaning, ...children) {
  return h("figure", { class: "chart" }, h("figcaption", {}, h("h3", {}, explained(title, meaning)), note ? h("p", { class: "note" }, note) : null), ...children);
}

/** A plain table; the first column are words. @param {Numbers} numbers @param {string} title */
export function table({ heads, rows }, title) {
  return scrolls(
    `${title}: numbers`,
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
 * @param {string | number} words
 * @param {"start" | "middle" | "end"} [anchor]
 * @param {string} [kind]
 */
export function label(x, y, words, anchor = "start", kind = "label") {
  return s("text", { x, y, "text-anchor": anchor, class: kind }, words);
}

/** What stands beside a dot whose interval is not known. @param {number} x @param {number} y @param {number} width */
export function unsure(x, y, width) {
  return x > width - 60 ? label(x - 7, y + 4, "+/- n/a", "end") : label(x + 7, y + 4, "+/- n/a");
}

/**
 * Marks of a level axis: a line up from each, and its value below.
 * @param {number[]} marks
 * @param {(value: number) => number} x
 * @param {number} height  of the drawing
 * @param {string} [unit]
 * @param {number} [middle]  the mark that means nothing is there
 */
export function columns(marks, x, height, unit = "", middle = Number.NaN) {
  return marks.map((mark) => s("g", {}, path(`M${x(mark)},2 V${height - 23}`, mark === middle ? "zero" : "grid"), label(x(mark), height - 7, `${mark}${unit}`, "middle")));
}

/**
 * Marks of an upright axis: a line from each, and its value on the left.
 * @param {number[]} marks
 * @param {(value: number) => number} y
 * @param {number} left
 * @param {number} right
 */
export function levels(marks, y, left, right) {
  return marks.map((mark) => s("g", {}, path(`M${left},${y(mark)} H${right}`, "grid"), label(left - 6, y(mark) + 4, String(mark), "end")));
}

/** The name of a row of a chart, on its left. @param {string} name @param {number} y @param {number} wide  as ``room`` says */
export function row_name(name, y, wide, kind = "label") {
  return label(wide, y, shortened(name, letters(wide)), "end", kind);
}

/** A name that fits into so many letters; one that isolates itself from its neighbours still does. @param {string} name @param {number} most */
export function shortened(name, most) {
  const letters = [...name];
  if (letters.length <= most) return name;
  return `${letters.slice(0, Math.max(1, most - 1)).join("")}…${name.endsWith("\u2069") ? "\u2069" : ""}`;
}
