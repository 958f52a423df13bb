// What happened in a match, in words: the story, and what could be chosen at a step.

import { duration, number } from "./words.js";
import { h } from "./dom.js";
import { link } from "./route.js";
import { seen } from "./film.js";

/**
 * The story up to the end, with the current step lit; what these eyes did not see is left out.
 * @param {import("./types").Frame[]} film
 * @param {import("./types").Match} one
 * @param {(step: number) => void} to
 */
export function story(film, one, to) {
  return (/** @type {number} */ step, /** @type {import("./types").Eyes} */ eyes) =>
    h(
      "ol",
      { class: "events" },
      film.map((frame) => {
        const faults = [...frame.asked.filter((ask) => ask.why && ask.why !== "forfeited").map((ask) => `${one.names[ask.seat]}: ${ask.why}, the default is played`)];
        const texts = seen(frame, eyes).events.map((event) => event.text).filter(Boolean);
        return h(
          "li",
          { class: frame.step === step ? "now" : frame.step > step ? "later" : null, "aria-current": frame.step === step ? "step" : null },
          h("a", { href: link({ match: one.key, step: frame.step || null, eyes: eyes === "all" ? null : eyes }), class: "step", onclick: (event) => { if (plain(event)) { event.preventDefault(); to(frame.step); } } }, frame.step),
          h("div", {}, faults.map((text) => h("p", { class: "fault-line" }, text)), texts.map((text) => h("p", {}, text)), faults.length || texts.length ? null : h("p", { class: "dim" }, "…")),
        );
      }),
    );
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

/** What the seats could choose, and what they chose. @param {import("./types").Frame} frame @param {import("./types").Frame | null} before @param {import("./types").Match} one @param {import("./types").Drawing} drawing @param {any} scenery */
export function choices(frame, before, one, drawing, scenery) {
  if (!frame.asked.length || !before) return null;
  const words = (/** @type {import("./types").Frame["asked"][number]} */ ask, /** @type {any} */ entry) => drawing.choice?.(ask.kind, entry, scenery, { ...before.all, ...before.own[ask.seat] }) ?? entry.join(" ");
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
