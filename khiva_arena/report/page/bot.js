// A bot: its row in each table, its opponents, its worst matches.

import { chosen } from "./model.js";
import { explained } from "./help.js";
import { h } from "./dom.js";
import { link } from "./route.js";
import { number, interval, count } from "./words.js";
import { rows_of } from "./list.js";
import { table } from "./chart.js";

/**
 * The page of a bot.
 * @param {import("./types").Page} page
 * @param {import("./types").Match[]} matches
 * @param {Map<string, string>} names
 * @param {import("./route.js").Route} want
 */
export function bot(page, matches, names, want) {
  const id = want.bot;
  const name = names.get(id);
  if (name === undefined) return h("p", { class: "empty" }, "There is no such bot in this page. ", h("a", { href: "#" }, "Back to the tables"));
  const mine = chosen(matches, { bot: id });
  const entries = page.events.flatMap((event) => event.bots.filter((one) => one.id === id).map((one) => ({ event, one })));
  return h(
    "section",
    { class: "bot", "aria-label": name },
    h("h2", {}, name),
    h("p", { class: "note" }, `${entries[0]?.one.version ? `version ${entries[0].one.version}, ` : ""}identity `, h("code", {}, id)),
    page.tables.map((pool) => in_table(pool, id)),
    h("h3", {}, "Faults"),
    faults(mine, id),
    h("h3", {}, "Matches ", h("span", { class: "dim" }, count(mine.length, "match", "matches"))),
    h("p", {}, h("a", { class: "button", href: link({ matches: "all", bot: id, fault: "any" }) }, "with its faults"), " ", h("a", { class: "button", href: link({ matches: "all", bot: id, place: "1" }) }, "won"), " ", h("a", { class: "button", href: link({ matches: "all", bot: id }) }, "with filters")),
    rows_of(mine),
  );
}

/** @param {import("./types").Table} pool @param {string} id */
function in_table(pool, id) {
  const { rows, sections } = pool.table;
  const at = rows.findIndex((row) => row.bot === id);
  if (at < 0) return null;
  const cells = sections.crosstable?.[at] ?? [];
  const against = rows.flatMap((row, j) => (cells[j] ? [[row.name, `${number(cells[j].score)} %`, interval(cells[j].low, cells[j].high), `${number(cells[j].expected)} %`, String(cells[j].matches), String(cells[j].seeds)]] : []));
  return h(
    "div",
    {},
    h("p", { class: "note" }, pool.title),
    h("dl", { class: "row" }, pool.columns.filter((column) => column.field !== "name").flatMap((column) => [h("dt", {}, explained(column.head, column.doc)), h("dd", {}, column.texts[at])])),
    against.length ? table({ heads: ["against", "score", "95 % interval", "by the ratings", "matches", "seeds"], rows: against }) : null,
  );
}

/** @param {import("./types").Match[]} matches @param {string} id */
function faults(matches, id) {
  const every = matches.flatMap((match) => match.faults.filter(([seat]) => match.ids[seat] === id).map((fault) => ({ match, fault })));
  if (!every.length) return h("p", {}, "None.");
  return h("ul", { class: "faults" }, every.slice(0, 200).map(({ match, fault: [, verdict, step, detail] }) => h("li", {}, h("a", { href: link({ match: match.key, step }) }, `${match.key}, step ${step}`), ` ${verdict}${detail ? `: ${detail}` : ""}`)), every.length > 200 ? h("li", { class: "dim" }, `and ${every.length - 200} more`) : null);
}
