// Points of each seat over the steps of a match.

import { linear, ticks } from "./scale.js";
import { path, picture, s } from "./dom.js";
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
