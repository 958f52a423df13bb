// The charts beside the table: Elo as seeds come in, crosstable, seats and neighbours, scores, faults.

import { chart, columns, figure, first_of, label, letters, levels, room, row_name, shortened, unsure } from "./chart.js";
import { count, interval, matches_in, number } from "./words.js";
import { h, path, s, scrolls } from "./dom.js";
import { linear, spaced, ticks } from "./scale.js";
import { link, listed } from "./route.js";

const LEFT = 44;
const LINES = 8;

/**
 * Elo of each bot after so many seeds, with a band for its error.
 * @param {import("./types").Table} table
 */
export function elo_by_seeds({ by_seeds, columns, table: { rows } }) {
  if (by_seeds.length < 2) return null;
  const name = new Map(rows.map((row) => [row.bot, row.name]));
  const lines = rows.slice(0, LINES).map((row) => ({
    bot: row.bot,
    points: by_seeds.flatMap((after) => {
      const found = after.rows.find((one) => one.bot === row.bot);
      return found && found.elo !== null ? [{ seeds: after.seeds, elo: found.elo, error: found.error }] : [];
    }),
  })).filter((line) => line.points.length);
  if (!lines.length) return null;
  const last = by_seeds[by_seeds.length - 1].seeds;
  const ends = lines.map(({ points }) => points[points.length - 1]).flatMap(({ elo, error }) => [elo - (error ?? 0), elo + (error ?? 0)]);
  const elos = [...lines.flatMap((line) => line.points.map((point) => point.elo)), ...ends]; // so that no band fills the frame to its end
  const span = Math.max(50, Math.max(...elos) - Math.min(...elos));
  const [low, high] = [Math.min(...elos) - span * 0.15, Math.max(...elos) + span * 0.15];
  const draw = (/** @type {number} */ width) => {
    const height = Math.min(320, Math.max(200, width * 0.5));
    const wide = room(lines.map(({ bot }) => name.get(bot) ?? ""), width);
    const x = linear(by_seeds[0].seeds, last, LEFT, width - wide);
    const y = linear(low, high, height - 28, 8);
    const words_at = spread(lines.map(({ points }) => y(points[points.length - 1].elo)), 14, 10, height - 30);
    const marks = [
      s("clipPath", { id: "plot" }, s("rect", { x: LEFT, y: 4, width: Math.max(0, width - wide - LEFT), height: height - 30 })),
      ...levels(ticks(low, high, 5), y, LEFT, width - wide),
      ...spaced(by_seeds[0].seeds, last, width - wide - LEFT).filter(Number.isInteger).map((mark) => label(x(mark), height - 8, String(mark), "middle")),
      label(width - wide + 18, height - 8, "seeds"),
      ...lines.map(({ bot, points }, at) => {
        const words = name.get(bot) ?? "";
        const sure = points.flatMap(({ seeds, elo, error }) => (error === null ? [] : [{ seeds, elo, error }]));
        const band = [...sure.map((point) => `${x(point.seeds)},${y(point.elo + point.error)}`), ...sure.reverse().map((point) => `${x(point.seeds)},${y(point.elo - point.error)}`)];
        return s(
          "g",
          { class: "series" },
          s("polygon", { points: band.join(" "), class: `band line-${at}`, "clip-path": "url(#plot)" }),
          s("polyline", { points: points.map((point) => `${x(point.seeds)},${y(point.elo)}`).join(" "), class: `line line-${at}` }),
          points.length > 1 ? null : s("circle", { cx: x(points[0].seeds), cy: y(points[0].elo), r: 3, class: `label line-${at}` }),
          s("a", { href: link({ bot }), "aria-label": words }, label(width - wide + 6, words_at[at] + 4, shortened(words, letters(wide - 6)), "start", `label line-${at}`)),
        );
      }),
    ];
    return { marks, height };
  };
  const heads = ["bot", ...by_seeds.map((after) => `after ${after.seeds}`)];
  const numbers = rows.map((row) => [row.name, ...by_seeds.map((after) => {
    const found = after.rows.find((one) => one.bot === row.bot);
    return found ? `${found.bound}${number(found.elo)} +/- ${number(found.error)}` : "n/a";
  })]);
  const note = `Elo by seeds played, with the 95 % interval as a band; point at a bot's name to see its band${rows.length > LINES ? `; the first ${LINES} bots` : ""}.`;
  const meaning = ["elo", "error"].map((field) => columns.find((column) => column.field === field)?.doc ?? "").join(" +/-: ");
  return chart("Elo as seeds come in", note, draw, { heads, rows: numbers }, meaning);
}

/** Places that keep ``apart`` from each other, near where they were. @param {number[]} places @param {number} apart @param {number} low @param {number} high */
function spread(places, apart, low, high) {
  const order = places.map((_, at) => at).sort((a, b) => places[a] - places[b]);
  const found = [...places];
  order.forEach((at, i) => { found[at] = Math.max(found[at], i ? found[order[i - 1]] + apart : low); });
  [...order].reverse().forEach((at, i, all) => { found[at] = Math.min(found[at], i ? found[all[i - 1]] - apart : high); });
  return found;
}

/**
 * What each bot made of each other, as a heat map whose cells lead to the matches.
 * @param {import("./types").Table} pool
 */
export function crosstable({ meanings, table: { rows, sections } }) {
  const cells = sections.crosstable;
  if (!cells || rows.length < 2 || rows.length > 60) return null;
  const title = "Crosstable";
  const apart = cells.some((row, i) => row.some((pair, j) => !pair && i !== j));
  const note = `Pair score in percent of the bot on the left against the one above; 50 is even. A frame: the ranks tell the two apart.${apart ? " -: the two never met." : ""} Click a cell to see the matches.`;
  const heads = ["", ...rows.map((_, at) => String(at + 1))];
  const body = rows.map((row, i) =>
    h("tr", {}, h("th", { scope: "row", title: row.name }, h("span", { class: "dim" }, `${i + 1} `), shortened(row.name, 18)), cells[i].map((pair, j) => {
      if (!pair) return h("td", { class: i === j ? "self" : "none", title: i === j ? null : "the two never met" }, i === j ? "" : "-");
      const words = `${row.name} against ${rows[j].name}: ${number(pair.score)} % (${interval(pair.low, pair.high)}) in ${matches_in(pair.matches)} on ${count(pair.seeds, "seed")}; by the ratings ${number(pair.expected)} %`;
      const step = Math.min(4, Math.floor(Math.abs(pair.score - 50) / 10));
      const heat = pair.score >= 50 ? `over-${step}` : `under-${step}`;
      return h("td", { class: `heat ${heat}${pair.certain ? " sure" : ""}` }, h("a", { href: listed({ bot: row.bot, against: rows[j].bot }), title: words, "aria-label": words }, number(pair.score, 0)));
    })),
  );
  return figure(
    title,
    note,
    meanings.crosstable,
    scrolls(title, h("table", { class: "cross" }, h("thead", {}, h("tr", {}, heads.map((head, at) => h(at ? "th" : "td", at ? { scope: "col", title: rows[at - 1].name } : {}, head)))), h("tbody", {}, body))),
  );
}

/**
 * Intervals as dots and whiskers, one below the other.
 * @param {string} title
 * @param {string} note
 * @param {{name: string, value: number | null, low: number | null, high: number | null, n: string, href?: string}[]} rows
 * @param {number} middle  the value that means nothing is there
 * @param {string} unit
 * @param {string} meaning
 */
export function dots(title, note, rows, middle, unit, meaning) {
  if (!rows.length) return null;
  const [drawn, words] = first_of(rows, note);
  const ends = drawn.flatMap((row) => [row.value, row.low, row.high]).filter((value) => value !== null).concat([middle - 2, middle + 2]);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const draw = (/** @type {number} */ width) => {
    const wide = room(drawn.map((row) => row.name), width);
    const x = linear(low, high, wide + 10, width - 28);
    const height = drawn.length * 22 + 28;
    const marks = [
      ...columns(spaced(low, high, width - wide - 38, unit), x, height, unit, middle),
      ...drawn.map((row, at) => {
        const y = at * 22 + 16;
        const word = row_name(row.name, y + 4, wide, row.href ? "label linked" : "label");
        return s("g", {}, row.href ? s("a", { href: row.href }, word) : word, row.value === null ? label(x(middle) + 6, y + 4, "n/a") : null, row.low === null || row.high === null ? (row.value === null ? null : unsure(x(row.value), y, width - 20)) : path(`M${x(row.low)},${y} H${x(row.high)} M${x(row.low)},${y - 4} v8 M${x(row.high)},${y - 4} v8`, "whisker"), row.value === null ? null : s("circle", { cx: x(row.value), cy: y, r: 4, class: "dot" }));
      }),
    ];
    return { marks, height };
  };
  return chart(title, words, draw, { heads: ["", "value", "95 % interval", "from"], rows: rows.map((row) => [row.name, `${number(row.value)}${unit}`, interval(row.low, row.high), row.n]) }, meaning);
}

/** Whether seats and neighbours matter. @param {import("./types").Table} table */
export function seats_and_neighbours({ meanings, table: { rows, sections } }) {
  if (!sections.seats) return [];
  const name = new Map(rows.map((row) => [row.bot, row.name]));
  const from = (/** @type {{matches: number, seeds: number}} */ one) => `${matches_in(one.matches)}, ${count(one.seeds, "seed")}`;
  const tables = new Set(sections.seats.seats.map((one) => one.seats));
  const of = (/** @type {{seats: number}} */ one) => (tables.size > 1 ? ` of ${one.seats}` : "");
  return [
    dots("Does the seat matter?", "Pair score in percent of the bots in that seat; 50 is even.", sections.seats.seats.map((one) => ({ name: `seat ${one.seat}${of(one)}`, value: one.score, low: one.low, high: one.high, n: from(one) })), 50, " %", meanings.seats),
    dots("Does the neighbour matter?", "How much better others do in the seat after this bot than elsewhere, in percent of pair score; 0 is no effect.", sections.seats.neighbours.map((one) => ({ name: name.get(one.bot) ?? "", value: one.effect, low: one.low, high: one.high, n: from(one) })), 0, " %", meanings.seats),
  ];
}

/**
 * How points are spread, a row of bars for each bot.
 * @param {string} title
 * @param {string} note
 * @param {{name: string, values: number[], instead?: string}[]} rows  instead: what is said of a row without values
 */
export function spreads(title, note, rows) {
  const every = rows.flatMap((row) => row.values);
  if (!every.length) return null;
  const [drawn, words] = first_of(rows, note);
  const least = every.reduce((a, b) => Math.min(a, b));
  const most = every.reduce((a, b) => Math.max(a, b));
  const wide = Math.ceil((most - least + 1) / 32); // whole points, so that no bar stands for more of them than another
  const bins = Math.floor((most - least) / wide) + 1;
  const counts = drawn.map((row) => {
    const found = new Array(bins).fill(0);
    for (const value of row.values) found[Math.floor((value - least) / wide)] += 1;
    return found;
  });
  const draw = (/** @type {number} */ width) => {
    const tall = 34;
    const height = drawn.length * (tall + 6) + 26;
    const left = room(drawn.map((row) => row.name), width);
    const x = linear(least, least + bins * wide, left + 10, width - 12);
    return {
      height,
      marks: [
        ...columns(spaced(least, most, width - left - 22), x, height),
        ...drawn.flatMap((row, at) => {
          const top = Math.max(...counts[at], 1);
          const foot = (at + 1) * (tall + 6) - 4;
          return [
            row_name(row.name, foot - 8, left),
            ...(row.values.length ? [] : [label(left + 18, foot - 8, row.instead || "no match")]),
            ...counts[at].flatMap((often, bin) => (often ? [s("rect", { x: x(least + bin * wide), width: Math.max(1, x(least + wide) - x(least) - 1), y: foot - (tall * often) / top, height: (tall * often) / top, class: "bar" }, s("title", {}, `${row.name}: ${often} with ${wide > 1 ? `${least + bin * wide} to ${least + (bin + 1) * wide - 1}` : count(least + bin, "point")}`))] : [])),
          ];
        }),
      ],
    };
  };
  const numbers = rows.map((row) => {
    const sorted = [...row.values].sort((a, b) => a - b);
    const at = (/** @type {number} */ share) => (sorted.length ? String(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]) : "n/a");
    return [row.name, String(sorted.length), at(0), at(0.25), at(0.5), at(0.75), at(1)];
  });
  return chart(title, words, draw, { heads: ["bot", "n", "least", "lower quarter", "median", "upper quarter", "most"], rows: numbers });
}

/**
 * When faults happened, a mark each over the matches of an event.
 * @param {import("./types").Match[]} matches
 * @param {Map<string, string>} names
 */
export function faults(matches, names) {
  const every = matches.flatMap((match, at) => match.faults.map(([seat, verdict, step]) => ({ at, match, bot: match.ids[seat], verdict, step })));
  if (!every.length) return null;
  const kinds = [...new Set(every.map((one) => one.verdict))];
  const bots = [...new Set(every.map((one) => one.bot))];
  const draw = (/** @type {number} */ width) => {
    const height = bots.length * 22 + 28;
    const wide = room(bots.map((bot) => names.get(bot) ?? ""), width);
    const x = linear(0, Math.max(1, matches.length - 1), wide + 10, width - 16);
    return {
      height,
      marks: [
        ...bots.flatMap((bot, at) => [row_name(names.get(bot) ?? "", at * 22 + 20, wide), path(`M${wide + 10},${at * 22 + 16} H${width - 16}`, "grid")]),
        ...every.slice(0, 2000).map((one) => s("a", { href: link({ match: one.match.key, step: one.step }) }, s("circle", { cx: x(one.at), cy: bots.indexOf(one.bot) * 22 + 16, r: 4, class: `fault fault-${kinds.indexOf(one.verdict) % 4}` }, s("title", {}, `${one.verdict} in match ${one.match.key}, step ${one.step}`)))),
        label(wide + 10, height - 6, "first match"),
        label(width - 16, height - 6, "last match", "end"),
      ],
    };
  };
  const rows = bots.map((bot) => [names.get(bot) ?? "", ...kinds.map((kind) => String(every.filter((one) => one.bot === bot && one.verdict === kind).length))]);
  return chart("Faults over the event", "A mark for each fault, by the bot that made it; it leads to the match.", draw, { heads: ["bot", ...kinds], rows });
}

