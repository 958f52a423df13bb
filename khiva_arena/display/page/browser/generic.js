// The drawing of a game that brings none: what can be chosen, the state as text, and what is known as a list.

import { h, pairs } from "./dom.js";

const AT_ONCE = 12; // of more choices the seat asks for the first part first

/** @type {import("./types").Drawing} */
export const generic = {
  draw({ frame, names, choices = [] }) {
    const own = frame.own.flatMap((known, seat) => (known ? [h("h3", {}, `${seat} ${names[seat]} knows`), facts(known)] : []));
    const open = Object.fromEntries(frame.open.map((key) => [key, frame.all[key]]));
    return h(
      "div",
      { class: "generic" },
      choices.length && choices.length <= AT_ONCE ? h("ol", { class: "options" }, choices.map(({ index, words }) => h("li", {}, h("span", { "data-choice": index }, words)))) : null,
      frame.sketch ? h("pre", { tabindex: 0, role: "group", "aria-label": "The whole state" }, frame.sketch) : null,
      h("div", { class: "knows" }, frame.open.length ? h("div", {}, h("h3", {}, "Everybody knows"), facts(open)) : null, own.length ? h("div", {}, own) : null),
    );
  },
};

/** @param {Record<string, any>} known */
function facts(known) {
  return h("dl", {}, pairs(Object.entries(known).filter(([key]) => key !== "seat" && key !== "seats").map(([key, value]) => [key, shown(value)])));
}

/** A text of several lines, such as a board, as it is; else JSON. @param {any} value */
function shown(value) {
  return typeof value === "string" && value.includes("\n") ? h("pre", { tabindex: 0 }, value) : JSON.stringify(value);
}
