// What a number means, at a click: the sentences of the docs.

import { h } from "./dom.js";

let made = 0;

/**
 * A word with a button that opens its meaning.
 * @param {string} word
 * @param {string} meaning
 * @returns {HTMLElement}
 */
export function explained(word, meaning) {
  if (!meaning) return h("span", {}, word);
  made += 1;
  const id = `meaning-${made}`;
  return h(
    "span",
    { class: "explained" },
    word,
    h("button", { class: "what", type: "button", popovertarget: id, "aria-label": `What does ${word} mean?` }, "?"),
    h("span", { id, popover: "auto", class: "meaning", role: "note" }, h("b", {}, word), " ", plain(meaning)),
  );
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
    const box = place.getBoundingClientRect();
    tip.showPopover();
    tip.style.left = `${Math.max(4, Math.min(box.left, innerWidth - tip.offsetWidth - 4))}px`;
    tip.style.top = `${box.bottom + tip.offsetHeight > innerHeight ? box.top - tip.offsetHeight : box.bottom}px`;
  };
  const close = () => tip.hidePopover();
  for (const [name, listener] of Object.entries({ pointerenter: open, focus: open, pointerleave: close, blur: close })) place.addEventListener(name, listener);
  place.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
  return place;
}

/** Text of the docs without its marks of emphasis. @param {string} text */
function plain(text) {
  return text.replace(/[`*]/g, "");
}
