// Points of each seat over the steps of a match.

import { linear, ticks } from "./scale.js";
import { s } from "./dom.js";
import { shortened } from "./chart.js";

/** Points of each seat over the steps; a click goes there. @param {import("./types").Frame[]} film @param {import("./types").Match} one @param {number} step @param {(step: number) => void} to @param {number} width */
export function scores(film, one, step, to, width) {
  const height = 120;
  const every = film.flatMap((frame) => frame.scores);
  const [low, high] = [Math.min(...every), Math.max(...every)];
  const x = linear(0, film.length - 1, 40, width - 110);
  const y = linear(low, high, height - 20, 10);
  const press = (/** @type {any} */ event) => {
    if (event.type === "pointermove" && !event.buttons) return;
    const box = event.currentTarget.getBoundingClientRect();
    to(Math.round(((event.clientX - box.left - 40) / (width - 150)) * (film.length - 1)));
  };
  const ends = one.names.map((name, seat) => ({ name, seat, y: y(film[film.length - 1].scores[seat]) })).sort((a, b) => a.y - b.y);
  ends.forEach((end, at) => { if (at) end.y = Math.max(end.y, ends[at - 1].y + 14); });
  return s(
    "svg",
    { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Points of each seat over the steps", onpointerdown: press, onpointermove: press },
    ticks(low, high, 4).map((mark) => s("g", {}, s("path", { d: `M40,${y(mark)} H${width - 110}`, class: "grid" }), s("text", { x: 34, y: y(mark) + 4, "text-anchor": "end", class: "label" }, mark))),
    one.names.map((_, seat) => s("polyline", { class: `line line-${seat}`, points: film.map((frame) => `${x(frame.step)},${y(frame.scores[seat])}`).join(" ") })),
    one.faults.map(([seat, verdict, at]) => s("circle", { cx: x(at), cy: y(film[Math.min(at, film.length - 1)].scores[seat]), r: 4, class: "fault" }, s("title", {}, `${one.names[seat]}: ${verdict}`))),
    s("path", { d: `M${x(step)},4 V${height - 16}`, class: "cursor" }),
    ends.map((end) => s("text", { x: width - 104, y: end.y + 4, class: `label line-${end.seat}` }, `${end.seat} ${shortened(end.name, 13)}`)),
  );
}
