// What bots wrote on stderr during a match: present only in a page that was made with notes.

import { h } from "./dom.js";
import { link } from "./route.js";

const MARK = /^\[step (\d+): /;

/**
 * By seat, as text; the arbiter's marks lead to their steps. What a bot wrote is indented, so it can write no mark.
 * @param {string[] | undefined} texts
 * @param {import("./types").Match} one
 */
export function notes(texts, one) {
  if (!texts?.some(Boolean)) return null;
  const line = (/** @type {string} */ text) => {
    const mark = MARK.exec(text);
    return mark ? h("a", { href: link({ match: one.key, step: mark[1] }) }, text) : text;
  };
  return h(
    "section",
    { class: "stderr", "aria-label": "Notes" },
    h("h3", {}, "What bots wrote on stderr"),
    texts.map((text, seat) => (text ? h("details", { open: texts.filter(Boolean).length === 1 }, h("summary", {}, `${seat}: ${one.names[seat]}`), h("pre", {}, text.split("\n").flatMap((part) => [line(part), "\n"]))) : null)),
  );
}
