// What the tables of several games have alike: the window of a seat, its rows, card backs, shapes, and things that move.

import { count, ordinal } from "./words.js";
import { h, pairs, path, s } from "./dom.js";

const LATEST = 380; // milliseconds after which the last of several things moves
export const TOGETHER = 60; // milliseconds between things that move in one step

/** A camel on a grid of 24 units. @type {string[][]} */
export const CAMEL = [["f", "M5.4 21.6L4 14.4C1.8 12.4 3.4 9.8 6.4 9.4C7.4 3 11.4 3 12.6 9.4C15.2 12.8 15.2 3.2 19.2 3L23 5.6L20.2 7.4C19.4 11.8 18.8 14 15.8 15L14.4 21.6L12.6 15.6H7.2Z"], ["d", "M4.2 14.4C8 15.4 12 15 16.4 13.4L15.8 15L14.4 21.6L12.6 15.6H7.2L5.4 21.6Z"]];

/** Words for those who do not see the symbols. @param {string} words */
export function unseen(words) {
  return h("span", { class: "unseen" }, words);
}

/** What is in a row that says what it is only to those who do not see it. @param {string} word @param {any[]} things @param {boolean} [changed] @param {string} [kind] @param {string} [words] @param {boolean} [named]  whether all see what it is */
export function row(word, things, changed = false, kind = "", words = word, named = false) {
  const shown = things.filter((one) => one !== null && one !== "");
  return shown.length ? h("div", { class: `${kind}${changed ? " changed" : ""}` || null, title: words }, h("dt", { class: named ? null : "unseen" }, words), h("dd", { "data-what": word }, shown)) : null;
}

/** The way of something that goes from one place to another. @param {{x: number, y: number}} from @param {{x: number, y: number}} to */
export function arc(from, to) {
  const lift = Math.min(50, Math.hypot(to.x - from.x, to.y - from.y) / 4 + 10);
  return `M${from.x} ${from.y}Q${(from.x + to.x) / 2} ${(from.y + to.y) / 2 - lift} ${to.x} ${to.y}`;
}

/** What makes a thing out of shapes on a grid of 24 units: each has its tone and its path. @param {Record<string, string[][]>} shapes */
export function maker(shapes) {
  return (/** @type {string} */ name, /** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ size, kind = "") =>
    s("g", { class: `thing is-${name} ${kind}`, transform: `translate(${x - size / 2},${y - size / 2}) scale(${size / 24})` }, shapes[name].map(([tone, d]) => path(d, tone)));
}

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

/** The place of a seat, once the match is over. @param {import("./types").Frame} frame @param {number} seat */
export function place_at_end({ events }, seat) {
  const end = events.find(({ data }) => data.type === "end")?.data;
  return end ? h("b", { class: "place-at-end" }, ordinal(end.ranks[seat])) : null;
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
