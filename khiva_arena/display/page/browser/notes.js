// What bots wrote on stderr during a match: present only in a page that was made with notes.

import { h, refill } from "./dom.js";
import { link } from "./route.js";

const MARK = /^\u2068?\[step (\d+)[:\]].*/;
const BEFORE_A_MARK = /^(?=\u2068?\[step \d)/m;

/**
 * By seat, as text; the arbiter's marks lead to their steps. What a bot wrote is indented, so it can write no mark. Above stands what bots wrote at the step that is shown.
 * @param {string[] | undefined} texts
 * @param {import("./types").Match} one
 */
export function notes(texts, one) {
  if (!texts?.some(Boolean)) return null;
  const pieces = texts.map((text) => (text ? text.split(BEFORE_A_MARK).map(cut) : []));
  /** @type {(piece: Piece) => (Node | string)[]} */
  const line = ({ mark, step, said }) => (mark ? [h("a", { href: link({ match: one.key, step }) }, mark), said] : [said]);
  const now = h("div", { class: "said" });
  const element = h(
    "section",
    { class: "stderr", "aria-label": "Notes" },
    h("h3", {}, "What bots wrote on stderr"),
    now,
    pieces.map((of, seat) => (of.length ? h("details", { open: texts.filter(Boolean).length === 1 }, h("summary", {}, `${seat}: ${one.names[seat]}`), h("pre", {}, of.flatMap(line), "\n")) : null)),
  );
  const at = (/** @type {number} */ step) => {
    const said = pieces.map((of) => of.filter((piece) => piece.step === step).map((piece) => piece.said).join("").replace(/^\n+|\n+$/g, ""));
    const words = (/** @type {number} */ seat) => `${seat}: ${one.names[seat]}, at step ${step}`;
    refill(now, ...said.flatMap((text, seat) => (text ? [h("h4", {}, words(seat)), h("pre", { tabindex: 0, "aria-label": words(seat) }, text)] : [])), said.some(Boolean) ? null : h("p", { class: "dim" }, `Nothing at step ${step}.`));
  };
  return { element, at };
}

/** @typedef {{ mark: string, step: number, said: string }} Piece */

/** A piece of the text; what stands before the first mark is of the start, step 0. @param {string} text @returns {Piece} */
function cut(text) {
  const [mark = "", step = "0"] = MARK.exec(text) ?? [];
  return { mark, step: Number(step), said: text.slice(mark.length) };
}
