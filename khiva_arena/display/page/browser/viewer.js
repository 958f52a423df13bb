// One match, step by step: the drawn table, the story, whose eyes look on, what could be chosen, and the scores over time.

import { VERDICTS, count, ordinal } from "./words.js";
import { frames, seen } from "./film.js";
import { generic } from "./generic.js";
import { going_on, gone_on } from "./going_on.js";
import { link, listed, note } from "./route.js";
import { h, pairs, refill, whenever_wide } from "./dom.js";
import { notes } from "./notes.js";
import { by_source, scores } from "./points.js";
import { sentence, unpacked } from "./packed.js";
import { choices, story } from "./story.js";

const PACE = 900;
const KEYS = /** @type {[string, string][]} */ ([
  ["← →", "step back, next step"],
  ["Home End", "first step, last step"],
  ["space", "play or pause"],
  ["t T", "next turn, turn before"],
  ["f F", "next fault, fault before"],
  ["l", "next change of the lead"],
  ["0 1 …", "what that seat sees"],
  ["a p", "all hands, only what everybody saw"],
  ["? Esc", "open this list, close it"],
]);

/** @typedef {{ block: any, at: number, legal: unknown[][] }} Replay */

/** A replay that the page holds. @param {import("./types").Page} page @param {import("./types").Match} one @returns {Promise<Replay>} */
async function held(page, one) {
  const [number, at] = /** @type {[number, number]} */ (one.replay);
  return { block: await unpacked(`replay-${number}`), at, legal: page.legal };
}

/**
 * The page of a match.
 * @param {import("./types").Page} page
 * @param {import("./types").Match[]} matches
 * @param {Record<string, import("./types").Drawing>} drawings
 * @param {import("./route.js").Route} want
 * @param {(page: import("./types").Page, one: import("./types").Match) => Promise<Replay>} replay_of
 * @param {((one: import("./types").Match, what: import("./going_on.js").Other) => Promise<any>) | null} plays_on  from a step with another choice; null where nobody can
 */
export function match(page, matches, drawings, want, replay_of = held, plays_on = null) {
  const at = matches.findIndex((one) => one.key === want.match || (want.match.length >= 4 && one.id.startsWith(want.match)));
  if (at < 0) return { element: h("p", { class: "empty" }, `There is no match ${want.match} in this page. `, h("a", { href: listed() }, "All matches")), keys: () => false };
  const one = matches[at];
  const place = h("div", { class: "viewer" }, h("p", { class: "empty" }, ...waiting(one, want)));
  const element = h("section", { class: "match", "aria-label": `Match ${one.key}` }, top(one, matches, at, page.tables.length > 0 || Boolean(page.home)), place);
  /** @type {(key: string) => boolean} */
  let keys = () => false;
  const drawing = drawings[one.event.game] ?? generic;
  if (Array.isArray(one.replay)) {
    replay_of(page, one).then(
      ({ block, at, legal }) => {
        const [film, scenery] = [frames(block, at, legal), page.scenery[one.event.game]];
        const below = plays_on && (one.event.goes_on || one.event.takes_over) ? going_on(one, film, drawing, scenery, (what) => plays_on(one, what), (found) => {
          const back = h("button", { type: "button", onclick: () => { keys = player(place, one, film, drawing, scenery, { ...want, step: String(found.step) }, beside); } }, "Back to the recorded match");
          const other = h("div");
          keys = player(other, gone_on(one, found), frames(found.block, 0, found.legal), drawing, scenery, { ...want, step: String(found.step) });
          refill(place, h("p", { class: "note" }, `This match went on from step ${found.step} with another choice. It is recorded nowhere. `, back), other);
          place.scrollIntoView();
        }) : null;
        const said = notes(block.notes?.[at], one);
        const beside = said ? { element: below?.element, at: (/** @type {number} */ step) => { below?.at(step); said.at(step); } } : below;
        keys = player(place, one, film, drawing, scenery, want, beside);
        element.append(said?.element ?? "");
      },
    ).catch((error) => refill(place, h("p", { class: "empty", role: "alert" }, sentence(error))));
  }
  return { element, keys: (/** @type {string} */ key) => keys(key) };
}

/** What stands in the place of a replay that is not there, or not yet. @param {import("./types").Match} one @param {import("./route.js").Route} want */
function waiting(one, want) {
  if (Array.isArray(one.replay)) return ["Unpacking …"];
  if (!one.replay) return ["This page does not hold the replay of this match."];
  return ["The replay of this match is in ", h("a", { href: one.replay + link({ ...want, match: one.key, step: want.step ?? 0 }) }, "a page of its own"), ", in the folder beside this page."];
}

/** @param {import("./types").Match} one @param {import("./types").Match[]} matches @param {number} at @param {boolean} has_bots */
function top(one, matches, at, has_bots) {
  const near = (/** @type {number} */ to, /** @type {string} */ words) => (matches[to] ? h("a", { class: "button", href: link({ match: matches[to].key }) }, words) : null);
  return h(
    "header",
    { class: "match-head" },
    h("h2", {}, `Match ${one.key}`, h("span", { class: "dim" }, ` ${one.event.played}, seed ${one.seed}, rotation ${one.rotation}${one.rated ? "" : ", not rated"}`)),
    h("nav", { "aria-label": "Other matches" }, near(at - 1, "← match before"), near(at + 1, "next match →")),
    h(
      "ol",
      { class: "seats", start: 0 },
      one.ids.map((id, seat) => {
        const faults = one.faults.filter((fault) => fault[0] === seat);
        return h(
          "li",
          {},
          `${seat} `,
          has_bots ? h("a", { href: link({ bot: id }) }, one.names[seat]) : one.names[seat],
          `: ${count(one.scores[seat], "point")}, ${ordinal(one.ranks[seat])}`,
          faults.map(([, verdict, step, detail]) => h("a", { class: "badge", href: link({ match: one.key, step }), title: `${VERDICTS[verdict] ?? ""}${detail ? `: ${detail}` : ""}` }, `${verdict} at step ${step}`)),
        );
      }),
    ),
  );
}

/**
 * @param {HTMLElement} place
 * @param {import("./types").Match} one
 * @param {import("./types").Frame[]} film
 * @param {import("./types").Drawing} drawing
 * @param {any} scenery
 * @param {import("./route.js").Route} want
 * @param {{ element?: HTMLElement, at: (step: number) => void } | null} below  what stands below each step
 * @returns {(key: string) => boolean}  what a key does; false if nothing
 */
export function player(place, one, film, drawing, scenery, want, below = null) {
  const last = film.length - 1;
  const seats = one.names.length;
  let step = Math.min(last, Math.max(0, Number.parseInt(want.step ?? "0", 10) || 0));
  /** @type {import("./types").Eyes} */
  let eyes = want.eyes === "public" ? "public" : /^[0-9]$/.test(want.eyes ?? "") && Number(want.eyes) < seats ? Number(want.eyes) : "all";
  let timer = 0;
  const drawn = h("div", { class: "board" });
  const side = h("div", { class: "story" });
  const graph = h("div", { class: "scores" });
  const where = h("span", { class: "where" });
  const aloud = h("output", { class: "unseen", "aria-live": "polite" });
  const slider = /** @type {HTMLInputElement} */ (h("input", { type: "range", min: 0, max: last, value: step, "aria-label": "Step", oninput: () => to(Number(slider.value)) }));
  const play = h("button", { type: "button", class: "play", onclick: () => toggle() }, "play");
  const faults = [...new Set(one.faults.map((fault) => fault[2]))].sort((a, b) => a - b);
  const turns = drawing.turn ? film.filter((frame, at) => at === 0 || drawing.turn?.(frame) !== drawing.turn?.(film[at - 1])).map((frame) => frame.step) : [];
  const swings = film.filter((frame, at) => at > 0 && leader(frame.scores) !== leader(film[at - 1].scores)).map((frame) => frame.step);

  const to = (/** @type {number} */ next) => {
    step = Math.min(last, Math.max(0, next));
    show();
    note({ match: one.key, step: step || null, eyes: eyes === "all" ? null : eyes });
    if (step === last) stop();
  };
  const stop = () => { clearInterval(timer); timer = 0; play.textContent = "play"; };
  const toggle = () => {
    if (timer) return stop();
    if (step === last) to(0);
    timer = setInterval(() => (place.isConnected ? to(step + 1) : stop()), PACE);
    play.textContent = "pause";
  };
  const jump = (/** @type {number[]} */ steps, /** @type {number} */ way) => {
    const found = way > 0 ? steps.find((at) => at > step) : steps.findLast((at) => at < step);
    if (found !== undefined) to(found);
  };
  const look = (/** @type {import("./types").Eyes} */ whose) => { eyes = whose; to(step); };
  const button = (/** @type {string} */ words, /** @type {string} */ title, /** @type {() => void} */ press) => h("button", { type: "button", title, "aria-label": title, onclick: press }, words);
  const help = h("div", { id: "keys", popover: "auto", class: "meaning", role: "note" }, h("b", {}, "Keys"), h("dl", { class: "middle" }, pairs(KEYS)));
  const bar = h(
    "div",
    { class: "controls", role: "toolbar", "aria-label": "Replay" },
    button("|◂", "first step (Home)", () => to(0)),
    button("◂", "step back (←)", () => to(step - 1)),
    play,
    button("▸", "next step (→)", () => to(step + 1)),
    button("▸|", "last step (End)", () => to(last)),
    turns.length > 1 ? button("turn", "next turn (t)", () => jump(turns, 1)) : null,
    faults.length ? button("fault", "next fault (f)", () => jump(faults, 1)) : null,
    swings.length ? button("lead", "next change of the lead (l)", () => jump(swings, 1)) : null,
    slider,
    where,
    h("button", { type: "button", popovertarget: "keys", title: "keys (?)", "aria-label": "keys (?)" }, "?"),
    help,
  );
  const pick = h(
    "fieldset",
    { class: "eyes" },
    h("legend", {}, "show"),
    [/** @type {import("./types").Eyes} */ ("all"), ...one.names.keys(), /** @type {import("./types").Eyes} */ ("public")].map((whose) => {
      const words = whose === "all" ? "all hands" : whose === "public" ? "what everybody saw" : `${whose}: ${one.names[whose]}`;
      return h("label", {}, h("input", { type: "radio", name: "eyes", value: whose, checked: whose === eyes, onchange: () => look(whose) }), words);
    }),
  );
  const lines = story(film, one, (next) => to(next), drawing);
  /** How wide the table and the graph are, measured before they are drawn anew: to ask in between would lay the page out once more. */
  let wide = [700, 700];
  const show = (stays = false) => {
    if (stays) wide = [drawn, graph].map((one) => one.clientWidth || 700);
    const frame = seen(film[step], eyes);
    const before = step ? seen(film[step - 1], eyes) : null;
    refill(drawn, drawing.draw({ frame, before, film: film.slice(0, step + 1).map((past) => seen(past, eyes)), names: one.names, seats, eyes, rules: one.event.rules, scenery, width: wide[0] }), choices(frame, before, one, drawing, scenery));
    const inside = side.contains(document.activeElement);
    const told = lines(step, eyes);
    if (told.parentNode !== side) refill(side, told);
    if (inside && !stays) /** @type {HTMLElement | null} */ (side.querySelector(".now .step"))?.focus({ preventScroll: true });
    requestAnimationFrame(() => {
      const now = /** @type {HTMLElement | null} */ (side.querySelector(".now"));
      if (now) side.scrollTop = Math.max(0, now.offsetTop + now.offsetHeight - side.clientHeight + 24); // not scrollIntoView: the page stays
    });
    refill(graph, scores(film, one, step, swings, to, wide[1]), by_source(film, one, step, wide[1]));
    below?.at(step);
    slider.value = String(step);
    slider.setAttribute("aria-valuetext", `step ${step} of ${last}`);
    where.textContent = `step ${step} of ${last}`;
    if (!stays) aloud.textContent = `${where.textContent}: ${frame.events.map((event) => event.text).join("; ")}`;
    for (const input of pick.querySelectorAll("input")) input.checked = input.value === String(eyes);
  };
  refill(place, h("div", { class: "stage" }, drawn, side), bar, pick, below?.element, graph, aloud);
  show(true);
  whenever_wide(place, () => show(true));
  /** @type {Record<string, () => unknown>} */
  const acts = { ArrowRight: () => to(step + 1), ArrowLeft: () => to(step - 1), Home: () => to(0), End: () => to(last), " ": toggle, t: () => jump(turns, 1), T: () => jump(turns, -1), f: () => jump(faults, 1), F: () => jump(faults, -1), l: () => jump(swings, 1), "?": () => help.togglePopover(), a: () => look("all"), p: () => look("public") };
  return (key) => {
    if (!acts[key] && !(/^[0-9]$/.test(key) && Number(key) < seats)) return false;
    if (acts[key]) acts[key]();
    else look(Number(key));
    return true;
  };
}

/** The seat that leads alone, or -1. @param {number[]} scores */
function leader(scores) {
  const most = Math.max(...scores);
  return scores.filter((score) => score === most).length === 1 ? scores.indexOf(most) : -1;
}
