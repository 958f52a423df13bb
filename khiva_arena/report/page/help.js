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

/** Text of the docs without its marks of emphasis. @param {string} text */
function plain(text) {
  return text.replace(/[`*]/g, "");
}
