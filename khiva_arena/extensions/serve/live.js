// What a served page has beside the page itself: how far the run is, as lines come, and newer data whenever there is some.

import { busy, place } from "./place.js";

const PATIENCE = 500;

/**
 * What one line of progress says, see khiva_arena/extensions/serve/watching.py.
 * @typedef {{ title: string, recorded: number, matches: number, at_most: boolean, seeds: number, of_seeds: number, seconds: number, left: number | null, faults: number, voids: number, set_aside: number, marks: string, llr: string, difference: string, how: string, page: number, closed: boolean }} Progress
 */

/** @template {keyof HTMLElementTagNameMap} Tag @param {Tag} tag @param {HTMLElement} parent */
const made = (tag, parent) => parent.appendChild(document.createElement(tag));
const bar = document.createElement("section");
bar.className = "live";
bar.setAttribute("aria-label", "Progress of the run");
const progress = made("progress", bar);
progress.setAttribute("aria-label", "Matches recorded");
const counts = made("span", bar);
const time = made("span", bar);
const troubles = made("span", bar);
const marks = made("span", bar);
const said = made("p", bar);
said.setAttribute("role", "status");
document.body.prepend(bar);
/** @param {HTMLElement} place @param {string} text */
const put = (place, text) => { if (place.textContent !== text) place.textContent = text; };

/** @param {number} number @param {string} word */
const many = (number, word, words = word + "s") => `${number.toLocaleString("en")} ${number === 1 ? word : words}`;
/** @param {number} seconds */
const clock = (seconds) => {
  const whole = Math.round(seconds);
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  return whole < 3600 ? `${Math.floor(whole / 60)}:${two(whole % 60)}` : `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
};
const HOW = /** @type {Record<string, string>} */ ({
  complete: "The run is over: all of it is recorded.",
  incomplete: "The run is over, but tables were set aside; the same command tries them again.",
  interrupted: "The run was interrupted; the same command continues it.",
  failed: "The run has failed; its messages say why.",
});
const CLOSED = "The command has ended and this address is closed. What you see stays until you close or reload it.";

/** The number of the page that a document is. @param {Document} from */
const page_of = (from) => Number(/** @type {HTMLMetaElement | null} */ (from.querySelector("meta[name=khiva-page]"))?.content ?? 0);
let known = page_of(document);
let latest = known;
/** @type {Promise<void> | null} */
let renewing = null;

/** @param {Progress} now */
const show = (now) => {
  if (now.matches) {
    progress.max = now.matches;
    progress.value = now.recorded;
  }
  put(counts, now.title ? `${now.title}: ${now.recorded.toLocaleString("en")} of ${now.at_most ? "at most " : ""}${many(now.matches, "match", "matches")}, ${now.seeds.toLocaleString("en")} of ${many(now.of_seeds, "seed")}` : "Waiting for the first match.");
  const left = now.left === null || now.how ? "" : `, about ${clock(now.left)} left`;
  put(time, now.title ? clock(now.seconds) + left : "");
  const all = /** @type {[number, string, string?][]} */ ([[now.faults, "fault"], [now.voids, "void"], [now.set_aside, "table set aside", "tables set aside"]]);
  const found = all.filter(([number]) => number);
  put(troubles, found.map((one) => many(...one)).join(", "));
  troubles.className = found.length ? "some" : "";
  put(marks, now.marks ? `marked: ${now.marks}` : "");
  put(said, HOW[now.how] ?? (now.llr ? `LLR ${now.llr}` : now.difference));
};

/** @param {() => boolean} draw */
const redraw = (draw) => {
  if (busy()) return void setTimeout(redraw, PATIENCE, draw);
  const back = place(/** @type {HTMLElement} */ (document.querySelector("main")));
  if (draw()) back();
};

const renew = async () => {
  while (known < latest) {
    const text = await (await fetch("./", { cache: "no-store" })).text();
    const newer = new DOMParser().parseFromString(text.replace(/<style>.*?<\/style>/gs, ""), "text/html"); // this page's policy would refuse it
    const number = page_of(newer);
    if (number <= known) return;
    const script = (/** @type {Document} */ from) => from.querySelector("body > script:not([type], #served)")?.textContent;
    if (script(newer) !== script(document)) return location.reload(); // another page: the first one, or of another game
    for (const old of document.querySelectorAll("body > script[type='application/base64']")) old.remove();
    for (const block of newer.querySelectorAll("body > script[type='application/base64']")) document.body.append(document.importNode(block, true));
    known = number;
    dispatchEvent(new CustomEvent("renewed", { detail: redraw }));
  }
};

const source = new EventSource("events");
const end = async (/** @type {string} */ sentence) => {
  await renewing;
  source.close();
  put(said, [said.textContent, sentence].filter(Boolean).join(" "));
};
let lost = 0;
source.onmessage = ({ data }) => {
  lost = 0;
  const now = /** @type {Progress} */ (JSON.parse(data));
  show(now);
  latest = Math.max(latest, now.page);
  renewing = (renewing ?? Promise.resolve()).then(renew).catch(() => {});
  if (now.closed) end(CLOSED);
};
source.onerror = () => {
  lost += 1;
  if (lost > 1 || source.readyState === EventSource.CLOSED) end(CLOSED);
};
