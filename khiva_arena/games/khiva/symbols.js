// The things of Khiva's table as shapes on a grid of 24 units: flat, lit from the top left, with one outline. Colours come from the
// style: --fill of the thing, --on of what is drawn on it.

import { CAMEL, maker } from "../../display/page/browser/pieces.js";
import { h, path, s } from "../../display/page/browser/dom.js";

/** The pattern of each colour, around 0,0: plain, dots, bars, zigzag, medallion. */
const PATTERNS = ["", "M-4-2h.01M0-2h.01M4-2h.01M-2 2h.01M2 2h.01", "M-4-3.5v7M0-3.5v7M4-3.5v7", "M-6 2l3-4 3 4 3-4 3 4", "M0-4.5L5 0 0 4.5-5 0ZM0-1l1.2 1L0 1-1.2 0Z"];

/** Each shape: what it is filled with (f: its colour, d: in the shade, l: in the light, o: only a line), and where. @type {Record<string, string[][]>} */
export const SHAPES = {
  camel: CAMEL,
  teapot: [
    ["o", "M5.8 11C1 9.6 1 17.4 6 16.4"],
    ["f", "M8.5 8C4 9.5 4 20.5 8.5 20.5H15C18 20.5 19.6 17.8 19.8 15.5L23 8.2L18.8 10.8C17.8 8.8 16.6 8 15.5 8Z"],
    ["f", "M8.2 8Q12 2.6 15.8 8Z"],
    ["l", "M8.6 10C6.6 12 6.6 16 8 18"],
  ],
  salt: [
    ["f", "M9 8C2.6 12 2.6 21.4 8 21.4H16C21.4 21.4 21.4 12 15 8L17 3.6L12 5.4L7 3.6Z"],
    ["o", "M8.6 8.2H15.4"],
  ],
  gem: [
    ["f", "M7 4.4H17L22 10L12 21L2 10Z"],
    ["l", "M7 4.4H12L8.2 10H2Z"],
    ["d", "M15.8 10H22L12 21Z"],
    ["o", "M2 10H22"],
  ],
  carpet: [
    ["fringe", "M2.6 6V18M21.4 6V18"],
    ["f", "M4 5.4H20V18.6H4Z"],
    ["thin", "M6.2 7.6H17.8V16.4H6.2Z"],
  ],
  tent: [
    ["o", "M12 5V1.6L15.6 2.8L12 4"],
    ["f", "M12 4.6C13.6 9.6 17.4 15 22 21H2C6.4 15 10.4 9.6 12 4.6Z"],
    ["d", "M12 4.6C13.6 9.6 17.4 15 22 21H16Z"],
    ["door", "M12 11L15 21H9Z"],
  ],
  gate: [
    ["f", "M3 21.4V4.6H21V21.4Z"],
    ["l", "M5.6 7.4H18.4"],
    ["door", "M7.4 21.4V14Q7.4 11 12 8.6Q16.6 11 16.6 14V21.4Z"],
  ],
  card: [
    ["f", "M6 2.4H18Q19.4 2.4 19.4 3.8V20.2Q19.4 21.6 18 21.6H6Q4.6 21.6 4.6 20.2V3.8Q4.6 2.4 6 2.4Z"],
    ["thin", "M12 6.4L16 12L12 17.6L8 12Z"],
  ],
};

/** A thing, to be put into a drawing: its name, its middle, its size, and more classes. */
export const thing = maker(SHAPES);

/** The pattern of a colour. @param {number} colour @param {number} x @param {number} y @param {number} size */
export function pattern(colour, x, y, size) {
  return s("g", { class: "pattern", transform: `translate(${x},${y}) scale(${size / 12})` }, PATTERNS[colour] ? path(PATTERNS[colour], "thin") : null);
}

/** A camel in its colour, its pattern on its side. @param {number} colour @param {number} size */
export function camel(colour, size) {
  const k = size / 24;
  return s("g", {}, thing("camel", 0, 0, size), pattern(colour, -2.3 * k, 0.4 * k, 6.4 * k));
}

/** A thing in a line of text; a number may stand on it. @param {string} name @param {string} [words]  for the pointer @param {string | number} [on] @param {string} [kind] */
export function icon(name, words = "", on = "", kind = "") {
  const shape = s("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, thing(name, 12, 12, 24, kind));
  return h("span", { class: `icon ${name}-icon`, title: words || null }, shape, on === "" ? null : h("b", {}, on));
}
