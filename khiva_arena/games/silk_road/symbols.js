// The things of Silk Road's table as shapes on a grid of 24 units: flat, lit from the top left, with one outline. Colours come from
// the style: --fill of the thing, --on of what is drawn on it.

import { CAMEL, maker } from "../../display/page/browser/pieces.js";
import { h, path, s } from "../../display/page/browser/dom.js";

/** The things by the good that they stand for: ivory, spice, porcelain, silk, tea. */
export const OF_GOODS = ["tusk", "spice", "vase", "silk", "leaf"];

/** The thing of a tile, and what is written on it. @type {Record<string, [string, string]>} */
export const OF_TILES = {
  black_market: ["moon", ""],
  camels_1: ["camel", "1"],
  camels_2: ["camel", "2"],
  camels_3: ["camel", "3"],
  customs: ["barrier", ""],
  sandstorm: ["storm", ""],
  robber: ["sabre", ""],
  bazaar: ["stall", ""],
  baksheesh: ["hand", ""],
};

/** The pattern of each colour of jewels, around 0,0: plain, dots, bars, zigzag, medallion. */
const PATTERNS = ["", "M-3-2h.01M3-2h.01M0 2h.01", "M-3-3.5v5M0-3.5v8M3-3.5v5", "M-5 0l2.5-3 2.5 3 2.5-3 2.5 3", "M0-3.5L3.5 0 0 4.5-3.5 0Z"];

/** Each shape: what it is filled with (f: its colour, d: in the shade, l: in the light, o: only a line), and where. @type {Record<string, string[][]>} */
export const SHAPES = {
  tusk: [
    ["f", "M3 3.4L8 2.4C8.4 11 13 17.4 22 19.6C11 23.6 3 16 3 3.4Z"],
    ["d", "M3 8C4 15 10 20.6 22 19.6C11 23.6 3.6 17 3 8Z"],
    ["o", "M3.2 6.4L8 5.4"],
  ],
  spice: [
    ["f", "M4 12.6C7 11 9.4 4.6 12 3.4C14.6 4.6 17 11 20 12.6Z"],
    ["f", "M2 12.6H22C22 18 18.6 21.4 14 21.4H10C5.4 21.4 2 18 2 12.6Z"],
    ["d", "M18 12.6H22C22 18 18.6 21.4 14 21.4C17 19.6 18 16.6 18 12.6Z"],
    ["o", "M11 8.6h.01M13.4 10.4h.01M10 11h.01"],
  ],
  vase: [
    ["f", "M8.4 2.6H15.6L14 7C21 10.4 19.6 18 15 21.6H9C4.4 18 3 10.4 10 7Z"],
    ["d", "M14 7C21 10.4 19.6 18 15 21.6H12.6C17 17.6 17 11 12.6 7Z"],
    ["o", "M6.4 13.4L9.2 11.2L12 13.4L14.8 11.2L17.6 13.4"],
  ],
  silk: [
    ["f", "M4 8V21.4L7 19.4L10 21.4L13 19.4L16 21.4V8Z"],
    ["f", "M4.6 2.8H19.4Q22.4 2.8 22.4 5.8Q22.4 8.8 19.4 8.8H4.6Q1.6 8.8 1.6 5.8Q1.6 2.8 4.6 2.8Z"],
    ["o", "M19.4 2.8Q16.8 5.8 19.4 8.8"],
    ["d", "M12.4 9.6H16V21.4L13 19.4Z"],
  ],
  leaf: [
    ["f", "M12 22C2.6 17.4 3.4 7.6 12 2C20.6 7.6 21.4 17.4 12 22Z"],
    ["d", "M12 2C20.6 7.6 21.4 17.4 12 22Z"],
    ["o", "M12 6.4V20M12 12L8.4 9.4M12 12L15.6 9.4M12 16.6L8.4 14M12 16.6L15.6 14"],
  ],
  moon: [
    ["f", "M15.6 2.6C8 2.2 2.8 7 3 13C3.4 19.6 10.6 23.4 17.4 20C11.6 18.6 9.4 14 10 10C10.4 6.6 12.6 4 15.6 2.6Z"],
    ["f", "M17.6 8.2L18.8 11L21.8 11.2L19.4 13.2L20.2 16.2L17.6 14.6L15 16.2L15.8 13.2L13.4 11.2L16.4 11Z"],
  ],
  camel: CAMEL,
  barrier: [
    ["o", "M5.4 13V21.6M18.6 13V21.6"],
    ["f", "M2 6.4H22V13H2Z"],
    ["stripe", "M8.6 6.4L5.4 13M15 6.4L11.8 13M21.4 6.4L18.2 13"],
  ],
  storm: [
    ["swirl", "M3 8.4H15Q19.4 8.4 19.4 5.6Q19.4 3 16.8 3Q14.8 3 14.6 4.8"],
    ["swirl", "M2 13H19Q22.4 13 22.4 16Q22.4 18.6 19.8 18.6Q18 18.6 17.8 17"],
    ["swirl", "M5 17.6H11Q14 17.6 14 19.6Q14 21.6 12 21.6"],
  ],
  sabre: [
    ["f", "M7.6 17.6C8 10.4 13 4.4 21.4 2.4C22 10.4 17.4 16.4 10.4 19.4Z"],
    ["l", "M10.2 15.6C11.6 10.8 15 7 19 5"],
    ["hilt", "M4.4 14.4L12.2 21.4M7.2 18.4L3.4 21.8"],
  ],
  stall: [
    ["o", "M4.6 10V21.6M19.4 10V21.6"],
    ["f", "M4.6 14.6H19.4V18.4H4.6Z"],
    ["f", "M5.6 2.6H18.4L22 10.4H2Z"],
    ["stripe", "M9.8 3V10M14.2 3V10"],
  ],
  hand: [
    ["f", "M2 14.6H7.6L12.4 13.4Q15.6 13.6 14.6 16.2L20 14.4Q22.8 14.6 21.2 17L14.6 21.4H2Z"],
    ["coin", "M13 2.4A4.2 4.2 0 1 1 12.99 2.4Z"],
  ],
  jewel: [
    ["f", "M7 4.4H17L22 10L12 21L2 10Z"],
    ["l", "M7 4.4H12L8.2 10H2Z"],
    ["d", "M15.8 10H22L12 21Z"],
  ],
  driver: [
    ["f", "M3.4 22C3.4 15 7 12.4 12 12.4C17 12.4 20.6 15 20.6 22Z"],
    ["face", "M12 4A4.6 4.6 0 1 1 11.99 4Z"],
    ["cloth", "M6.4 7.4C7 1 17 1 17.6 7.4Q12 4.8 6.4 7.4Z"],
  ],
  town: [
    ["cloth", "M6 13C5.4 7.4 9 5.4 12 2C15 5.4 18.6 7.4 18 13Z"],
    ["l", "M8 11.4Q8 8 11 5.6"],
  ],
};

/** A thing, to be put into a drawing: its name, its middle, and its size. */
export const thing = maker(SHAPES);

/** A jewel of a colour, with its pattern; one without a number is colourless. @param {number} colour @param {number} x @param {number} y @param {number} size */
export function jewel(colour, x, y, size) {
  const woven = PATTERNS[colour] ? s("g", { transform: `translate(${x},${y}) scale(${size / 22})` }, path(PATTERNS[colour], "thin")) : null;
  return s("g", { class: `jewel-${colour}` }, thing("jewel", x, y, size), woven);
}

/** A good on a round bale. @param {number} good @param {number} x @param {number} y @param {number} radius */
export function bale(good, x, y, radius) {
  return s("g", { class: `bale good-${good}` }, s("circle", { cx: x, cy: y, r: radius, class: "round" }), thing(OF_GOODS[good], x, y, radius * 1.45));
}

/** A camel with its load and its number. @param {number} number @param {number} good @param {number} size */
export function laden(number, good, size) {
  const digits = s("text", { x: size * 0.3, y: size * 0.46, "text-anchor": "middle", class: "disc", "font-size": size * 0.4 }, number);
  return s("g", {}, thing("camel", 0, 0, size), bale(good, -size * 0.13, -size * 0.25, size * 0.27), digits);
}

/** Something drawn, in a line of text. @param {SVGElement | null} drawn  around 0,0, within 24 units @param {string} words  for the pointer @param {string} [kind] @param {...import("../../display/page/browser/dom.js").Child} more */
export function icon(drawn, words, kind = "", ...more) {
  return h("span", { class: `icon ${kind}`, title: words || null }, s("svg", { viewBox: "-12 -12 24 24", "aria-hidden": "true" }, drawn), ...more);
}
