// Khiva's table: five tents in the middle, a path for each seat outward to its outpost, camels where they stand, the columns of
// the turn, and what lies in front of every seat. All of it is read from what the replayer says; no rule is known here.

import { backs, player, slide } from "../../display/page/browser/pieces.js";
import { h, pairs, path, picture, s } from "../../display/page/browser/dom.js";
import { label, shortened } from "../../display/page/browser/chart.js";

const SIGNS = ["W", "B", "G", "P", "K"];
const STAYS = /** @type {Record<string, string>} */ ({ no_card: "no card", overshoot: "stays: the card is too high", declined: "stays: the winner declines" });
const OUTPOST = 5;
const GAP = 16;
const NARROW = 560;

/** @typedef {import("../../display/page/browser/types").Scene} Scene */

/** @type {import("../../display/page/browser/types").Drawing} */
export const drawing = {
  draw(scene) {
    return h("div", { class: "table khiva" }, board(scene), turn(scene), middle(scene), h("div", { class: "players" }, scene.names.map((_, seat) => window_of(scene, seat))));
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
  const { frame, before, names, seats } = scene;
  const where = plan(scene);
  const { size } = where;
  const half = size / 2;
  const places = [];
  const names_above = [];
  for (let camel = 0; camel < 5; camel += 1) {
    const { x, y } = where.at(-1, 0, camel);
    places.push(path(`M${x - half},${y + half} L${x},${y - half} L${x + half},${y + half} Z`, "place-line"), label(x, y + half - 6, SIGNS[camel], "middle"));
  }
  for (let seat = 0; seat < seats; seat += 1) {
    for (let shop = 1; shop <= OUTPOST; shop += 1) {
      const { x, y } = where.at(seat, shop, 0);
      places.push(s("rect", { x: x - half, y: y - half, width: size, height: size, rx: shop === OUTPOST ? 2 : 8, class: shop === OUTPOST ? "place-line outpost" : "place-line" }), good(shop, x, y, half));
    }
    const end = where.at(seat, OUTPOST, 0);
    const near = where.at(seat, 1, 0);
    const left = Math.min(end.x, near.x) - half;
    names_above.push(label(end.x < near.x ? left : near.x - half, end.y - half - 6, `${seat} ${shortened(names[seat], Math.floor((Math.abs(end.x - near.x) + size) / 7) - 2)}`, "start", "label seat-name"));
  }
  const moves = frame.events.filter((event) => event.data.type === "move").map(({ data }) => {
    const from = where.at(data.from[0], data.from[1], data.camel);
    const to = where.at(data.to[0], data.to[1], data.camel);
    const lift = Math.min(40, Math.abs(to.x - from.x) / 3 + 12);
    return path(`M${from.x},${from.y} Q${(from.x + to.x) / 2},${Math.min(from.y, to.y) - lift} ${to.x},${to.y}`, `camel-path camel-${data.camel}`);
  });
  const camels = frame.all.camels.map((/** @type {number[]} */ [path, shop, load], /** @type {number} */ camel) => {
    const { x, y } = where.at(path, shop, camel);
    const made = s(
      "g",
      { class: `camel camel-${camel}`, "data-camel": camel, "data-at": `${path},${shop}`, transform: `translate(${x},${y})` },
      s("title", {}, said(scene, camel)),
      s("circle", { r: half * 0.82, class: "token" }),
      label(0, 5, SIGNS[camel], "middle", "sign"),
      load ? s("g", { transform: `translate(${half * 0.62},${-half * 0.62})` }, s("circle", { r: 9, class: "pot" }), label(0, 4, load, "middle", "pot-value")) : null,
    );
    const was = before?.all.camels[camel];
    if (was && (was[0] !== path || was[1] !== shop)) slide(made, where.at(was[0], was[1], camel), { x, y });
    return made;
  });
  return picture(where.wide, where.tall, `The board: ${frame.all.camels.map((/** @type {unknown} */ _, /** @type {number} */ camel) => said(scene, camel)).join("; ")}`, [...places, ...moves, ...names_above, ...camels], { class: "board-svg" });
}

/** Where a camel is, for those who do not see it. @param {Scene} scene @param {number} camel */
function said({ frame, names, scenery }, camel) {
  const [path, shop, load] = frame.all.camels[camel];
  const stands = names[path] === "you" ? `at your shop ${shop}` : `at shop ${shop} of ${names[path]}`;
  return `${scenery.colours[camel]} ${path < 0 ? "in its tent" : stands} with ${load ? `teapot ${load}` : "no teapot"}`;
}

/** What a shop has. @param {number} shop @param {number} x @param {number} y @param {number} half */
function good(shop, x, y, half) {
  const foot = y + half - 8;
  return s("g", {}, [[], [gem(x, foot)], [carpet(x, foot)], [gem(x - 6, foot), gem(x + 6, foot)], [bag(x - 7, foot), carpet(x + 8, foot)], []][shop]);
}

/** @param {number} x @param {number} y */
function gem(x, y) {
  return path(`M${x - 5},${y} L${x},${y - 5} L${x + 5},${y} L${x},${y + 5} Z`, "good");
}

/** @param {number} x @param {number} y */
function carpet(x, y) {
  return path(`M${x - 7},${y - 4} h14 v8 h-14 Z M${x - 4},${y - 4} v8 M${x + 4},${y - 4} v8`, "good");
}

/** @param {number} x @param {number} y */
function bag(x, y) {
  return path(`M${x - 3},${y - 5} h6 l3,10 h-12 Z`, "good");
}

/**
 * The turn, camel by camel: who played which card, who won, who was rejected and what that brought.
 * @param {Scene} scene
 */
function turn({ frame, film, names, scenery }) {
  const events = film.flatMap((one) => one.events).map((event) => event.data);
  const from = events.findLastIndex((event) => event.type === "reveal");
  const number = from < 0 ? frame.all.turn : events[from].turn;
  const cards = from < 0 ? [] : events[from].cards.flatMap((/** @type {number[][]} */ of_seat, /** @type {number} */ seat) => of_seat.map((card) => ({ seat, camel: card[0], value: card[1] })));
  const after = from < 0 ? [] : events.slice(from);
  return h(
    "section",
    { class: "turn", "aria-label": `Turn ${number}` },
    h("h3", {}, `Turn ${number}${from < 0 ? ": cards are chosen in secret" : ""}`),
    h(
      "ol",
      { class: "columns" },
      scenery.colours.map((/** @type {string} */ name, /** @type {number} */ camel) => {
        const place = after.findIndex((event) => event.type === "win" && event.camel === camel);
        const win = after[place];
        const next = after.findIndex((event, at) => at > place && event.type === "win");
        const paid = win ? after.slice(place, next < 0 ? undefined : next).filter((event) => event.why === "rejected").map((event) => event.seat) : [];
        const gem = (/** @type {number} */ seat) => (paid.includes(seat) ? `, +${paid.splice(paid.indexOf(seat), 1).length} gem` : "");
        const stay = after.find((event) => event.type === "stay" && event.camel === camel);
        const mine = cards.filter((/** @type {{camel: number}} */ card) => card.camel === camel).sort((/** @type {any} */ a, /** @type {any} */ b) => a.value - b.value);
        return h(
          "li",
          { class: win ? "done" : null },
          h("span", { class: "column-head" }, token(camel), name),
          mine.map((/** @type {{seat: number, value: number}} */ one) => {
            const won = win && win.seat === one.seat && win.card[1] === one.value;
            return h("span", { class: `played${won ? " wins" : win ? " rejected" : ""}` }, card(camel, one.value, scenery), ` ${shortened(names[one.seat], 24)}`, won ? (names[one.seat] === "you" ? " win" : " wins") : win ? ` rejected${gem(one.seat)}` : "");
          }),
          stay ? h("span", { class: "dim" }, STAYS[stay.why]) : null,
        );
      }),
    ),
  );
}

/** What nobody has yet. @param {Scene} scene */
function middle({ frame: { all }, scenery }) {
  const rows = /** @type {[string, any][]} */ ([
    ["teapots left", all.teapots_left?.join(" ")],
    ["salt left", all.salts_left?.join(" ")],
    ["carpets left", all.carpets_left?.map((/** @type {number[]} */ [camel, value]) => card(camel, value, scenery))],
    ["set aside, face up", all.shown?.map((/** @type {number[]} */ [camel, value]) => card(camel, value, scenery))],
  ]);
  return h("dl", { class: "middle" }, pairs(rows.filter(([, value]) => value?.length)));
}

/** What lies in front of a seat. @param {Scene} scene @param {number} seat */
function window_of(scene, seat) {
  const all = scene.frame.all;
  const own = scene.frame.own[seat];
  const events = scene.film.flatMap((one) => one.events).map((event) => event.data);
  const shown = events.findLastIndex((event) => event.type === "reveal");
  const passes = events.filter((event, at) => event.type === "pass" && at > events.findLastIndex((other, before) => before < shown && other.type === "reveal"));
  const cards = (/** @type {any[]} */ list) => list.map(([camel, value]) => card(camel, value, scene.scenery));
  const moved = (/** @type {string} */ key) => cards(passes.filter((event) => event[key] === seat).flatMap((event) => event.cards));
  const rows = /** @type {[string, any][]} */ ([
    ["hand", own ? own.hand.map((/** @type {number[]} */ [camel, value]) => card(camel, value, scene.scenery, true)) : backs(all.hands[seat])],
    ["passed", moved("seat")],
    ["received", moved("to")],
    ["gems", all.gems[seat]],
    ["teapots", all.teapots[seat].join(" ") || "–"],
    ["salt", all.salts[seat].join(" ") || "–"],
    ["carpets", all.carpets[seat].length ? cards(all.carpets[seat]) : "–"],
    ["delivered", all.delivered[seat].length ? cards(all.delivered[seat]) : "–"],
  ]);
  return player(scene, seat, rows.filter(([word, value]) => word === "hand" || value.length !== 0), all.ask?.seat === seat);
}

/** A card; one in a hand has the word by which choices name it. @param {number} camel @param {number} value @param {any} scenery @param {boolean} [in_hand] */
function card(camel, value, scenery, in_hand) {
  const word = `${SIGNS[camel]}${value}`;
  return h("span", { class: `card camel-${camel}`, title: `${scenery.colours[camel]} ${value}`, "data-word": in_hand && word }, word);
}

/** @param {number} camel */
function token(camel) {
  return h("span", { class: `card small camel-${camel}` }, SIGNS[camel]);
}
