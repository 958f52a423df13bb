// Going on from a step of a match: another choice is put there, whoever runs the modules plays on, and both ends stand side by side.

import { h, refill, scrolls } from "./dom.js";
import { said } from "./story.js";
import { count, ordinal } from "./words.js";

/** @typedef {{ step: number, seat: number, choice?: number }} Other  without a choice, a person takes the seat over */
/** @typedef {{ choice: number, words: string, why: string, ranks: number[], scores: number[], verdicts: string[], points: { counted: Record<string, number>, uncounted: Record<string, number> }[] | null, digest: string }} End */

/**
 * What stands below a step.
 * @param {import("./types").Match} one
 * @param {import("./types").Frame[]} film
 * @param {import("./types").Drawing} drawing
 * @param {any} scenery
 * @param {(what: Other) => Promise<any>} ask  plays on; what it says has `why` if that cannot be
 * @param {(found: any) => void} opens  shows the new match
 */
export function going_on(one, film, drawing, scenery, ask, opens) {
  const offers = h("div", { class: "offers" });
  const status = h("output", { class: "status", role: "status" });
  const ends = h("div");
  const button = h("button", { type: "button", "aria-expanded": "false", onclick: () => (offers.firstChild ? fold() : unfold()) }, "Go on from here");
  const element = h("section", { class: "going-on", "aria-label": "Go on from here" }, button, status, offers, ends);
  let step = -1;
  let asks = 0; // only the answer to the last is shown
  const asked = () => (step > 0 ? film[step].asked.filter((of) => of.why !== "forfeited") : []);
  const fold = () => { refill(offers); button.setAttribute("aria-expanded", "false"); };
  const unfold = () => {
    button.setAttribute("aria-expanded", "true");
    refill(offers, one.event.goes_on ? h("p", { class: "note" }, `Choose otherwise at step ${step}: the others do there as they did, and from then on all play.`) : null, ...asked().map(list));
    /** @type {HTMLElement | null} */ (offers.querySelector("button"))?.focus({ preventScroll: true });
  };
  const list = (/** @type {import("./types").Frame["asked"][number]} */ of) =>
    h("details", { open: true }, h("summary", {}, h("b", {}, `${of.seat} ${one.names[of.seat]}`)), one.event.takes_over ? h("button", { type: "button", onclick: () => takes(of.seat) }, `Take seat ${of.seat} over from here`) : null, !one.event.goes_on ? null : h("ul", { class: "otherwise" }, of.legal.map((entry, choice) => {
      const words = said(of, entry, film[step - 1], drawing, scenery);
      const is_then = choice === of.choice && !of.why;
      return h("li", {}, h("button", { type: "button", class: is_then ? "chosen" : null, title: is_then ? "as recorded" : null, onclick: () => goes(of.seat, choice, words) }, words));
    })));
  const takes = async (/** @type {number} */ seat) => {
    asks += 1;
    const own = asks;
    fold();
    status.textContent = "";
    const found = await ask({ step, seat });
    if (own === asks && found?.why) status.textContent = `Refused: ${found.why}`;
  };
  const goes = async (/** @type {number} */ seat, /** @type {number} */ choice, /** @type {string} */ words) => {
    asks += 1;
    const own = asks;
    fold();
    refill(ends);
    status.textContent = `Step ${step}, seat ${seat}: ${words}. Playing on …`;
    button.focus({ preventScroll: true });
    const found = await ask({ step, seat, choice });
    if (own !== asks) return;
    status.textContent = found.why ? `Refused: ${found.why}` : "";
    if (!found.why) refill(ends, beside(one, found, () => opens(found)));
  };
  return {
    element,
    /** Says which step is shown. @param {number} next */
    at(next) {
      if (next !== step) fold();
      step = next;
      button.hidden = !asked().length;
    },
  };
}

/** Both ends of a match side by side. @param {import("./types").Match} one @param {any} found @param {(() => void) | null} opens  null if the new match is shown already */
export function beside(one, found, opens) {
  const [then, now] = /** @type {End[]} */ ([found.then, found.now]);
  const end = (/** @type {End} */ of, /** @type {number} */ seat) => `${count(of.scores[seat], "point")}, ${ordinal(of.ranks[seat])}${of.verdicts[seat] === "ok" ? "" : `, ${of.verdicts[seat]}`}`;
  const seats = one.names.map((name, seat) => `${seat} ${name}`);
  const row = (/** @type {string[]} */ [head, ...cells]) => h("tr", {}, h("th", { scope: "row", class: "left" }, head), cells.map((cell) => h("td", { class: "left" }, cell)));
  const rows = [["choice", `${then.words}${then.why ? ` (the default, for ${then.why})` : ""}`, now.words], ...seats.map((head, seat) => [head, end(then, seat), end(now, seat)])];
  const heads = (/** @type {string[]} */ names) => h("thead", {}, h("tr", {}, names.map((head) => h("th", { scope: "col", class: "left" }, head))));
  return h(
    "section",
    { "aria-label": "Both ends" },
    h("h3", {}, `From step ${found.step} on, at seat ${found.seat}`),
    scrolls("both ends", h("table", { "data-what": "ends" }, heads(["", "then", "now"]), h("tbody", {}, rows.map(row)))),
    sources(seats, then, now, heads, row),
    h("p", { class: "note" }, `${found.note[0].toUpperCase()}${found.note.slice(1)}.`),
    h("p", {}, opens ? h("button", { type: "button", onclick: opens }, "Open the new match") : null, " ", h("span", { class: "dim", "data-what": "digest" }, `digest ${now.digest}`)),
  );
}

/** Where the points of both ends come from; nothing of a game that does not say. @param {string[]} seats @param {End} then @param {End} now @param {(names: string[]) => HTMLElement} heads @param {(cells: string[]) => HTMLElement} row */
function sources(seats, then, now, heads, row) {
  if (!then.points?.length || !now.points?.length) return null;
  const [counted, uncounted] = [then.points[0].counted, then.points[0].uncounted].map((of) => Object.keys(of));
  const cells = (/** @type {End} */ of, /** @type {number} */ seat) => [...counted.map((key) => of.points?.[seat].counted[key]), ...uncounted.map((key) => of.points?.[seat].uncounted[key])].map(String);
  const rows = seats.flatMap((head, seat) => [[`${head}, then`, ...cells(then, seat)], [`${head}, now`, ...cells(now, seat)]]);
  return scrolls("points by source", h("table", { "data-what": "sources" }, heads(["points by source", ...counted, ...uncounted.map((key) => `${key} (not counted)`)]), h("tbody", {}, rows.map(row))));
}

/** The new match, as the viewer takes it. @param {import("./types").Match} one @param {any} found @returns {import("./types").Match} */
export function gone_on(one, found) {
  const { ranks, scores, verdicts } = found.now;
  return { ...one, ranks, scores, verdicts, faults: found.faults.filter((/** @type {any[]} */ [, verdict]) => verdict !== "forfeited") };
}
