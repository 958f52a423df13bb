// What happened in a match, in words: the story, and what could be chosen at a step.

import { duration, number } from "./words.js";
import { h } from "./dom.js";
import { link } from "./route.js";
import { seen } from "./film.js";

/**
 * The story up to the end, with the current step lit; what these eyes did not see is left out. The list is one and the same as long
 * as the eyes are: a step lights other lines of it, since to lay all of them out again takes longer than all else that a step draws.
 * @param {import("./types").Frame[]} film  frames may be added
 * @param {import("./types").Match} one
 * @param {(step: number) => void} to
 * @param {import("./types").Drawing} [drawing]
 */
export function story(film, one, to, drawing) {
  /** @type {import("./types").Eyes | null} */
  let whose = null;
  let list = h("ol");
  return (/** @type {number} */ step, /** @type {import("./types").Eyes} */ eyes) => {
    if (eyes !== whose) list = h("ol", { class: "events" });
    whose = eyes;
    list.append(...film.slice(list.childElementCount).map((frame) => line(frame, eyes, one, to, drawing)));
    [...list.children].forEach((shown, at) => light(shown, film[at].step === step ? "now" : film[at].step > step ? "later" : ""));
    return list;
  };
}

/** A line of the story: what happened in a frame. @param {import("./types").Frame} frame @param {import("./types").Eyes} eyes @param {import("./types").Match} one @param {(step: number) => void} to @param {import("./types").Drawing} [drawing] */
function line(frame, eyes, one, to, drawing) {
  const faults = [...frame.asked.filter((ask) => ask.why && ask.why !== "forfeited").map((ask) => `${one.names[ask.seat]}: ${ask.why}, the default is played`)];
  const events = seen(frame, eyes).events.filter((event) => event.text);
  const head = events.findLast((event) => drawing?.tells?.(event.data)) ?? events[0]; // the one that is left when the others are folded
  return h(
    "li",
    {},
    h("a", { href: link({ match: one.key, step: frame.step || null, eyes: eyes === "all" ? null : eyes }), class: "step", onclick: (event) => { if (plain(event)) { event.preventDefault(); to(frame.step); } } }, frame.step),
    h("div", {}, faults.map((text) => h("p", { class: "fault-line" }, text)), events.map((event) => h("p", { class: event === head ? "head" : null }, event.text)), faults.length || events.length ? null : h("p", { class: "dim" }, "…")),
  );
}

/** Light a line of the story; one that is so already is left alone. @param {Element} one @param {string} kind */
function light(one, kind) {
  if (one.className === kind) return;
  one.className = kind;
  if (kind === "now") one.setAttribute("aria-current", "step");
  else one.removeAttribute("aria-current");
}

/** Whether a click asks for no other tab or window. @param {any} event */
function plain(event) {
  return !event.ctrlKey && !event.metaKey && !event.shiftKey;
}

/** How long a decision took, and if that was beyond its turn, what was left in the bank. @param {number | [number, number] | null} time */
function took(time) {
  if (time === null) return "";
  if (!Array.isArray(time)) return time < 1 ? ", in less than 1 ms" : `, in ${duration(time / 1000)}`;
  const [ms, left] = time;
  return `, in ${duration(ms / 1000)}, ${left ? `${number(left / 1000, 2)} s` : "nothing"} left in the bank`;
}

/** A choice in words. @param {import("./types").Frame["asked"][number]} ask @param {any} entry @param {import("./types").Frame} before @param {import("./types").Drawing} drawing @param {any} scenery */
export function said(ask, entry, before, drawing, scenery) {
  return drawing.choice?.(ask.kind, entry, scenery, { ...before.all, ...before.own[ask.seat] }) ?? entry.join(" ");
}

/** What the seats could choose, and what they chose. @param {import("./types").Frame} frame @param {import("./types").Frame | null} before @param {import("./types").Match} one @param {import("./types").Drawing} drawing @param {any} scenery */
export function choices(frame, before, one, drawing, scenery) {
  if (!frame.asked.length || !before) return null;
  const words = (/** @type {import("./types").Frame["asked"][number]} */ ask, /** @type {any} */ entry) => said(ask, entry, before, drawing, scenery);
  return h(
    "div",
    { class: "choices" },
    frame.asked.map((ask) =>
      h(
        "details",
        { open: ask.legal.length <= 12 },
        h("summary", {}, h("b", {}, `${ask.seat} ${one.names[ask.seat]}`), ` ${ask.kind.replace(/_|(?=[0-9])/g, " ")}: `, h("b", {}, words(ask, ask.legal[ask.choice])), ask.why ? ` (${ask.why}: the default)` : "", h("span", { class: "dim" }, `, one of ${ask.legal.length}`, took(ask.took))),
        h("ul", {}, ask.legal.map((entry, at) => h("li", { class: at === ask.choice ? "chosen" : null }, words(ask, entry)))),
      ),
    ),
  );
}
