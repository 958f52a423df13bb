// What the tables of several games have alike: the window of a seat, card backs, and things that move.

import { h, pairs } from "./dom.js";

/**
 * What lies in front of a seat.
 * @param {import("./types").Scene} scene
 * @param {number} seat
 * @param {[string, any][]} rows  words and what stands beside them
 * @param {boolean} asked  whether it is its turn
 * @param {string} [before]  words in front of its points
 * @param {...import("./dom.js").Child} more  above the rows
 */
export function player({ frame, names }, seat, rows, asked, before = "", ...more) {
  return h(
    "section",
    { class: `player${asked ? " asked" : ""}`, "data-seat": seat, "aria-label": `${seat} ${names[seat]}` },
    h("h3", {}, `${seat} ${names[seat]}`, seat in frame.scores ? h("span", { class: "points" }, `${before}${frame.scores[seat]} points`) : null),
    ...more,
    h("dl", {}, pairs(rows)),
  );
}

/** Cards that these eyes do not see. @param {number} many */
export function backs(many) {
  return Array.from({ length: many }, () => h("span", { class: "card back", title: "a hidden card" }, "?"));
}

/** Something comes from where it stood, unless motion is not wanted. @param {Element} piece @param {{x: number, y: number}} from @param {{x: number, y: number}} to */
export function slide(piece, from, to) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  piece.animate([from, to].map(({ x, y }) => ({ transform: `translate(${x}px, ${y}px)` })), { duration: 220, easing: "ease-out" });
}
