// How long the decisions of each bot took: rows of bars on one axis of decades, with the limit of a turn.

import { chart, figure, first_of, label, room, row_name } from "./chart.js";
import { duration } from "./words.js";
import { path, s } from "./dom.js";
import { linear } from "./scale.js";

const TALL = 30;
const SHORTEST = -5; // as powers of ten of a second, here and below
const PER_DECADE = 10;
const TITLE = "Time per decision";
const ON_THE_CLOCK = "On the arbiter's clock, from when the last request of a step is out to the answer, less the arbiter's own lag.";
const IN_TICKS = "Ticks, as the time that they stand for: 10,000,000 are a millisecond. They are equal on every machine.";
const AXIS = "From line to line is ten times as long, with ten bars; the highest bar of each bot is equally high. What is beyond the limit took from the bank.";

/** @param {import("./types").Table} table */
export function times({ table: { rows, clock }, times: every, turn_ms }) {
  if (!every.length) return figure(TITLE, "n/a: how long decisions took is not known here. A store of this version of the arena keeps it, a bundle does not.", "");
  const shown = rows.map((row) => ({ name: row.name, found: every.find((one) => one.bot === row.bot) }));
  const [drawn, note] = first_of(shown, `${clock === "ticks" ? IN_TICKS : ON_THE_CLOCK} ${AXIS}`);
  const turn = Math.log10(turn_ms / 1000);
  const first = Math.min(...every.map((one) => one.bars.findIndex(Boolean)));
  const last = Math.max(...every.map((one) => one.bars.length));
  const low = Math.floor(SHORTEST + first / PER_DECADE);
  const high = Math.ceil(Math.max(turn + 0.2, SHORTEST + last / PER_DECADE));
  const draw = (/** @type {number} */ width) => {
    const height = drawn.length * (TALL + 8) + 44;
    const foot = height - 24;
    const wide = room(drawn.map(({ name }) => name), width);
    const x = linear(low, high, wide + 10, width - 12);
    const decades = Array.from({ length: high - low + 1 }, (_, at) => low + at);
    const every_one = x(low + 1) - x(low) > 54; // wide enough for its words
    const bar = Math.max(1, x(low + 1 / PER_DECADE) - x(low) - 1);
    return {
      height,
      marks: [
        ...decades.map((power) => s("g", {}, path(`M${x(power)},16 V${foot}`, "grid"), every_one || (high - power) % 2 ? label(x(power), foot + 16, duration(10 ** power).replace(".0", ""), power === high ? "end" : "middle") : null)),
        ...drawn.flatMap(({ name, found }, at) => {
          const base = 16 + (at + 1) * (TALL + 8);
          const head = row_name(name, base - 8, wide);
          if (!found) return [head, label(wide + 18, base - 8, "n/a")];
          const top = Math.max(...found.bars);
          return [
            head,
            ...found.bars.flatMap((often, bin) => (often ? [s("rect", { x: x(SHORTEST + bin / PER_DECADE), y: base - (TALL * often) / top, width: bar, height: (TALL * often) / top, class: "bar" }, s("title", {}, `${name}: ${often} from ${duration(10 ** (SHORTEST + bin / PER_DECADE))} on`))] : [])),
          ];
        }),
        path(`M${x(turn)},12 V${foot}`, "limit"),
        label(x(turn), 10, `turn: ${duration(turn_ms / 1000).replace(".0", "")}`, x(turn) > width - 80 ? "end" : "middle"),
      ],
    };
  };
  const words = (/** @type {number} */ ms) => duration(ms / 1000);
  const numbers = shown.map(({ name, found }) => [name, ...(found ? [found.decisions.toLocaleString("en"), words(found.median_ms), words(found.p95_ms), words(found.p99_ms), words(found.slowest_ms)] : Array.from({ length: 5 }, () => "n/a"))]);
  return chart(TITLE, note, draw, { heads: ["bot", "decisions", "median", "95 % are faster", "99 % are faster", "slowest"], rows: numbers });
}
