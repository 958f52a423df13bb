// What came of the author's matches: the line that plays them elsewhere, a table, the matches, what the bot wrote, and the viewer.

import { h, name, refill, scrolls } from "./dom.js";
import { matches_of } from "./model.js";
import { Unreadable } from "./packed.js";
import { route } from "./route.js";
import { match } from "./viewer.js";
import { VERDICTS, count, matches_in } from "./words.js";

/** @typedef {{ kind: string, [key: string]: any }} Heard */

const FEW = "Below 5 whole deals there is no interval.";
const VERDICT = "This says how these matches went. For a verdict on two versions of a bot, use ";

/**
 * @param {Record<string, import("./types").Drawing>} drawings
 * @param {(request: Record<string, any>) => void} ask  the worker
 * @param {(file: string, line: number, text: string, asked?: boolean) => void} marks  a line of the author; asked: for by a click
 * @param {(one: import("./types").Match, place: import("./going_on.js").Other) => any} takes  has a person take a seat of a match over
 */
export function results(drawings, ask, marks, takes) {
  const typed = h("pre", { class: "report", tabindex: 0, "aria-label": "the command that plays these matches", "data-what": "command" });
  const table = h("div", { "data-what": "tally" });
  const list = h("ol", { start: 0, class: "played", "data-what": "matches" });
  const said = h("div");
  const viewer = h("div", { id: "viewed" });
  const line = h("section", { hidden: true }, h("h3", {}, "These matches on the command line"), typed);
  const rows = h("section", { hidden: true }, h("h3", {}, "Matches"), list);
  /** @type {import("./types").Page} */
  let page;
  /** @type {Heard[]} */
  let played = [];
  /** @type {Map<string, (found: any) => void>} */
  const asked = new Map();
  const GONE = "The record of this match went with the play that was stopped.";
  /** @type {((found: any) => void)[]} */
  let going = []; // those who wait for a match that goes on, in their order
  let keys = (/** @type {string} */ _key) => false;
  let told = false;

  /** Shows what the bot wrote in a match. @param {Heard} found */
  const tell = ({ ordinal, notes, faults, own, trace }) => {
    const lines = faults.filter((/** @type {[number]} */ [seat]) => own.includes(seat)).map((/** @type {any[]} */ [, verdict, step, detail]) => h("p", { class: "fault-line" }, `${verdict} at step ${step}: ${detail || VERDICTS[verdict] || ""}`));
    if (trace) lines.push(h("p", { class: "fault-line" }, h("button", { type: "button", onclick: () => marks(trace.file, trace.line, trace.text, true) }, `${trace.file}, line ${trace.line}`), ` ${trace.text}`));
    refill(said, h("h3", {}, `What your bot wrote in match ${ordinal}`), ...lines, h("pre", { class: "report", tabindex: 0, "aria-label": "what your bot wrote", "data-what": "notes" }, notes || "nothing"));
  };

  /** Opens a match. @param {string} key @param {string} [step] */
  const see = (key, step) => {
    const found = played.find((one) => `1/${one.ordinal}` === key);
    if (!found) return;
    const replay_of = async (/** @type {import("./types").Page} */ _page, /** @type {import("./types").Match} */ one) => {
      const came = /** @type {any} */ (await new Promise((resolve) => { asked.set(one.key, resolve); ask({ do: "replay", name: one.key }); }));
      if (came.why) throw new Unreadable(came.why);
      return { block: came.block, at: 0, legal: came.legal };
    };
    const plays_on = (/** @type {import("./types").Match} */ one, /** @type {import("./going_on.js").Other} */ what) =>
      what.choice === undefined ? takes(one, what) : /** @type {Promise<any>} */ (new Promise((resolve) => { going.push(resolve); ask({ do: "go_on", name: one.key, ...what }); }));
    const view = match(page, matches_of(page), drawings, { match: key, step: step ?? String(found.worst ?? 0) }, replay_of, plays_on);
    keys = view.keys;
    refill(viewer, view.element);
    viewer.scrollIntoView();
    tell(found);
    if (found.trace) marks(found.trace.file, found.trace.line, found.trace.text);
  };
  addEventListener("hashchange", () => { const want = route(); if (want.match) see(want.match, want.step); });

  const heard = /** @type {Record<string, (found: any) => void>} */ ({
    event(found) {
      page.events = [{ ...found, rounds: [], goes_on: true, takes_over: true }];
      page.scenery = { [found.game]: found.scenery };
      typed.textContent = found.line;
      line.hidden = rows.hidden = false;
    },
    played(found) {
      played.push(found);
      page.matches.push(found.match);
      list.append(row(found, () => see(`1/${found.ordinal}`)));
      if (found.tally) refill(table, tally(found.tally));
      const is_wrong = found.trace || found.faults.some((/** @type {[number]} */ [seat]) => found.own.includes(seat));
      if (is_wrong ? !told : found.notes && !said.firstChild) tell(found);
      if (is_wrong && !told && found.trace) marks(found.trace.file, found.trace.line, found.trace.text);
      told ||= is_wrong;
    },
    gone_on(found) { going.shift()?.(found); },
    refused(found) { if (found.of === "go_on") going.shift()?.(found); },
    replay(found) {
      asked.get(found.name)?.(found);
      asked.delete(found.name);
    },
  });
  return {
    beside: h("div", {}, line, table, said),
    below: h("div", {}, rows, viewer),
    heard: (/** @type {Heard} */ found) => heard[found.kind]?.(found),
    count: () => played.length,
    to_viewer: () => viewer.scrollIntoView(),
    keys: (/** @type {string} */ key) => keys(key),
    /** Forgets all, before a new play. */
    clear() {
      page = /** @type {any} */ ({ events: [], tables: [], matches: [], scenery: {}, legal: [] });
      [played, told, keys] = [[], false, () => false];
      for (const one of [table, list, said, viewer, typed]) refill(one);
      line.hidden = rows.hidden = true;
    },
    /** Closes the matches, whose records went with their worker. */
    close() {
      for (const button of list.querySelectorAll("button")) button.disabled = true;
      for (const answer of [...asked.values(), ...going]) answer({ why: GONE });
      asked.clear();
      going = [];
    },
  };
}

/** @param {Heard} found @param {() => void} see */
function row({ match, own, worst, faults }, see) {
  const [seat] = own;
  const [ranks, scores] = [match[7], match[8]];
  const outcome = ranks[seat] > 1 ? "lost" : ranks.filter((/** @type {number} */ rank) => rank === 1).length > 1 ? "drawn" : "won";
  const others = scores.filter((/** @type {number} */ _, /** @type {number} */ at) => at !== seat);
  const kinds = [...new Set(faults.filter((/** @type {[number]} */ [one]) => own.includes(one)).map((/** @type {any[]} */ [, verdict]) => verdict))];
  const words = `${outcome}, ${scores[seat]} to ${others.join(", ")}`;
  return h("li", { "data-outcome": outcome }, h("button", { type: "button", title: worst === null ? "" : `opens at step ${worst}`, onclick: see }, words), kinds.map((kind) => h("span", { class: "badge" }, kind)));
}

/** @param {any} of */
function tally(of) {
  const shown = (/** @type {number | null} */ value) => (value === null ? "n/a" : value.toFixed(1));
  const { deals, mean, margin } = of.difference;
  const rows = [
    ...["won", "drawn", "lost"].map((key) => [key, of[key], ""]),
    ...of.points.map((/** @type {any} */ { source, own, others }) => [source, shown(own), shown(others)]),
    ["most ticks a decision", of.ticks.toLocaleString("en"), ""],
    ["faults", of.faults, ""],
    ["mean difference", shown(mean), margin === null ? "+/- n/a" : `+/- ${shown(margin)}`],
  ];
  const cells = rows.map(([head, own, others]) => h("tr", {}, h("th", { scope: "row" }, name(head)), h("td", {}, own), h("td", {}, others)));
  const heads = h("thead", {}, h("tr", {}, h("th", { class: "left" }, matches_in(of.matches)), h("th", {}, "your bot"), h("th", {}, "others")));
  return h("div", {}, scrolls("your bot's matches", h("table", {}, heads, h("tbody", {}, cells))), h("p", { class: "note" }, `The difference is the mean of ${count(deals, "whole deal")}, with its 95 % interval. ${margin === null ? `${FEW} ` : ""}${VERDICT}`, h("code", {}, "khiva-arena compare"), "."));
}
