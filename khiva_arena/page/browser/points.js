// Points of each seat over the steps of a match.

import { linear, ticks } from "./scale.js";
import { h, path, picture, s } from "./dom.js";
import { label, letters, levels, room, shortened } from "./chart.js";

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

/** A source of points in words, with the number of points, behind a sample of its part of a bar. @param {string} source @param {number} at @param {boolean} counts @param {string | number} points */
export function named(source, at, counts, points) {
  return h("li", {}, s("svg", { width: 12, height: 12, "aria-hidden": "true" }, s("rect", { width: 12, height: 12, class: part(at, counts) })), h("span", { class: counts ? null : "dim" }, `${source} ${points}${counts ? "" : ", not counted"}`));
}

/** A bar of the points of each source, with the numbers of those parts that are wide enough. @param {string[][]} sources @param {number[]} points @param {number} most  points of the longest bar @param {number} width */
export function bar([counted, uncounted], points, most, width) {
  const names = [...counted, ...uncounted];
  let end = 0;
  const parts = names.map((name, at) => {
    const wide = (Math.abs(points[at]) * width) / most;
    end += wide;
    const text = String(Math.round(points[at]));
    const fits = at < counted.length && wide > 7 * text.length + 4;
    return s("g", {}, s("title", {}, `${name} ${text}`), s("rect", { x: end - wide + 0.5, y: 0.5, width: Math.max(0, wide - 1), height: 17, class: part(at, at < counted.length) }), fits ? s("text", { x: end - wide / 2, y: 13, "text-anchor": "middle", class: "in-part" }, text) : null);
  });
  return s("svg", { width, height: 18, viewBox: `0 0 ${width} 18`, "aria-hidden": "true" }, parts);
}

/** @param {number} at @param {boolean} counts */
function part(at, counts) {
  return counts ? `part part-${at % 6}` : "part no-part";
}

/** How long the bar of some points is. @param {number[]} points */
export function length(points) {
  return points.reduce((sum, one) => sum + Math.abs(one), 0);
}

/** Where the points of each seat come from at a step: a bar a seat, as long as its points beside the most of the match, and the numbers in words. @param {import("./types").Frame[]} film @param {import("./types").Match} one @param {number} step @param {number} width */
export function by_source(film, one, step, width) {
  const { sources, points, scores } = film[step];
  if (!points.length) return null;
  const most = Math.max(1, ...film.flatMap((frame) => frame.points.map(length)));
  const names = sources.flat();
  const rows = one.names.map((name, seat) => h("li", {}, h("b", {}, `${seat} ${name}: ${scores[seat]}`), bar(sources, points[seat], most, width), h("ul", {}, names.map((source, at) => named(source, at, at < sources[0].length, points[seat][at])))));
  return h("section", { class: "by-source", "aria-label": "Points by source" }, h("h3", {}, "Points by source"), h("ul", {}, rows));
}
