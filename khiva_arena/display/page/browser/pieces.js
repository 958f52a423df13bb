// What the tables of several games have alike: the window of a seat, card backs, and things that move.

import { count } from "./words.js";
import { h, pairs } from "./dom.js";

const LATEST = 380; // milliseconds after which the last of several things moves

/**
 * What lies in front of a seat, under its name and its points.
 * @param {import("./types").Scene} scene
 * @param {number} seat
 * @param {string} kind
 * @param {...import("./dom.js").Child} inside
 */
export function window_of({ frame, names }, seat, kind, ...inside) {
  const points = frame.scores[seat];
  const leads = points > Math.max(...frame.scores.filter((_, other) => other !== seat));
  const named = h("h3", {}, h("span", { class: "seat-of" }, `${seat} ${names[seat]}`), seat in frame.scores ? h("span", { class: leads ? "points leads" : "points" }, count(points, "point")) : null);
  return h("section", { class: `player ${kind}`, "data-seat": seat, "aria-label": `${seat} ${names[seat]}` }, named, ...inside);
}

/**
 * What lies in front of a seat, in rows.
 * @param {import("./types").Scene} scene
 * @param {number} seat
 * @param {[string, any][]} rows  words and what stands beside them
 * @param {boolean} asked  whether it is its turn
 * @param {string} [before]  words in front of its points
 * @param {...import("./dom.js").Child} more  above the rows
 */
export function player(scene, seat, rows, asked, before = "", ...more) {
  const made = window_of(scene, seat, asked ? "asked" : "", ...more, h("dl", {}, pairs(rows)));
  made.querySelector(".points")?.prepend(before);
  return made;
}

/** Cards that these eyes do not see. @param {number} many */
export function backs(many) {
  return Array.from({ length: many }, () => h("span", { class: "card back", title: "a hidden card" }, "?"));
}

/** Something comes from where it stood, unless motion is not wanted. @param {Element} piece @param {{x: number, y: number}} from @param {{x: number, y: number}} to @param {number} [delay]  milliseconds, of one of several */
export function slide(piece, from, to, delay = 0) {
  move(piece, [from, to].map(({ x, y }) => ({ transform: `translate(${x}px, ${y}px)` })), Math.min(delay, LATEST));
}

/** A card is turned up, unless motion is not wanted. @param {Element} card */
export function turn_up(card) {
  move(card, [{ transform: "scaleX(0)" }, { transform: "none" }], 0);
}

/** @param {Element} piece @param {Keyframe[]} ways @param {number} delay */
function move(piece, ways, delay) {
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) piece.animate(ways, { duration: 220, easing: "ease-out", delay, fill: "backwards" });
}
