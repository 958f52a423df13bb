// A bot: its row in each table, its opponents, seats and faults, and which of its matches are worth a look.

import { chosen } from "./model.js";
import { count, duration, interval, matches_in, number } from "./words.js";
import { elo_by_seeds } from "./plots.js";
import { explained } from "./help.js";
import { had } from "./facts.js";
import { h, pairs } from "./dom.js";
import { link, listed } from "./route.js";
import { places } from "./standings.js";
import { rows_of } from "./list.js";
import { figure, table } from "./chart.js";

/** @typedef {import("./types").Match} Match */

const MOST_FAULTS = 200;

/**
 * The page of a bot.
 * @param {import("./types").Page} page
 * @param {Match[]} matches
 * @param {Map<string, string>} names
 * @param {import("./route.js").Route} want
 */
export function bot(page, matches, names, want) {
  const id = want.bot;
  const name = names.get(id);
  if (name === undefined) return h("p", { class: "empty" }, "There is no such bot in this page. ", h("a", { href: "#" }, "Back to the tables"));
  const mine = chosen(matches, { bot: id });
  return h(
    "section",
    { class: "bot", "aria-label": name },
    h("h2", {}, name),
    who(page, id),
    page.tables.map((pool) => in_table(pool, id, mine)),
    h("h3", {}, "Worth a look"),
    notable(mine, id),
    lost(mine, id, page.source),
    h("h3", {}, "Faults"),
    faults(mine, id),
    h("h3", {}, "Matches ", h("span", { class: "dim" }, matches_in(mine.length))),
    h("p", {}, h("a", { class: "button", href: listed({ bot: id, fault: "any" }) }, "with its faults"), " ", h("a", { class: "button", href: listed({ bot: id, place: "1" }) }, "won"), " ", h("a", { class: "button", href: listed({ bot: id }) }, "with filters")),
    rows_of(mine),
  );
}

/** Version, identity, and under which conditions it played. @param {import("./types").Page} page @param {string} id */
function who(page, id) {
  const events = page.events.filter((event) => event.bots.some((one) => one.id === id));
  const known = events[0]?.bots.find((one) => one.id === id);
  const condition = (/** @type {import("./types").Event} */ event) => `${event.played}, ${event.format}, ${count(event.seats, "seat")}; ${duration(event.time.turn_ms / 1000)} a decision, ${event.policy}, isolation ${event.isolation}${event.bots.flatMap((bot) => (bot.id === id && had(bot) ? [`; ${had(bot)}`] : [])).join("")}`;
  return h(
    "div",
    { class: "facts" },
    h("dl", {}, pairs([
      ["version", known?.version || "it does not say"],
      ["identity", h("span", {}, h("code", {}, id), known?.complete ? "" : " (a bare command: it may use files that are not in its identity)")],
      ...events.map((event) => /** @type {[string, string]} */ ([`event ${event.number}`, condition(event)])),
    ])),
  );
}

/** @param {import("./types").Table} pool @param {string} id @param {Match[]} mine */
function in_table(pool, id, mine) {
  const { rows, sections } = pool.table;
  const at = rows.findIndex((row) => row.bot === id);
  if (at < 0) return null;
  const inside = mine.filter((match) => match.rated && pool.table.events.includes(match.event.id));
  const cells = sections.crosstable?.[at] ?? [];
  const against = rows.flatMap((row, j) => (cells[j] ? [[row.name, `${number(cells[j].score)} %`, interval(cells[j].low, cells[j].high), `${number(cells[j].expected)} %`, ahead(inside, id, row.bot), String(cells[j].matches), String(cells[j].seeds)]] : []));
  const shown = pool.columns.filter((column) => column.field !== "name" && column.field !== "finishes");
  const finishes = pool.columns.find((column) => column.field === "finishes");
  return h(
    "div",
    { class: "in-table" },
    h("p", { class: "note" }, pool.title),
    h("dl", { class: "row" }, shown.flatMap((column) => [h("div", {}, h("dt", {}, explained(column.head, column.doc)), h("dd", {}, column.texts[at]))]), h("div", {}, h("dt", {}, explained("places", finishes?.doc ?? "")), h("dd", {}, places(rows[at])))),
    h("div", { class: "charts" },
      against.length ? figure("Against each", "", pool.meanings.crosstable, table({ heads: ["against", "score", "95 % interval", "by the ratings", "points ahead", "matches", "seeds"], rows: against }, `Against each, ${pool.title}`)) : null,
      figure("By seat", "Plain means, without intervals.", "", table({ heads: ["seat", "mean place", "mean points", "matches"], rows: by_seat(inside, id) }, `By seat, ${pool.title}`)),
      elo_by_seeds({ ...pool, table: { ...pool.table, rows: [rows[at]] } }),
    ),
  );
}

/** @param {number[]} values */
function mean(values) {
  return values.length ? values.reduce((sum, one) => sum + one, 0) / values.length : null;
}

/** How many more points than another bot, in the mean over pairs of their seats. @param {Match[]} matches @param {string} id @param {string} other */
function ahead(matches, id, other) {
  return number(mean(matches.flatMap((match) => match.ids.flatMap((one, seat) => (one === id ? match.ids.flatMap((two, to) => (two === other && to !== seat ? [match.scores[seat] - match.scores[to]] : [])) : [])))));
}

/** @param {Match[]} matches @param {string} id */
function by_seat(matches, id) {
  const most = Math.max(0, ...matches.map((match) => match.ids.length));
  return [...Array(most).keys()].map((seat) => {
    const there = matches.filter((match) => match.ids[seat] === id);
    return [String(seat), number(mean(there.map((match) => match.ranks[seat])), 2), number(mean(there.map((match) => match.scores[seat]))), String(there.length)];
  });
}

/** How far it was ahead of the best other seat. @param {Match} match @param {string} id */
function lead(match, id) {
  const own = match.scores.filter((_, seat) => match.ids[seat] === id);
  const others = match.scores.filter((_, seat) => match.ids[seat] !== id);
  return others.length ? Math.max(...own) - Math.max(...others) : null;
}

/** Its best, its worst and its closest match. @param {Match[]} matches @param {string} id */
function notable(matches, id) {
  const leads = matches.flatMap((match) => { const by = lead(match, id); return by === null ? [] : [{ match, by }]; });
  if (!leads.length) return h("p", {}, "No match yet.");
  const least = (/** @type {(one: {by: number}) => number} */ key) => leads.reduce((best, one) => (key(one) < key(best) ? one : best));
  const line = (/** @type {string} */ word, /** @type {{match: Match, by: number}} */ { match, by }) =>
    h("li", { "data-which": word }, `${word}: `, h("a", { href: link({ match: match.key }) }, match.key), `, ${by >= 0 ? `${count(by, "point")} ahead of` : `${count(-by, "point")} behind`} the best of the others`);
  return h("ul", { class: "faults" }, line("best", least((one) => -one.by)), line("worst", least((one) => one.by)), line("closest", least((one) => Math.abs(one.by))));
}

/** What to do about its worst match, if it lost that. @param {Match[]} matches @param {string} id @param {string} source */
function lost(matches, id, source) {
  const losses = matches.flatMap((match) => { const by = lead(match, id); return by !== null && by < 0 ? [{ match, by }] : []; });
  if (!losses.length) return null;
  const { match } = losses.reduce((worst, one) => (one.by < worst.by ? one : worst));
  const seat = match.ids.indexOf(id);
  const { adviser, isolation } = match.event;
  const trusting = isolation === "trusted" ? " Add --isolation trusted if these bots are yours." : "";
  const out = source === "store" ? [" Play one of them out: ", h("code", {}, `khiva-arena match --from STORE ${match.key} --step N --seat ${seat} --choice K`), "."] : [];
  return h("p", { class: "next" }, "What a stronger bot would have chosen in its worst match: ", h("code", {}, `khiva-arena replay ${source.toUpperCase()} ${match.key} --seat ${seat}${adviser && ` --bot ${adviser}`}`), adviser ? "." : ", with --bot and a stronger bot of yours.", out, trusting);
}

/** @param {Match[]} matches @param {string} id */
function faults(matches, id) {
  const every = matches.flatMap((match) => match.faults.filter(([seat]) => match.ids[seat] === id).map((fault) => ({ match, fault })));
  if (!every.length) return h("p", {}, "None.");
  return h("ul", { class: "faults" }, every.slice(0, MOST_FAULTS).map(({ match, fault: [, verdict, step, detail] }) => h("li", {}, h("a", { href: link({ match: match.key, step }) }, `${match.key}, step ${step}`), ` ${verdict}${detail ? `: ${detail}` : ""}`)), every.length > MOST_FAULTS ? h("li", { class: "dim" }, `and ${every.length - MOST_FAULTS} more`) : null);
}
