// Formats as what they are: the bracket of a knockout, the rounds of a swiss, the candidate of a gauntlet, stages.

import { count, matches_in, number } from "./words.js";
import { dots } from "./plots.js";
import { explained } from "./help.js";
import { h, scrolls } from "./dom.js";
import { link, listed } from "./route.js";

/** @typedef {import("./types").Event} Event */
/** @typedef {import("./types").Round} Round */
/** @typedef {import("./types").Table} Table */

/**
 * The events of a rating table, each in its form, and how stages follow each other.
 * @param {import("./types").Page} page
 * @param {Table} table
 */
export function formats(page, table) {
  const events = page.events.filter((event) => table.table.events.includes(event.id));
  return [stages(page, events), ...events.map((event) => (FORMS[event.format] ? h("section", { class: "form", "aria-label": `Event ${event.number}, ${event.format}` }, h("h3", {}, explained(`Event ${event.number}: ${event.format}`, event.about)), FORMS[event.format](event, table)) : null))];
}

/** @type {Record<string, (event: Event, table: Table) => import("./dom.js").Child[]>} */
const FORMS = { knockout: bracket, swiss, gauntlet: candidates, sprt: candidates, compare: candidates };

/** Who came in where. @param {Event} event @param {Table} table */
function placed(event, table) {
  const found = table.table.places?.find((one) => one.event === event.id);
  return { of: found?.of ?? event.rounds.length, rows: found?.rows ?? [] };
}

/** @param {Event} event @param {number} bot @param {import("./dom.js").Attributes} [more] */
function bot_link(event, bot, more = {}) {
  return h("a", { href: link({ bot: event.bots[bot].id }), ...more }, event.bots[bot].name);
}

/** @param {Event} event @param {Round} round @param {number} at */
function to_matches(event, round, at) {
  return listed({ event: event.number, round: round.number, lineup: at });
}

/** Rounds as columns, their tables from top to bottom, who goes on lit; the way of a bot is lit while it is pointed at. @param {Event} event @param {Table} table */
function bracket(event, table) {
  const { of, rows } = placed(event, table);
  const last = event.rounds[event.rounds.length - 1];
  const light = (/** @type {any} */ what) => {
    const bot = what.type === "pointerover" || what.type === "focusin" ? what.target.closest("[data-bot]")?.dataset.bot : undefined;
    for (const one of place.querySelectorAll("[data-bot]")) one.classList.toggle("lit", one.dataset.bot === bot);
  };
  const columns = event.rounds.map((round) => h("li", {}, h("h4", {}, round.number === of ? "final" : `round ${round.number}`), h("ul", {}, round.line_ups.map((_, at) => pairing(event, round, at, round.number === of)), round.byes.map((bot) => h("li", { class: "pairing bye" }, h("div", { class: "sitter", "data-bot": bot }, bot_link(event, bot), h("span", {}, "bye")))))));
  const open = [...Array(of - event.rounds.length).keys()].map((at) => h("li", {}, h("h4", {}, last.number + at + 1 === of ? "final" : `round ${last.number + at + 1}`), h("p", { class: "dim" }, "not drawn yet")));
  const winner = event.over ? rows.filter((row) => row.place === 1).map((row) => event.bots.findIndex((bot) => bot.id === row.bot)) : [];
  const end = winner.length ? h("li", {}, h("h4", {}, "winner"), h("ul", {}, winner.map((bot) => h("li", { class: "pairing winner" }, h("div", { class: "sitter through", "data-bot": bot }, bot_link(event, bot)))))) : null;
  const place = /** @type {any} */ (h("ol", { class: "bracket", onpointerover: light, onpointerleave: light, onfocusin: light, onfocusout: light }, columns, open, end));
  return [scrolls(`Bracket of event ${event.number}`, place)];
}

/** @param {Event} event @param {Round} round @param {number} at @param {boolean} final */
function pairing(event, round, at, final) {
  const { sitters, decided } = round.line_ups[at];
  return h(
    "li",
    { class: "pairing" },
    h("a", { class: "to-matches", href: to_matches(event, round, at) }, `table ${at + 1}: matches`),
    sitters.map(({ bot, score, through }) =>
      h("div", { class: through ? "sitter through" : "sitter", "data-bot": bot }, bot_link(event, bot), h("span", {}, score === null ? "n/a" : `${number(score)} %`, through ? h("span", { class: "mark" }, final ? " won" : " goes on") : null)),
    ),
    decided ? h("p", { class: "note" }, `equal; decided by ${decided}`) : null,
  );
}

/** A row a bot, a column a round: its score at its table, and who else sat there. @param {Event} event @param {Table} table */
function swiss(event, table) {
  const { of, rows } = placed(event, table);
  const cell = (/** @type {number} */ bot, /** @type {Round} */ round) => {
    const at = round.line_ups.findIndex((one) => one.sitters.some((sitter) => sitter.bot === bot));
    if (at < 0) return h("td", { class: "dim" }, "bye");
    const { sitters } = round.line_ups[at];
    const score = sitters.find((sitter) => sitter.bot === bot)?.score ?? null;
    const others = sitters.filter((sitter) => sitter.bot !== bot).map((sitter) => event.bots[sitter.bot].name).join(", ");
    return h("td", {}, h("a", { href: to_matches(event, round, at), "aria-label": `${event.bots[bot].name} in round ${round.number}: ${score === null ? "no result" : `${number(score)} %`} against ${others}` }, score === null ? "n/a" : `${number(score)} %`), h("span", { class: "others", title: others }, others));
  };
  const body = rows.map((row) => {
    const bot = event.bots.findIndex((one) => one.id === row.bot);
    return h("tr", {}, h("td", {}, row.place), h("th", { scope: "row" }, bot_link(event, bot)), event.rounds.map((round) => cell(bot, round)), h("td", {}, number(row.score)), h("td", {}, number(row.points, 2)), h("td", {}, row.tables), h("td", {}, number(row.opponents)), h("td", {}, row.byes));
  });
  const heads = ["place", "bot", ...event.rounds.map((round) => `round ${round.number}`), "score%", "points", "tables", "opponents%", "byes"];
  return [
    event.rounds.length < of ? h("p", { class: "note" }, `${event.rounds.length} of ${count(of, "round")} drawn`) : null,
    scrolls(`Rounds of event ${event.number}`, h("table", { class: "swiss" }, h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col", class: head === "bot" ? "left" : null }, PLACE_HEADS.has(head) ? explained(head, table.meanings[head.replace("%", "")] ?? "") : head)))), h("tbody", {}, body))),
  ];
}

const PLACE_HEADS = new Set(["place", "score%", "points", "tables", "opponents%", "byes"]);

/** Each candidate, and what it made of each other bot. @param {Event} event @param {Table} table */
function candidates(event, table) {
  const { rows, sections } = table.table;
  return event.candidates.map((position) => {
    const at = rows.findIndex((row) => row.bot === event.bots[position].id);
    if (at < 0) return null;
    const row = rows[at];
    const text = (/** @type {string} */ field) => table.columns.find((column) => column.field === field)?.texts[at] ?? "n/a";
    const against = rows.flatMap((other, j) => {
      const pair = sections.crosstable?.[at]?.[j];
      return pair ? [{ name: other.name, value: pair.score, low: pair.low, high: pair.high, n: `${matches_in(pair.matches)}, ${count(pair.seeds, "seed")}`, href: listed({ bot: row.bot, against: other.bot }) }] : [];
    });
    return h("div", { class: "candidate" }, h("p", { class: "lead" }, bot_link(event, position), ` Elo ${text("elo")} +/- ${text("error")}, score ${text("score")} %`), dots(`${row.name} against each`, "Pair score in percent of the candidate, with its 95 % interval; 50 is even. Click a name to see the matches.", against, 50, " %", table.meanings.crosstable));
  });
}

/** Which event's best went on to which. @param {import("./types").Page} page @param {Event[]} events */
function stages(page, events) {
  const chain = events.filter((event) => event.after || page.events.some((one) => one.after === event.id));
  if (!chain.length) return null;
  const entry = (/** @type {Event} */ event) => {
    const from = page.events.find((one) => one.id === event.after);
    const came = from && event.bots.length < from.bots.length ? `the best ${event.bots.length} of event ${from.number}: ` : "";
    return h("li", {}, h("h4", {}, `stage ${event.stage}: ${event.format}`), h("p", { class: "note" }, h("a", { href: listed({ event: event.number }) }, `event ${event.number}`), `, ${count(event.seats, "seat")}, ${count(event.bots.length, "bot")}`), h("p", {}, came, event.bots.flatMap((bot, at) => [at ? ", " : "", h("a", { href: link({ bot: bot.id }) }, bot.name)])));
  };
  return h("section", { class: "form", "aria-label": "Stages" }, h("h3", {}, "Stages"), h("ol", { class: "stages" }, chain.map(entry)));
}
