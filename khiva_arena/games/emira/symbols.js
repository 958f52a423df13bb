// The things of Emira's table as shapes on a grid of 24 units: flat, lit from the top left, with one outline. Colours come from the
// style: --fill of the thing, --on of what is drawn on it.

import { CAMEL, maker } from "../../display/page/browser/pieces.js";
import { h, path, s } from "../../display/page/browser/dom.js";

/** The pattern of each sheik, around 0,0: plain, dots, bars, zigzag, medallion. @type {Record<string, string>} */
const PATTERNS = {
  green: "M-4-2h.01M0-2h.01M4-2h.01M-2 2h.01M2 2h.01",
  white: "",
  red: "M-6 2l3-4 3 4 3-4 3 4",
  blue: "M-4-4v8M0-4v8M4-4v8",
  black: "M0-4L4 0 0 4-4 0Z",
};

const PACK = "M4.6 5.4H13.4V12.4H4.6Z";
const PACKS = "M2.6 1.6H14.4V12.4H2.6Z";
const CORDS = "M4.6 9H13.4";
const CROSS = "M2.6 7H14.4M8.5 1.6V12.4";
const SPEED = "M0.8 16H3M0.8 19H2.6M19 13.6H23M18.4 16.8H23";

/** Each shape: what fills it (f: its colour, d: in the shade, l: in the light, o: only a line), and where. @type {Record<string, string[][]>} */
export const SHAPES = {
  princess: [
    ["f", "M12 1.8C5.4 1.8 6 12.4 2.6 22.2H21.4C18 12.4 18.6 1.8 12 1.8Z"],
    ["d", "M12 1.8C18.6 1.8 18 12.4 21.4 22.2H15.4C17.4 14 17 6 12 1.8Z"],
    ["skin", "M12 5.8C7.8 5.8 8 15.4 12 15.4C16 15.4 16.2 5.8 12 5.8Z"],
    ["o", "M10.4 10.4h.01M13.6 10.4h.01"],
    ["lips", "M11.4 13.2h1.2"],
    ["jewel", "M12 4.4L13.5 6.2L12 8.2L10.5 6.2Z"],
  ],
  prince: [
    ["f", "M3 22.2C3 17 7 15.4 12 15.4C17 15.4 21 17 21 22.2Z"],
    ["skin", "M7.6 8H16.4V12C16.4 18.6 7.6 18.6 7.6 12Z"],
    ["door", "M5 9C3 1 21 1 19 9Q12 5.4 5 9Z"],
    ["o", "M10 11h.01M14 11h.01M10 14.4Q12 13 14 14.4"],
    ["jewel", "M12 1.6L13.5 3.6L12 5.6L10.5 3.6Z"],
  ],
  appearance: [
    ["f", "M12 1.8C4.4 1.8 4.4 15 12 15C19.6 15 19.6 1.8 12 1.8Z"],
    ["glass", "M12 4.2C7.4 4.2 7.4 12.6 12 12.6C16.6 12.6 16.6 4.2 12 4.2Z"],
    ["l", "M10 9.4L13.4 6"],
    ["f", "M10.6 15H13.4L14.2 22.4H9.8Z"],
  ],
  status: [
    ["f", "M4 18.6L1.8 7L7.4 11.4L12 3.4L16.6 11.4L22.2 7L20 18.6Z"],
    ["d", "M12 3.4L16.6 11.4L22.2 7L20 18.6H15Z"],
    ["f", "M4 18.6H20V21.6H4Z"],
    ["jewel", "M12 12L13.6 14.2L12 16.4L10.4 14.2Z"],
  ],
  palace: [
    ["f", "M4 13.4H20V22H4Z"],
    ["dome", "M12 2.6C19 6.6 20.6 9.8 18.2 13.4H5.8C3.4 9.8 5 6.6 12 2.6Z"],
    ["o", "M12 2.6V.8"],
    ["door", "M9.4 22V18.4Q12 14.6 14.6 18.4V22Z"],
  ],
  gold: [
    ["f", "M12 2.6C24.4 2.6 24.4 21.4 12 21.4C-.4 21.4-.4 2.6 12 2.6Z"],
    ["thin", "M12 7.2L16.2 12L12 16.8L7.8 12Z"],
    ["l", "M5 12C5 8.6 7 6.4 10 5.6"],
  ],
  intelligence: [
    ["f", "M12 6C9.4 3.6 5.4 3.6 2 5V19.6C5.4 18.2 9.4 18.4 12 20.8C14.6 18.4 18.6 18.2 22 19.6V5C18.6 3.6 14.6 3.6 12 6Z"],
    ["d", "M12 6C14.6 3.6 18.6 3.6 22 5V19.6C18.6 18.2 14.6 18.4 12 20.8Z"],
    ["o", "M12 6V20.8"],
    ["thin", "M5 9Q7.6 8.2 9.6 9.4"],
  ],
  household: [
    ["f", "M10 10.2H22V18H18.6V14H17V17H14V14H10Z"],
    ["f", "M7 6.6C-.6 6.6-.6 17.4 7 17.4C14.6 17.4 14.6 6.6 7 6.6Z"],
    ["door", "M6.6 10C3.6 10 3.6 14 6.6 14C9.6 14 9.6 10 6.6 10Z"],
  ],
  cooking: [
    ["f", "M3.6 11H20.4V16C20.4 20.4 17.6 22 14.6 22H9.4C6.4 22 3.6 20.4 3.6 16Z"],
    ["d", "M15 11H20.4V16C20.4 20.4 17.6 22 14 22C16 19 15.6 14 15 11Z"],
    ["o", "M1.2 11H22.8"],
    ["o", "M9 8C7.2 6 10.8 4.6 9 2M15 8C13.2 6 16.8 4.6 15 2"],
  ],
  romance: [
    ["f", "M12 21.6C3 14.6.6 10 3 6C5.4 2.4 10 3.4 12 7.4C14 3.4 18.6 2.4 21 6C23.4 10 21 14.6 12 21.6Z"],
    ["d", "M12 21.6C18 15.6 20.4 10 18 4.4C23 6 23.4 13 12 21.6Z"],
  ],
  beauty: [
    ["o", "M12 12.6V22.4M12 21C9 20.6 7 18.8 6.6 16M12 21C15 20.6 17 18.8 17.4 16"],
    ["f", "M12 14C6.4 13.4 4.8 7.4 5.8 2.4L9.2 5.2L12 1.6L14.8 5.2L18.2 2.4C19.2 7.4 17.6 13.4 12 14Z"],
    ["d", "M14.8 5.2L18.2 2.4C19.2 7.4 17.6 13.4 12 14C14.6 11.4 15.2 8.4 14.8 5.2Z"],
  ],
  manners: [
    ["f", "M12 21.4L1.6 9.6C6.4 1.6 17.6 1.6 22.4 9.6Z"],
    ["d", "M12 21.4L16.8 4.8C19.4 5.8 21.2 7.4 22.4 9.6Z"],
    ["o", "M12 21.4L7.2 4.8M12 21.4V3.8M12 21.4L16.8 4.8"],
  ],
  dress: [
    ["f", "M8 2.4H16L22.4 9L19.4 12.6L17 10.6L18.6 21.8H5.4L7 10.6L4.6 12.6L1.6 9Z"],
    ["d", "M13 12L17 10.6L18.6 21.8H13.6Z"],
    ["o", "M9 2.4L12 7.4L15 2.4M12 7.4V21.8"],
  ],
  camel: CAMEL,
  small_slow: [...CAMEL, ["load", PACK], ["o", CORDS]],
  small_fast: [...CAMEL, ["load", PACK], ["o", CORDS], ["o", SPEED]],
  large_slow: [...CAMEL, ["load", PACKS], ["o", CROSS]],
  large_fast: [...CAMEL, ["load", PACKS], ["o", CROSS], ["o", SPEED]],
  section: [
    ["f", "M3 22V6.4H9V9H15V6.4H21V22Z"],
    ["d", "M16 6.4H21V22H16Z"],
    ["door", "M8.6 22V16.4Q12 11 15.4 16.4V22Z"],
  ],
  card: [
    ["f", "M6 2.4H18Q19.4 2.4 19.4 3.8V20.2Q19.4 21.6 18 21.6H6Q4.6 21.6 4.6 20.2V3.8Q4.6 2.4 6 2.4Z"],
    ["thin", "M12 6.4L16 12L12 17.6L8 12Z"],
  ],
  start: [
    ["o", "M6 22.4V2"],
    ["f", "M6 3H21L17 8L21 13H6Z"],
  ],
};

/** A thing, to be put into a drawing: its name, its middle, its size, and more classes. */
export const thing = maker(SHAPES);

/** A thing in a line of text, with words for the pointer. @param {string} name @param {string} [words] @param {string} [kind] @param {string} [goes]  what it is bought as */
export function icon(name, words = "", kind = "", goes = "") {
  const shape = s("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, thing(name, 12, 12, 24, kind));
  return h("span", { class: `icon of-${name}`, title: words || null, "data-goes": goes || null }, shape);
}

/** @param {string} colour @param {string} at */
function pattern(colour, at) {
  return s("g", { transform: `translate(${at})` }, path(PATTERNS[colour] || "M0 0", "thin"));
}

/** A room of a palace in the colour of its sheik, under a dome with its pattern; whoever lives in it stands in its arch. @param {string} colour @param {SVGElement | null} inside */
export function room(colour, inside) {
  return s(
    "svg",
    { viewBox: "0 0 40 60", "aria-hidden": "true", class: `pavilion sheik-${colour}` },
    path("M20 5V1.4", "stem"),
    path("M20 4.4C34 11 37 17 33 24H7C3 17 6 11 20 4.4Z", "dome"),
    path("M20 4.4C34 11 37 17 33 24H25C30 17 28 9 20 4.4Z", "shade"),
    pattern(colour, "19,16.4"),
    path("M3 24H37V59H3Z", "wall"),
    path("M3 27.4H37", "tiles"),
    path("M9 59V41Q9 33.4 20 29.8Q31 33.4 31 41V59Z", "arch"),
    inside,
  );
}

/** The colour of a sheik with its pattern, as a sign. @param {string} colour */
export function banner(colour) {
  const sign = s("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, path("M2 1H14V15L8 12L2 15Z", "dome"), pattern(colour, "8,7"));
  return h("span", { class: `banner sheik-${colour}`, title: colour }, sign);
}
