// The page that checks a bundle: what is dropped into it goes to a worker, which has the arena itself, and what it finds is shown.

import { h, name, refill, scrolls } from "./dom.js";
import { list } from "./list.js";
import { match } from "./viewer.js";
import { matches_in } from "./words.js";
import { matches_of, names_of } from "./model.js";
import { Unreadable } from "./packed.js";
import { route } from "./route.js";
import { worker_for } from "./working.js";
import { SEATED, yourself } from "./yourself.js";

/**
 * @typedef {{ name: string, matches: number, score: number | null, finishes: number[], faults: number, against: ([number, number] | null)[] }} Row
 * @typedef {{ kind: string, [key: string]: any }} Found
 * @typedef {(what: import("./yourself.js").Wish, one: import("./types").Match) => Promise<any>} Takes
 */

const VERDICTS = /** @type {Record<string, string>} */ ({
  equal: "Equal: all that was checked came out as the bundle says. The list above names what was not checked.",
  differs: "Differs: what the bundle says is not what came out.",
  "cannot be read": "Cannot be read: this file is no whole bundle. Nobody is accused.",
  "cannot tell here": "Cannot tell here: this browser or this page lacks something for a part of it. Nobody is accused.",
});
const NEEDS = "It takes about 250 MB of memory and half a minute on a phone to start; the file stays on your machine.";
const FAILED = "The arena could not be run in this browser: ";
const STARTING = "starting the arena ...";
const LEFT = "you have left a match with which a bot was still busy";
const SHOWN = 100; // lines of matches that are not equal

/**
 * The door to the check: the place into which a bundle is dropped, and what is found.
 * @param {Record<string, import("./types").Drawing>} drawings
 * @param {() => void} begins  called before the first check
 */
export function checking(drawings, begins) {
  const report = h("div", { id: "found", role: "status" });
  const chosen = /** @type {HTMLInputElement} */ (h("input", { type: "file", "aria-label": "a bundle" }));
  const stop = h("button", { type: "button", hidden: true }, "Stop");
  const carries = /** @type {HTMLMetaElement | null} */ (document.querySelector("meta[name=description]"))?.content ?? "";
  /** @type {import("./working.js").Asked | null} */
  let worker = null;
  /** @type {Report | null} */
  let shown = null;
  const end = (/** @type {boolean} */ dead = true) => {
    if (dead) worker?.end();
    if (dead) worker = null;
    stop.hidden = true;
  };
  const check = async (/** @type {File | null | undefined} */ file) => {
    if (!file || is_seated()) return;
    begins();
    end();
    own.hide();
    seats(false);
    bar.append(stop);
    stop.hidden = false;
    const begun = (shown = new Report(report, file.name, drawings, own.element, takes));
    try {
      const started = worker_over(new Uint8Array(await file.arrayBuffer()), begun, end, stop, own);
      if (shown === begun) worker = started;
      else started.end(); // it was stopped meanwhile, or another bundle was dropped
    } catch (error) {
      end();
      begun.failed(String(error));
    }
  };
  const seats = (/** @type {boolean} */ is_seated) => {
    report.classList.toggle("seated", is_seated);
    door.classList.toggle("unseated", is_seated);
  };
  const stands_up = () => {
    own.hide();
    seats(false);
    shown?.viewer.scrollIntoView();
  };
  const leaves = (/** @type {boolean} */ is_unheard) => {
    stands_up();
    if (is_unheard) end(), shown?.ended(LEFT);
  };
  /** Has a person take a seat of a match over. Returns why the match cannot be played, if it cannot. @type {Takes} */
  const takes = async (what, one) => {
    seats(true);
    own.begin(what, one);
    const found = await shown?.go_on(what);
    if (!own.is_open()) return found;
    if (found.kind === "stood") own.stood(found);
    else if (found.kind === "left" || !own.fails(found.why)) stands_up();
    return found;
  };
  const own = yourself(drawings, ({ message }) => worker?.ask({ hear: JSON.stringify(message) }), (what, one) => takes(what, /** @type {import("./types").Match} */ (one)), leaves);
  addEventListener("beforeunload", (event) => { if (own.is_open()) event.preventDefault(); });
  chosen.addEventListener("change", () => check(chosen.files?.[0]));
  addEventListener("hashchange", () => shown?.show());
  const leave = () => {
    end();
    shown = null;
  };
  stop.addEventListener("click", () => {
    if (shown?.over) return end(), shown.ended("you stopped it");
    leave();
    report.append(h("p", { class: "verdict" }, "Stopped: nothing is said of what was not reached."));
  });
  const bar = h("p", {}, chosen, " ", stop);
  const door = h("section", { class: "takes" }, h("h2", {}, "Check a bundle"), h("p", {}, "Drop a bundle of Khiva Arena here, or choose one. Your own machine then plays every match of it again: by the rules, and, of events in ticks, with every bot. ", NEEDS), h("p", { "data-what": "carries" }, carries), bar);
  /** Whether a match with a person would be lost by what was dropped; says so then. */
  const is_seated = () => {
    if (own.is_open()) own.says(SEATED);
    return own.is_open();
  };
  return { door, report, check, is_seated, stop: leave, keys: (/** @type {string} */ key) => (own.is_shown() ? own.keys(key) : (shown?.keys(key) ?? false)) };
}

/**
 * Starts the arena in a worker and hands it a bundle.
 * @param {Uint8Array} bundle
 * @param {Report} shown
 * @param {(dead?: boolean) => void} end  called when nothing more is to be waited for; dead: and nothing more to be asked
 * @param {HTMLElement} stop  the button that ends the worker
 * @param {ReturnType<typeof yourself>} own  the seat of a person
 */
function worker_over(bundle, shown, end, stop, own) {
  const fails = (/** @type {string} */ why) => {
    if (shown.over) shown.ended(FAILED + why.slice(0, 2_000)); // what was found out before stays true
    else shown.failed(why);
    end();
  };
  const worker = worker_for("check", (data) => {
    if (data.event) shown.take(JSON.parse(data.event));
    if (data.replay) shown.replay(JSON.parse(data.replay));
    if (data.workbench) shown.hears(JSON.parse(data.workbench), own);
    if (shown.over && !shown.going.length) end(false);
  }, fails);
  worker.ask({ bundle });
  shown.ask = (replay) => worker.ask({ replay });
  shown.goes = (what) => {
    worker.ask({ going: JSON.stringify(what) });
    if (what.choice === undefined) return; // the seat has a button for it
    shown.viewer.querySelector(".going-on > .status")?.after(stop); // a bundle may give its modules days for a choice
    stop.hidden = false;
  };
  return worker;
}

class Report {
  /** @param {HTMLElement} place @param {string} file @param {Record<string, import("./types").Drawing>} drawings @param {HTMLElement} seat @param {Takes} takes */
  constructor(place, file, drawings, seat, takes) {
    this.over = false;
    this.drawings = drawings;
    this.takes = takes;
    /** @type {(name: string) => void} */
    this.ask = () => {}; // the worker for the replay of a match
    /** @type {(what: Record<string, any>) => void} */
    this.goes = () => {}; // the worker to play a match on
    /** @type {Map<string, (found: any) => void>} */
    this.asked = new Map();
    /** @type {((found: any) => void)[]} */
    this.going = []; // those who wait for a match that goes on, in their order
    /** @type {(key: string) => boolean} */
    this.keys = () => false;
    this.show = () => {}; // what the address selects, once there is something
    this.rerun = /** @type {Record<string, number>} */ ({ equal: 0, differs: 0, "cannot tell here": 0 });
    this.verdict = h("p", { class: "verdict" });
    this.progress = h("p", { class: "dim" }, STARTING);
    this.not_checked = h("ul", { "data-what": "not checked" });
    this.head = h("h3", { hidden: true }, "Not checked");
    this.matches = h("ul", { "data-what": "matches" });
    this.events = h("div");
    this.viewer = h("div", { id: "viewed" });
    this.listed = h("div");
    refill(place, h("h2", {}, name(file)), this.head, this.not_checked, this.verdict, this.progress, this.matches, this.events, this.viewer, this.listed, seat);
  }

  /** @param {Found} found */
  take(found) {
    if (found.kind === "not_checked") this.not_checked.append(h("li", {}, found.what));
    this.head.hidden = !this.not_checked.firstChild;
    if (found.kind === "read") this.progress.textContent = `${matches_in(found.matches)} read and played by the rules`;
    if (found.kind === "match") this.match(found);
    if (found.kind === "event") this.events.append(ofEvent(found));
    if (found.kind === "table") this.events.append(table(found));
    if (found.kind === "matches") this.list(found.page);
    if (found.kind === "end") this.end(found);
  }

  /** Lists the matches, and opens the one that the address names. Nothing else follows from the address. @param {import("./types").Page} page */
  list(page) {
    const [matches, names] = [matches_of(page), names_of(page)];
    const replay_of = async (/** @type {import("./types").Page} */ _page, /** @type {import("./types").Match} */ one) => {
      const found = await new Promise((resolve) => { this.asked.set(one.key, resolve); this.ask(one.key); });
      if (found.why) throw new Unreadable(found.why);
      page.scenery[one.event.game] = found.scenery;
      return { block: found.block, at: 0, legal: found.legal };
    };
    const plays_on = (/** @type {import("./types").Match} */ one, /** @type {import("./going_on.js").Other} */ what) =>
      what.choice === undefined ? this.takes({ name: one.key, ...what, seats: one.names.length, seed: "" }, one) : this.go_on({ name: one.key, ...what });
    this.show = () => {
      const want = route();
      this.keys = () => false;
      if (!want.match || !this.listed.firstChild) refill(this.listed, list(page, matches, names, want));
      if (!want.match) return refill(this.viewer), want.matches || want.bot ? this.listed.scrollIntoView() : undefined;
      const only = page.events.length === 1 && matches.find((one) => String(one.ordinal) === want.match);
      const view = match(page, matches, this.drawings, only ? { ...want, match: only.key } : want, replay_of, plays_on);
      this.keys = view.keys;
      refill(this.viewer, view.element);
      this.viewer.scrollIntoView();
    };
    this.show();
  }

  /** Plays a match on. @param {Record<string, any>} what @returns {Promise<any>} */
  go_on(what) {
    return new Promise((resolve) => { this.going.push(resolve); this.goes(what); });
  }

  /** @param {Found} found  of a match that goes on @param {ReturnType<typeof yourself>} own */
  hears(found, own) {
    if (found.kind === "seat") own.hears(found.message);
    else if (found.kind === "seated") own.seated(/** @type {any} */ (found));
    else this.going.shift()?.(found);
  }

  /** @param {any} found */
  replay(found) {
    this.asked.get(found.name)?.(found);
    this.asked.delete(found.name);
  }

  /** Says to whoever waits, or asks from now on, why the worker has ended. */
  ended(/** @type {string} */ reason) {
    const why = `${reason}. Check the bundle again to go on.`;
    this.ask = (name) => this.replay({ name, why });
    this.goes = () => this.going.shift()?.({ why });
    for (const answer of this.going.splice(0)) answer({ why });
    for (const name of this.asked.keys()) this.ask(name);
  }

  /** @param {Found} found */
  match({ event, match, verdict, why }) {
    this.rerun[verdict] += 1;
    const { equal, differs, "cannot tell here": untold } = this.rerun;
    this.progress.textContent = `${matches_in(equal)} run again and equal, ${differs} differ, ${untold} cannot be told here`;
    if (verdict !== "equal" && differs + untold <= SHOWN) this.matches.append(h("li", {}, `match ${event}/${match}: ${verdict}: ${why}`));
  }

  /** @param {Found} found */
  end({ verdict, problems, unknown }) {
    const untold = unknown.map((/** @type {string} */ line) => (problems.length ? `cannot tell here: ${line}` : line));
    const lines = [...problems, ...untold].slice(0, SHOWN).map((line) => h("li", {}, line));
    refill(this.matches); // they stand among these lines
    this.judge(verdict, h("ul", { "data-what": "problems" }, lines));
  }

  /** @param {string} verdict @param {HTMLElement} why */
  judge(verdict, why) {
    this.over = true;
    if (this.progress.textContent === STARTING) this.progress.remove();
    this.verdict.dataset.verdict = verdict;
    refill(this.verdict, h("strong", { "data-what": "verdict" }, VERDICTS[verdict]), why);
  }

  /** @param {string} why */
  failed(why) {
    this.judge("cannot tell here", h("p", {}, FAILED + why.slice(0, 2_000)));
  }
}

/** @param {Found} found */
function ofEvent({ event, id, planned, by_the_rules, rerun, differ, cannot_tell, digest }) {
  const parts = [`${by_the_rules} of ${matches_in(planned)} equal by the rules`];
  if (rerun !== null) parts.push(`${rerun} with every bot run again`);
  if (differ) parts.push(`${differ} differ`);
  if (cannot_tell) parts.push(`${cannot_tell} cannot be told here`);
  return h("p", { "data-what": "event" }, `Event ${event} (${id}): ${parts.join(", ")}${digest && `. Run digest ${digest}`}`);
}

/** @param {Found} found */
function table({ number, rows, matches, differs }) {
  const places = Math.max(0, ...rows.map((/** @type {Row} */ row) => row.finishes.length));
  const heads = ["bot", "matches", "score %", ...Array.from({ length: places }, (_, at) => `${at + 1}.`), "faults"];
  const cells = (/** @type {Row} */ row) => [row.matches, row.score === null ? "n/a" : row.score.toFixed(1), ...row.finishes, row.faults];
  const against = (/** @type {[number, number] | null} */ met) => (met ? `${met[0] / 2} of ${met[1]}` : "");
  return h(
    "section",
    {},
    h("h2", {}, `Counted from the records of ${matches_in(matches)}`),
    h("p", {}, differs.length ? `Table ${number} of the bundle says something else: see above.` : `All of it is what table ${number} of the bundle says.`),
    scrolls("points, places and faults", h("table", {}, h("tr", {}, heads.map((head, at) => h("th", at ? {} : { class: "left" }, head))), rows.map((/** @type {Row} */ row) => h("tr", {}, h("th", { scope: "row" }, name(row.name)), cells(row).map((cell) => h("td", {}, cell)))))),
    h("h3", {}, "Who finished ahead of whom"),
    scrolls("who finished ahead of whom", h("table", {}, h("tr", {}, h("th"), rows.map((/** @type {Row} */ row) => h("th", {}, name(row.name)))), rows.map((/** @type {Row} */ row) => h("tr", {}, h("th", { scope: "row" }, name(row.name)), row.against.map((met) => h("td", {}, against(met))))))),
  );
}
