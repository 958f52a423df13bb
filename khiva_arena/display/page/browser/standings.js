// The rating table: who is better, and how sure that is.

import { explained, tipped } from "./help.js";
import { h, path, picture, refill, s, scrolls } from "./dom.js";
import { label, unsure } from "./chart.js";
import { linear, spaced } from "./scale.js";
import { link, listed } from "./route.js";
import { VERDICTS, count, number, ordinal } from "./words.js";

const WIDE = 160;
const TALL = 26;
const BAR = 80;

/**
 * The table of a pool, sorted by its heads.
 * @param {import("./types").Table} table
 * @param {number} number  which of the page's tables it is
 * @returns {HTMLElement}
 */
export function standings(table, number) {
  const rows = table.table.rows;
  const body = h("tbody");
  let by = { head: 0, down: false };
  const columns = table.columns.filter((column) => column.head === "1st" || column.field !== "finishes").map((column) => (column.field === "finishes" ? { ...column, head: "places", left: true } : column));
  const axis = axisOf(rows);
  const errors = columns.find((column) => column.field === "error");

  const cells = (/** @type {number} */ at) =>
    columns.flatMap((column) => {
      const row = rows[at];
      if (column.field === "finishes") return [h("td", { class: "places" }, places(row))];
      const text = column.texts[at];
      if (column.field === "name") {
        const drawn = errors ? h("td", { class: "whisker" }, axis ? whisker(row, axis, errors.texts[at]) : null) : null; // before the numbers, so that a phone shows it, too
        return [h("th", { scope: "row", title: text }, h("a", { href: link({ bot: row.bot, table: number || null }) }, text)), drawn];
      }
      if (column.field === "faults") return [h("td", { class: "kinds" }, kinds(row))];
      if (column.field === "rank_interval") return [h("td", { class: "ranks" }, text, ranks(row, rows.length))];
      return [h("td", {}, text)];
    });
  const heads = h("tr");
  const fill = () => {
    const order = rows.map((_, at) => at);
    const column = columns[by.head];
    if (by.head || by.down) order.sort((a, b) => compared(valueOf(rows[a], column, column.texts[a]), valueOf(rows[b], column, column.texts[b])) * (by.down ? -1 : 1) || a - b);
    refill(body, ...order.map((at) => h("tr", {}, cells(at))));
    refill(heads, ...columns.flatMap((one, at) => [head(one, at), ...(one.field === "name" && errors ? [h("th", { class: "whisker", scope: "col" }, axis ? axis.drawn() : null)] : [])]));
  };
  const head = (/** @type {any} */ column, /** @type {number} */ at) =>
    h(
      "th",
      { scope: "col", class: column.left ? "left" : null, "aria-sort": at === by.head ? (by.down ? "descending" : "ascending") : null },
      h("button", { class: "sort", type: "button", onclick: () => { by = { head: at, down: at === by.head && !by.down }; fill(); /** @type {HTMLElement} */ (heads.querySelectorAll(".sort")[at]).focus(); } }, column.head, h("span", { class: "arrow", "aria-hidden": "true" }, at === by.head ? (by.down ? " ▾" : " ▴") : "")),
      column.doc ? explained(column.head, column.doc, true) : null,
    );
  fill();
  return scrolls("Standings", h("table", { class: "standings" }, h("thead", {}, heads), body));
}

/** A column of an extension has only texts. @param {any} row @param {any} column @param {string} text */
function valueOf(row, column, text) {
  if (column.field === "finishes") return mean_place(row);
  if (column.field === "faults") return Object.values(row.faults).reduce((sum, one) => sum + Number(one), 0);
  if (!(column.field in row)) return /\d/.test(text) ? Number.parseFloat(text.replace(/[>=,]/g, "")) : null;
  const value = row[column.field];
  return Array.isArray(value) ? value[0] * 1000 + value[1] : value;
}

/** n/a comes last. @param {any} a @param {any} b */
function compared(a, b) {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  return typeof a === "string" ? a.localeCompare(b) : a - b;
}

/**
 * The common axis of all intervals: as wide as most of them need; one that is wider gets an arrow.
 * @param {any[]} rows
 */
function axisOf(rows) {
  const rated = rows.filter((row) => row.elo !== null);
  if (!rated.length) return null;
  const elos = rated.map((row) => row.elo);
  const span = Math.max(100, Math.max(...elos) - Math.min(...elos));
  const ends = rated.flatMap((row) => [row.elo, row.low ?? (row.bound === "<=" ? -Infinity : row.elo), row.high ?? (row.bound === ">=" ? Infinity : row.elo)]);
  const low = Math.max(Math.min(...ends), Math.min(...elos) - span / 2);
  const high = Math.min(Math.max(...ends), Math.max(...elos) + span / 2);
  const x = linear(low, high, 10, WIDE - 10);
  const marks = spaced(low, high, WIDE - 20, "", 5);
  return {
    x,
    low,
    high,
    marks,
    drawn: () =>
      picture(WIDE, 18, `Elo, from ${Math.round(low)} to ${Math.round(high)}`, marks.filter((mark) => within(x(mark), String(mark))).map((mark) => label(x(mark), 13, String(mark), "middle"))),
  };
}

/** Whether a label of the axis, which has its middle at ``x``, is in the drawing as a whole. @param {number} x @param {string} words */
function within(x, words) {
  return Math.min(x, WIDE - x) * 2 >= 7 * words.length;
}

/**
 * Dot and whiskers; an end that is open, or off the axis, is an arrow.
 * @param {any} row
 * @param {NonNullable<ReturnType<typeof axisOf>>} axis
 * @param {string} error
 */
function whisker(row, axis, error) {
  if (row.elo === null) return picture(WIDE, TALL, "n/a", [label(WIDE / 2, 17, "n/a", "middle")]);
  const y = TALL / 2;
  const known = row.error !== null;
  const low = row.low ?? (known ? row.elo - row.error : null);
  const high = row.high ?? (known ? row.elo + row.error : null);
  const openLow = low === null && row.bound === "<=";
  const openHigh = high === null && row.bound === ">=";
  const left = low === null && !openLow ? row.elo : Math.max(low ?? axis.low, axis.low);
  const right = high === null && !openHigh ? row.elo : Math.min(high ?? axis.high, axis.high);
  const x1 = axis.x(left);
  const x2 = axis.x(right);
  const end = (/** @type {number} */ x, /** @type {boolean} */ arrow, /** @type {number} */ way) =>
    arrow ? path(`M${x + 5 * way},${y - 4} L${x + way * 9},${y} L${x + 5 * way},${y + 4}`, "whisker") : path(`M${x},${y - 4} V${y + 4}`, "whisker");
  const dot = Math.min(Math.max(axis.x(row.elo), 10), WIDE - 10);
  return picture(WIDE, TALL, `Elo ${row.bound}${row.elo.toFixed(1)}, +/- ${error}`, [
    ...axis.marks.map((mark) => path(`M${axis.x(mark)},0 V${TALL}`, "grid")),
    x2 > x1 || openLow || openHigh ? s("g", {}, path(`M${x1},${y} H${x2}`, "whisker"), end(x1, openLow || (low ?? axis.low) < axis.low, -1), end(x2, openHigh || (high ?? axis.high) > axis.high, 1)) : null,
    s("circle", { cx: dot, cy: y, r: 4, class: row.bound || !known ? "dot open" : "dot" }),
    known || row.bound ? null : unsure(dot, y, WIDE),
  ]);
}

/** The ranks that are left open, as a bar among all there are. @param {any} row @param {number} of */
function ranks(row, of) {
  if (!row.rank_interval || of < 2) return null;
  const [best, worst] = row.rank_interval;
  const wide = 60 / of;
  return s(
    "svg",
    { width: 60, height: 6, viewBox: "0 0 60 6", "aria-hidden": "true" },
    s("rect", { x: 0, y: 0, width: 60, height: 6, rx: 3, class: "track" }),
    s("rect", { x: (best - 1) * wide, y: 0, width: (worst - best + 1) * wide, height: 6, rx: 3, class: "open" }),
    row.rank === null ? null : s("rect", { x: (row.rank - 1) * wide + wide / 2 - 1.5, y: 0, width: 3, height: 6, class: "at" }),
  );
}

/** The mean place, null without a match. @param {import("./types").Standing} row */
function mean_place({ finishes }) {
  const all = finishes.reduce((sum, often) => sum + often, 0);
  return all ? finishes.reduce((sum, often, at) => sum + often * (at + 1), 0) / all : null;
}

/** How often it came where, as one stacked bar. @param {import("./types").Standing} row */
export function places(row) {
  const mean = mean_place(row);
  if (mean === null) return "n/a";
  const all = row.finishes.reduce((sum, often) => sum + often, 0);
  const share = (/** @type {number} */ often) => `${number((100 * often) / all, 0)} %`;
  const lines = row.finishes.map((often, at) => [`${ordinal(at + 1)}`, `${often.toLocaleString("en")}`, share(often)]);
  let at = 0;
  const bars = row.finishes.map((often, place) => {
    const wide = (BAR * often) / all;
    at += wide;
    return s("rect", { x: at - wide, y: 0, width: Math.max(0, wide - 1), height: 14, class: `place place-${place}` });
  });
  const table = h("table", {}, h("tbody", {}, lines.map((cells) => h("tr", {}, cells.map((cell) => h("td", {}, cell)))), h("tr", {}, h("td", {}, "mean"), h("td", { colspan: 2 }, number(mean, 2)))));
  const words = `${lines.map(([place, often, percent]) => `${place} ${often} ${often === "1" ? "time" : "times"}, ${percent}`).join("; ")}; mean place ${number(mean, 2)}`;
  return tipped(s("svg", { width: BAR, height: 14, viewBox: `0 0 ${BAR} 14` }, bars), words, [table]);
}

/** A badge for each kind of fault, which leads to its matches. @param {import("./types").Standing} row */
function kinds(row) {
  const found = Object.entries(row.faults).filter(([, often]) => often);
  if (!found.length) return "0";
  return found.map(([verdict, often]) => h("a", { class: "badge", href: listed({ bot: row.bot, fault: verdict }), title: VERDICTS[verdict], "aria-label": `${count(often, verdict.replace("_", " "))} of ${row.name}: its matches` }, `${often} ${verdict.replace("_", " ")}`));
}
