// A seat of one's own in the page: the match is played in the page's worker, which asks whoever looks at the page.

import { beside } from "./going_on.js";
import { h, refill } from "./dom.js";
import { sit } from "./seat.js";

const RATING = "Nobody can rerun a person. So a match with you is never rated, and cannot be rerun as a whole.";
const GOES_ON = " Take another seat, or go back to your bot.";
const PATIENCE = 3_000; // ms: a module may be in a loop, and then its worker hears nothing
const AGAINST = { greedy: "the greedy bot", weak: "the weak bot", strong: "the strong bot", own: "your bot in the editor" };

export const SEATED = "Leave the match first.";

/** @typedef {Record<string, any> & { seat: number, seats: number, seed: string }} Wish */

/**
 * @param {Record<string, import("./types").Drawing>} drawings
 * @param {(request: Record<string, any>) => void} ask  the worker
 * @param {(wish: Wish, one: import("./types").Match | null) => void} again  takes a seat
 * @param {(is_unheard: boolean) => void} leaves  called when the seat is left; unheard: in a match whose worker does not hear it
 */
export function yourself(drawings, ask, again, leaves) {
  const place = h("div");
  const after = h("div", { class: "after" });
  const leave = /** @type {HTMLButtonElement} */ (h("button", { type: "button", onclick: () => (is_open ? asks_to_leave() : leaves(false)) }));
  const status = h("output", { class: "status", role: "status" });
  const element = h("section", { class: "yourself", hidden: true, tabindex: -1, "aria-label": "Your seat" }, h("div", { class: "bar" }, leave, status), place, h("p", { class: "note" }, RATING), after);
  const title = document.title;
  let [is_open, is_asked] = [false, false];
  let keys = (/** @type {string} */ _key) => false;
  let heard = (/** @type {any} */ _message) => {};
  /** @type {Wish} */
  let wish;
  let line = "";
  /** @type {import("./types").Match | null} */
  let over_from = null; // the match that goes on with a person

  let waits = 0; // for the worker to hear that the match is left
  const asks_to_leave = () => {
    leave.disabled = true;
    waits = setTimeout(() => leaves(true), PATIENCE);
    ask({ do: "hear", message: { type: "leave" } });
  };
  const stands = (/** @type {boolean} */ open) => {
    clearTimeout(waits);
    refill(status);
    leave.disabled = false;
    is_open = open;
    leave.textContent = open ? "Leave the match" : over_from ? "← back to the recorded match" : "← back to your bot";
  };
  /** @param {{ digest?: string, ends?: any }} [found]  the end of the match, unless it was lost */
  const closes = ({ digest = "", ends } = {}) => {
    stands(false);
    if (over_from) return refill(after, h("div", { class: "bar" }, h("button", { type: "button", onclick: () => again(wish, over_from) }, "take it over again")), ends ? beside(over_from, ends, null) : null);
    const next = { ...wish, seat: (wish.seat + 1) % wish.seats };
    const buttons = /** @type {[string, Wish][]} */ ([["again", { ...wish, seed: "" }], ["the same deal in another seat", next]]);
    const shown = line ? [h("p", {}, `This deal on the command line${wish.opponent === "own" ? ", beside the folders of “Save”" : ""}:`), h("pre", { class: "report", tabindex: 0, "aria-label": "the command that plays this deal", "data-what": "deal" }, line), digest ? h("p", { class: "note" }, `The digest of your match is ${digest}.`) : null] : [];
    refill(after, h("div", { class: "bar" }, buttons.map(([words, what]) => h("button", { type: "button", onclick: () => again(what, null) }, words))), ...shown);
  };
  return {
    element,
    /** The opponents of a person, as options. */
    against: Object.entries(AGAINST),
    is_open: () => is_open,
    is_over_from: () => over_from !== null,
    is_shown: () => !element.hidden,
    keys: (/** @type {string} */ key) => keys(key),
    /** Takes a seat, before its worker knows. @param {Wish} asked @param {import("./types").Match | null} one  the match whose seat is taken over */
    begin(asked, one) {
      [wish, over_from, line, is_asked, element.hidden] = [asked, one, "", false, false];
      stands(true);
      for (const part of [place, after]) refill(part);
      const seat = h("div");
      place.append(seat);
      sit({ connect: (hears) => { heard = hears; return (message) => ask({ do: "hear", message }); }, place: seat, keys: (act) => { keys = act; } }, drawings);
      element.focus();
    },
    /** @param {{ line: string, seed: string }} found */
    seated(found) {
      line = found.line;
      wish = { ...wish, seed: found.seed };
    },
    /** @param {any} message */
    hears(message) {
      is_asked ||= message.type === "ask";
      heard(message);
    },
    stood: closes,
    /** Says something beside the seat: all else is hidden. @param {string} words */
    says(words) { status.textContent = words; },
    /** Whether the person had been asked when the match failed, and so reads at the seat why. @param {string} why */
    fails(why) {
      if (!is_asked) return false;
      heard({ type: "over", over: { match: null, text: `The match is lost. ${why}${over_from ? "" : GOES_ON}` } });
      closes();
      return true;
    },
    hide() {
      stands(false);
      element.hidden = true;
      refill(place);
      keys = () => false;
      document.title = title;
    },
  };
}
