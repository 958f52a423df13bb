// What a number means, at a click: the sentences of the docs.

import { h } from "./dom.js";

let made = 0;

/**
 * A word with a button that opens its meaning.
 * @param {string} word
 * @param {string} meaning
 * @param {boolean} [beside]  whether the word itself stands beside this already
 * @returns {HTMLElement}
 */
export function explained(word, meaning, beside = false) {
  if (!meaning) return h("span", {}, beside ? "" : word);
  made += 1;
  const id = `meaning-${made}`;
  const button = h("button", { class: "what", type: "button", popovertarget: id, "aria-label": `What does ${word} mean?` }, "?");
  const note = h("span", { id, popover: "auto", class: "meaning", role: "note" }, h("b", {}, word), ": ", plain(meaning));
  note.addEventListener("toggle", (event) => { if (/** @type {ToggleEvent} */ (event).newState === "open") near(note, button.getBoundingClientRect()); });
  return h("span", { class: "explained" }, beside ? null : word, button, note);
}

/** Puts something open below a place, or above it where there is no room. @param {HTMLElement} open @param {DOMRect} box */
function near(open, box) {
  open.style.left = `${Math.max(4, Math.min(box.left, innerWidth - open.offsetWidth - 4))}px`;
  open.style.top = `${Math.max(4, box.bottom + open.offsetHeight > innerHeight ? box.top - open.offsetHeight : box.bottom)}px`;
}

/**
 * Something drawn whose numbers show while it is under the pointer or has the focus; Escape closes them.
 * @param {Element} drawn
 * @param {string} words  the same for those who do not see it
 * @param {import("./dom.js").Child[]} lines
 * @returns {HTMLElement}
 */
export function tipped(drawn, words, lines) {
  const tip = h("span", { popover: "manual", class: "tip", "aria-hidden": "true" }, lines);
  const place = h("span", { class: "tipped", tabindex: 0, role: "img", "aria-label": words }, drawn, tip);
  const open = () => {
    tip.showPopover();
    near(tip, place.getBoundingClientRect());
  };
  const close = () => tip.hidePopover();
  for (const [name, listener] of Object.entries({ pointerenter: open, focus: open, pointerleave: close, blur: close })) place.addEventListener(name, listener);
  place.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
  return place;
}

/** Text of the docs without its marks of emphasis and its numbers of formulas. @param {string} text */
function plain(text) {
  return text.replace(/ \((?:F\d+(?:-F\d+)?|CR3[^)]*)\)/g, "").replace(/[`*]/g, "");
}
