// Khiva's table: five tents in the middle, a path for each seat outward to its outpost, camels where they stand, the columns of
// the turn, and what lies in front of every seat. All of it is read from what the replayer says; no rule is known here.

import { h, s } from "../../report/page/dom.js";
import { shortened } from "../../report/page/chart.js";

const SIGNS = ["W", "B", "G", "P", "K"];
const OUTPOST = 5;
const GAP = 16;
const NARROW = 560;

/** @typedef {import("../../report/page/types").Scene} Scene */

/** @type {import("../../report/page/types").Drawing} */
export const drawing = {
  draw(scene) {
    return h("div", { class: "table khiva" }, board(scene), turn(scene), h("div", { class: "players" }, scene.names.map((_, seat) => player(scene, seat))));
  },
  choice(kind, entry, _, knows) {
    const names = (/** @type {number[]} */ places) => places.map((place) => `${SIGNS[knows.hand[place][0]]}${knows.hand[place][1]}`).join(" ");
    if (kind === "play_pass") return `play ${names(entry.slice(0, entry.length / 2))}, pass ${names(entry.slice(entry.length / 2))}`;
    if (kind === "boost") return entry[0] === 0 ? "no gem" : `${entry[0]} gem${entry[0] > 1 ? "s" : ""}`;
    return String(entry[0]);
  },
  turn(frame) {
    return frame.all.turn;
  },
};

/**
 * Where everything stands on the board: paths go out to the right and to the left of the tents.
 * @param {Scene} scene
 */
function plan({ seats, width }) {
  const narrow = width < NARROW; // all paths go to the right then
  const right = narrow ? seats : Math.ceil(seats / 2);
  const wide = Math.min(width, 860);
  const tent = Math.min(64, wide / 8);
  const middle = narrow ? tent / 2 + 4 : wide / 2;
  const step = (wide - middle - tent / 2 - 8) / OUTPOST;
  const size = Math.min(46, step - 4);
  const lane = size + 34;
  const lanes = Math.max(right, seats - right);
  const tall = Math.max(lanes * lane, 5 * (size + 6)) + GAP;
  const top = (/** @type {number} */ seat) => {
    const of = seat < right ? right : seats - right;
    const at = seat < right ? seat : seat - right;
    return (tall - of * lane) / 2 + at * lane + 20 + size / 2;
  };
  return {
    wide,
    tall,
    size,
    /** The middle of a place. @param {number} path @param {number} shop @param {number} camel */
    at: (path, shop, camel) => {
      if (path < 0) return { x: middle, y: (tall - 5 * (size + 6)) / 2 + camel * (size + 6) + size / 2 };
      const way = path < right ? 1 : -1;
      return { x: middle + way * (tent / 2 + step * (shop - 0.5)), y: top(path) };
    },
  };
}

/** @param {Scene} scene */
function board(scene) {
  const { frame, before, names, seats, scenery } = scene;
  const where = plan(scene);
  const { size } = where;
  const half = size / 2;
  const places = [];
  for (let camel = 0; camel < 5; camel += 1) {
    const { x, y } = where.at(-1, 0, camel);
    places.push(s("path", { d: `M${x - half},${y + half} L${x},${y - half} L${x + half},${y + half} Z`, class: "place-line", "data-place": `tent-${camel}` }));
  }
  for (let seat = 0; seat < seats; seat += 1) {
    for (let shop = 1; shop <= OUTPOST; shop += 1) {
      const { x, y } = where.at(seat, shop, 0);
      places.push(s("rect", { x: x - half, y: y - half, width: size, height: size, rx: shop === OUTPOST ? 2 : 8, class: shop === OUTPOST ? "place-line outpost" : "place-line" }), good(shop, x, y, half));
    }
    const end = where.at(seat, OUTPOST, 0);
    const near = where.at(seat, 1, 0);
    const left = Math.min(end.x, near.x) - half;
    places.push(s("text", { x: end.x < near.x ? left : near.x - half, y: end.y - half - 6, class: "label seat-name" }, `${seat} ${shortened(names[seat], Math.floor((Math.abs(end.x - near.x) + size) / 7) - 2)}`));
  }
  const moves = frame.events.filter((event) => event.data.type === "move").map(({ data }) => {
    const from = where.at(data.from[0], data.from[1], data.camel);
    const to = where.at(data.to[0], data.to[1], data.camel);
    const lift = Math.min(40, Math.abs(to.x - from.x) / 3 + 12);
    return s("path", { d: `M${from.x},${from.y} Q${(from.x + to.x) / 2},${Math.min(from.y, to.y) - lift} ${to.x},${to.y}`, class: `camel-path camel-${data.camel}` });
  });
  const camels = frame.all.camels.map((/** @type {number[]} */ [path, shop, load], /** @type {number} */ camel) => {
    const { x, y } = where.at(path, shop, camel);
    const made = s(
      "g",
      { class: `camel camel-${camel}`, "data-camel": camel, "data-at": `${path},${shop}`, transform: `translate(${x},${y})` },
      s("title", {}, `${scenery.colours[camel]} camel, ${path < 0 ? "in its tent" : `at shop ${shop} of ${names[path]}`}, ${load ? `teapot ${load}` : "no teapot"}`),
      s("circle", { r: half * 0.82, class: "token" }),
      s("text", { y: 5, "text-anchor": "middle", class: "sign" }, SIGNS[camel]),
      load ? s("g", { transform: `translate(${half * 0.62},${-half * 0.62})` }, s("circle", { r: 9, class: "pot" }), s("text", { y: 4, "text-anchor": "middle", class: "pot-value" }, load)) : null,
    );
    const was = before?.all.camels[camel];
    if (was && (was[0] !== path || was[1] !== shop)) slide(made, where.at(was[0], was[1], camel), { x, y });
    return made;
  });
  return s("svg", { width: where.wide, height: where.tall, viewBox: `0 0 ${where.wide} ${where.tall}`, role: "img", "aria-label": words(scene), class: "board-svg" }, places, moves, camels);
}

/** What the board shows, for those who do not see it. @param {Scene} scene */
function words({ frame, names, scenery }) {
  const camels = frame.all.camels.map((/** @type {number[]} */ [path, shop, load], /** @type {number} */ camel) => `${scenery.colours[camel]} ${path < 0 ? "in its tent" : `at shop ${shop} of ${names[path]}`} with ${load ? `teapot ${load}` : "no teapot"}`);
  return `The board: ${camels.join("; ")}`;
}

/** A camel comes from where it stood, unless motion is not wanted. @param {Element} camel @param {{x: number, y: number}} from @param {{x: number, y: number}} to */
function slide(camel, from, to) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  camel.animate([{ transform: `translate(${from.x}px, ${from.y}px)` }, { transform: `translate(${to.x}px, ${to.y}px)` }], { duration: 220, easing: "ease-out" });
}

/** What a shop has. @param {number} shop @param {number} x @param {number} y @param {number} half */
function good(shop, x, y, half) {
  const foot = y + half - 8;
  if (shop === 1) return gem(x, foot);
  if (shop === 2) return carpet(x, foot);
  if (shop === 3) return s("g", {}, gem(x - 6, foot), gem(x + 6, foot));
  if (shop === 4) return s("g", {}, bag(x - 7, foot), carpet(x + 8, foot));
  return s("g", {});
}

/** @param {number} x @param {number} y */
function gem(x, y) {
  return s("path", { d: `M${x - 5},${y} L${x},${y - 5} L${x + 5},${y} L${x},${y + 5} Z`, class: "good" });
}

/** @param {number} x @param {number} y */
function carpet(x, y) {
  return s("path", { d: `M${x - 7},${y - 4} h14 v8 h-14 Z M${x - 4},${y - 4} v8 M${x + 4},${y - 4} v8`, class: "good" });
}

/** @param {number} x @param {number} y */
function bag(x, y) {
  return s("path", { d: `M${x - 3},${y - 5} h6 l3,10 h-12 Z`, class: "good" });
}

/**
 * The turn, camel by camel: who played which card, who won, who was rejected.
 * @param {Scene} scene
 */
function turn({ frame, film, names, scenery }) {
  const events = film.flatMap((one) => one.events);
  const from = events.findLastIndex((event) => event.data.type === "reveal");
  const number = from < 0 ? frame.all.turn : events[from].data.turn;
  const cards = from < 0 ? [] : events[from].data.cards.flatMap((/** @type {number[][]} */ of_seat, /** @type {number} */ seat) => of_seat.map((card) => ({ seat, camel: card[0], value: card[1] })));
  const after = from < 0 ? [] : events.slice(from);
  const wins = new Map(after.filter((event) => event.data.type === "win").map((event) => [event.data.camel, event.data]));
  const stays = new Map(after.filter((event) => event.data.type === "stay").map((event) => [event.data.camel, event.data.why]));
  return h(
    "section",
    { class: "turn", "aria-label": `Turn ${number}` },
    h("h3", {}, from < 0 ? `Turn ${number}: cards are chosen in secret` : `Turn ${number}`),
    h(
      "ol",
      { class: "columns" },
      scenery.colours.map((/** @type {string} */ name, /** @type {number} */ camel) => {
        const win = wins.get(camel);
        const mine = cards.filter((/** @type {{camel: number}} */ card) => card.camel === camel).sort((/** @type {any} */ a, /** @type {any} */ b) => a.value - b.value);
        return h(
          "li",
          { class: win ? "done" : stays.has(camel) ? "stays" : null },
          h("span", { class: "column-head" }, token(camel), name),
          mine.map((/** @type {{seat: number, value: number}} */ one) => {
            const won = win && win.seat === one.seat && win.card[1] === one.value;
            const rejected = win && !won;
            return h("span", { class: `played${won ? " wins" : ""}${rejected ? " rejected" : ""}` }, card(camel, one.value, scenery), ` ${shortened(names[one.seat], 12)}`, won ? " wins" : rejected ? " +1 gem" : "");
          }),
          stays.has(camel) ? h("span", { class: "dim" }, stays.get(camel) === "no_card" ? "no card" : String(stays.get(camel))) : null,
        );
      }),
    ),
  );
}

/** What lies in front of a seat. @param {Scene} scene @param {number} seat */
function player({ frame, names, scenery }, seat) {
  const all = frame.all;
  const own = frame.own[seat];
  const passed = frame.events.filter((event) => event.data.type === "pass" && event.data.seat === seat);
  const got = frame.events.filter((event) => event.data.type === "pass" && event.data.to === seat);
  const cards = (/** @type {any[]} */ list) => list.map(([camel, value]) => card(camel, value, scenery));
  /** @type {[string, any][]} */
  const rows = [
    ["hand", own ? cards(own.hand) : Array.from({ length: all.hands[seat] }, () => h("span", { class: "card back", title: "a hidden card" }, "?"))],
    passed.length ? ["passed", cards(passed.flatMap((event) => event.data.cards))] : ["", null],
    got.length ? ["received", cards(got.flatMap((event) => event.data.cards))] : ["", null],
    ["gems", all.gems[seat]],
    ["teapots", all.teapots[seat].join(" ") || "–"],
    ["salt", all.salts[seat].join(" ") || "–"],
    ["carpets", all.carpets[seat].length ? cards(all.carpets[seat]) : "–"],
    ["delivered", all.delivered[seat].length ? cards(all.delivered[seat]) : "–"],
  ];
  const asked = all.ask && all.ask.seat === seat;
  return h(
    "section",
    { class: `player${asked ? " asked" : ""}`, "data-seat": seat, "aria-label": `${seat} ${names[seat]}` },
    h("h3", {}, `${seat} ${names[seat]}`, h("span", { class: "points" }, `${frame.scores[seat]} points`)),
    h("dl", {}, rows.filter(([word]) => word).flatMap(([word, value]) => [h("dt", {}, word), h("dd", { "data-what": word }, value)])),
  );
}

/** @param {number} camel @param {number} value @param {any} scenery */
function card(camel, value, scenery) {
  return h("span", { class: `card camel-${camel}`, title: `${scenery.colours[camel]} ${value}` }, `${SIGNS[camel]}${value}`);
}

/** @param {number} camel */
function token(camel) {
  return h("span", { class: `card small camel-${camel}` }, SIGNS[camel]);
}
