// The page: what its address asks for is drawn from the data it holds.

import { bot } from "./bot.js";
import { crosstable, elo_by_seeds, faults, seats_and_neighbours, spreads } from "./plots.js";
import { check, facts, receipt } from "./facts.js";
import { formats } from "./formats.js";
import { h, keyed, refill } from "./dom.js";
import { listed, route } from "./route.js";
import { list } from "./list.js";
import { match } from "./viewer.js";
import { matches_of, names_of } from "./model.js";
import { count, matches_in } from "./words.js";
import { of_bots } from "./points.js";
import { standings } from "./standings.js";
import { times } from "./times.js";
import { sentence, unpacked } from "./packed.js";

/** @param {Record<string, import("./types").Drawing>} drawings */
export async function start(drawings) {
  const main = h("main", { id: "main", tabindex: -1 });
  /** @type {import("./types").Page} */
  let page;
  /** @type {import("./types").Match[]} */
  let matches;
  /** @type {Map<string, string>} */
  let names;
  const read = async () => {
    const found = await unpacked("data");
    [page, matches, names] = [found, matches_of(found), names_of(found)];
    return page;
  };
  try {
    page = await read();
  } catch (error) {
    document.body.append(h("main", {}, h("h1", { class: "empty" }, "Khiva Arena"), alarm(error)));
    return;
  }
  document.body.append(h("a", { class: "skip", href: "#main", onclick: (event) => { event.preventDefault(); main.focus(); } }, "Skip to the content"), head(page), main, foot(page));
  /** @type {(key: string) => boolean} */
  let keys = () => false;
  let shown = "";
  let begun = false;
  const show = () => {
    const want = route();
    if (page.home && !matches.some((one) => one.key === want.match)) return location.replace(page.home + location.hash); // results and other matches
    const same = want.match !== undefined && want.match === shown;
    if (same && document.activeElement?.closest(".controls, .eyes")) return;
    shown = want.match ?? "";
    const control = document.activeElement?.getAttribute("name");
    try {
      draw(want);
    } catch (error) {
      refill(main, alarm(error));
    }
    const again = /** @type {HTMLElement | null} */ (control ? main.querySelector(`[name="${CSS.escape(control)}"]`) : null);
    if (begun) (again ?? main).focus({ preventScroll: true });
    begun = true;
    scrollTo(0, 0);
  };
  const draw = (/** @type {import("./route.js").Route} */ want) => {
    keys = () => false;
    if (want.match !== undefined) {
      const view = match(page, matches, drawings, want);
      keys = view.keys;
      refill(main, view.element);
    } else if (want.matches !== undefined) {
      refill(main, list(page, matches, names, want));
    } else if (want.bot !== undefined) {
      refill(main, bot(page, matches, names, want));
    } else {
      refill(main, ...overview(page, matches, names));
    }
  };
  // Whoever serves this page may put newer data into it, and says when to draw. A match that is looked at stays as it is.
  addEventListener("renewed", async (event) => {
    await read();
    /** @type {CustomEvent} */ (event).detail(() => {
      const want = route();
      const stays = want.match !== undefined && want.match === shown;
      if (!stays) draw(want);
      return !stays;
    });
  });
  addEventListener("hashchange", show);
  // Paper can't be unfolded: what was played, and its hashes, are printed.
  /** @type {Element[]} */
  let folded = [];
  const unfold = (/** @type {boolean} */ printing) => {
    if (printing) folded = [...folded, ...main.querySelectorAll("details:is(.facts, .notes):not([open])")];
    folded.forEach((one) => one.toggleAttribute("open", printing));
    if (!printing) folded = [];
  };
  addEventListener("beforeprint", () => unfold(true));
  addEventListener("afterprint", () => unfold(false));
  matchMedia("print").addEventListener("change", (event) => unfold(event.matches));
  keyed((key) => keys(key));
  show();
}

/** @param {unknown} error */
function alarm(error) {
  return h("p", { class: "empty", role: "alert" }, sentence(error));
}

/** @param {import("./types").Page} page */
function head(page) {
  return h("header", { class: "top" }, h("h1", {}, h("a", { href: page.home || "#" }, page.title)), h("nav", { "aria-label": "Pages" }, h("a", { href: "#" }, "Results"), h("a", { href: listed() }, "Matches")));
}

/** @param {import("./types").Page} page */
function foot(page) {
  const manual = /** @type {HTMLLinkElement | null} */ (document.querySelector("link[rel=help]"));
  const more = manual ? [" ", h("a", { href: manual.href }, "How to read and check this page")] : [];
  return h("footer", {}, h("p", {}, `Made by Khiva Arena ${page.engine} from a ${page.source}. Nothing is loaded from anywhere else.`, ...more));
}

/** Whether a seat was out before the match was over: its points are those of choices that were played for it. @param {import("./types").Match} one @param {number} seat */
function out(one, seat) {
  return one.verdicts[seat] !== "ok";
}

/** The faults of a bot, in words. @param {import("./types").Standing} row */
function faulty(row) {
  return Object.entries(row.faults).filter(([, often]) => often).map(([verdict, often]) => `${verdict.replace("_", " ")} ${count(often, "time")}`).join(", ");
}

/** The bots that were left out, and why. @param {import("./types").Page} page */
function not_played(page) {
  const where = (/** @type {number} */ event) => (page.events.length > 1 ? ` (event ${event})` : "");
  const one = (/** @type {import("./types").Page["not_played"][0]} */ bot) => h("li", {}, h("b", {}, bot.name), `${where(bot.event)}: ${bot.why}`, bot.report ? h("pre", { class: "report" }, bot.report) : null);
  return page.not_played.length ? h("section", { class: "not-played", "aria-label": "Not played, and why" }, h("h2", {}, "Not played, and why"), h("ul", {}, page.not_played.map(one))) : null;
}

/**
 * @param {import("./types").Page} page
 * @param {import("./types").Match[]} matches
 * @param {Map<string, string>} names
 */
function overview(page, matches, names) {
  if (!page.events.length) return [h("p", { class: "empty" }, "No event yet: khiva-arena run plays one.")];
  return [
    ...page.tables.map((table, number) => {
      const inside = matches.filter((one) => table.table.events.includes(one.event.id));
      const scores = table.table.rows.map((row) => ({ name: row.name, values: inside.flatMap((one) => one.scores.filter((_, seat) => one.ids[seat] === row.bot && !out(one, seat))), instead: faulty(row) }));
      const charts = [crosstable(table), elo_by_seeds(table), ...seats_and_neighbours(table), spreads("Points", "How many points each bot made in the matches that it played to the end; the highest bar of each bot is equally high.", scores), of_bots(table), times(table), faults(inside, names)];
      return h(
        "section",
        { "aria-label": table.title },
        table.verdict ? h("p", { class: "verdict" }, table.verdict) : null,
        h("h2", {}, table.title),
        standings(table, number),
        h("details", { class: "notes" }, h("summary", {}, "What the numbers mean, and what would tell more"), table.notes.map((note) => h("p", {}, note))),
        formats(page, table),
        h("div", { class: "charts" }, charts),
      );
    }),
    not_played(page),
    h("p", { class: "more" }, h("a", { class: "button", href: listed() }, `All ${matches_in(matches.length)}`)),
    h("section", { class: "events", "aria-label": "How to check it" }, h("h2", {}, "What was played, and how to check it"), check(page.verify), h("p", {}, page.checker), receipt(page.receipt), page.events.map(facts)),
  ];
}
