// Points of each seat over the steps of a match.

import { linear, ticks } from "./scale.js";
import { h, path, picture, refill, s, whenever_wide } from "./dom.js";
import { figure, first_of, label, letters, levels, room, shortened, table } from "./chart.js";
import { number } from "./words.js";

/** Points of each seat over the steps, with faults and changes of the lead; a click goes there. @param {import("./types").Frame[]} film @param {import("./types").Match} one @param {number} step @param {number[]} swings @param {(step: number) => void} to @param {number} width */
export function scores(film, one, step, swings, to, width) {
  const height = Math.max(120, 30 + 14 * one.names.length); // a label for each
  const every = film.flatMap((frame) => frame.scores);
  const [low, high] = [Math.min(...every), Math.max(...every)];
  const names = one.names.map((name, seat) => `${seat} ${name}`);
  const wide = room(names, width);
  const edge = width - wide - 6;
  const x = linear(0, film.length - 1, 40, edge);
  const y = linear(low, high, height - 20, 10);
  const press = (/** @type {any} */ event) => {
    if (event.type === "pointermove" && !event.buttons) return;
    const box = event.currentTarget.getBoundingClientRect();
    to(Math.round(((event.clientX - box.left - 40) / (edge - 40)) * (film.length - 1)));
  };
  const ends = names.map((name, seat) => ({ name, seat, y: y(film[film.length - 1].scores[seat]) })).sort((a, b) => a.y - b.y);
  ends.forEach((end, at) => { if (at) end.y = Math.max(end.y, ends[at - 1].y + 14); });
  ends.reduceRight((below, end) => (end.y = Math.min(end.y, below - 14)), height);
  const marks = [
    ...levels(ticks(low, high, 4), y, 40, edge),
    ...one.names.map((_, seat) => s("polyline", { class: `line line-${seat}`, points: film.map((frame) => `${x(frame.step)},${y(frame.scores[seat])}`).join(" ") })),
    ...one.faults.map(([seat, verdict, at]) => s("circle", { cx: x(at), cy: y(film[Math.min(at, film.length - 1)].scores[seat]), r: 4, class: "fault" }, s("title", {}, `${one.names[seat]}: ${verdict}`))),
    ...swings.map((at) => s("path", { d: `M${x(at)},${height - 18} l4,7 h-8 Z`, class: "swing" }, s("title", {}, `step ${at}: the lead changes`))),
    path(`M${x(step)},4 V${height - 16}`, "cursor"),
    ...ends.map((end) => label(edge + 6, end.y + 4, shortened(end.name, letters(wide)), "start", `label line-${end.seat}`)),
  ];
  return picture(width, height, "Points of each seat over the steps; a mark at the foot is a change of the lead", marks, { onpointerdown: press, onpointermove: press });
}

/** A bar of points by source, with the numbers of those parts that are wide enough, and all of them in words below it. What counts nothing is open. @param {string} title @param {string[][]} sources @param {number[]} points @param {number} most  points of the longest bar @param {number} width @param {number} digits */
function bar(title, [counted, uncounted], points, most, width, digits) {
  const names = [...counted, ...uncounted];
  const text = (/** @type {number} */ at) => number(points[at], digits);
  const kind = (/** @type {number} */ at) => (at < counted.length ? `part part-${at % 6}` : "part no-part");
  let end = 0;
  const parts = names.map((name, at) => {
    const wide = (Math.abs(points[at]) * width) / most;
    end += wide;
    const fits = at < counted.length && wide > 8 * text(at).length + 4;
    return s("g", {}, s("title", {}, `${name} ${text(at)}`), s("rect", { x: end - wide + 0.5, y: 0.5, width: Math.max(0, wide - 1), height: 17, class: kind(at) }), fits ? s("text", { x: end - wide / 2, y: 13, "text-anchor": "middle", class: "in-part" }, text(at)) : null);
  });
  const words = names.map((name, at) => h("li", { class: at < counted.length ? null : "dim" }, s("svg", { width: 12, height: 12, "aria-hidden": "true" }, s("rect", { width: 12, height: 12, class: kind(at) })), `${name} ${text(at)}${at < counted.length ? "" : ", not counted"}`));
  return h("li", {}, h("b", {}, title), s("svg", { width, height: 18, viewBox: `0 0 ${width} 18`, "aria-hidden": "true" }, parts), h("ul", {}, words));
}

/** How long the bar of some points is. @param {number[]} points */
function length(points) {
  return points.reduce((sum, one) => sum + Math.abs(one), 0);
}

/** Where the points of each seat come from at a step: a bar a seat. The longest of the match is as wide as its place. @param {import("./types").Frame[]} film @param {import("./types").Match} one @param {number} step @param {number} width */
export function by_source(film, one, step, width) {
  const { sources, points, scores } = film[step];
  if (!points.length) return null;
  const most = Math.max(1, ...film.flatMap((frame) => frame.points.map(length)));
  const rows = one.names.map((name, seat) => bar(`${seat} ${name}: ${scores[seat]}`, sources, points[seat], most, width, 0));
  return h("section", { "aria-label": "Points by source" }, h("h3", {}, "Points by source"), h("ul", { class: "by-source" }, rows));
}

/** Where the points of each bot come from, in a mean match. @param {import("./types").Table} of */
export function of_bots(of) {
  const found = of.table.sections.points;
  if (!found?.matches) return null;
  const rows = found.rows.map((row, at) => ({ ...row, name: of.table.rows[at].name })).filter((row) => row.matches);
  const sources = [found.counted, found.uncounted];
  const most = Math.max(1, ...rows.map((row) => length(row.means)));
  const place = h("ul", { class: "by-source" });
  const [drawn, note] = first_of(rows, `Points of a mean match by source, from ${found.matches} of ${found.of} rated matches; those with a forfeit do not count.`);
  whenever_wide(place, () => refill(place, ...drawn.map((row) => bar(row.name, sources, row.means, most, place.clientWidth, 1))));
  const numbers = { heads: ["bot", ...sources.flat(), "matches"], rows: rows.map((row) => [row.name, ...row.means.map((mean, at) => `${number(mean, 1)} ± ${row.errors[at] === null ? "n/a" : number(row.errors[at], 1)}`), String(row.matches)]) };
  const title = "Where points come from";
  return figure(title, note, of.meanings.points, place, h("details", {}, h("summary", {}, "Numbers"), table(numbers, title)));
}
