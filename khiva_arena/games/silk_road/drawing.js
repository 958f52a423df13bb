// Silk Road's table: the road net drawn from the map's data, cities with their jewels, villages with their tiles, the caravans on
// their way, the queue of camels, the open cards, and what lies in front of every seat. All of it is read from what the replayer
// says; no rule is known here.

import { backs, player, slide } from "../../display/page/browser/pieces.js";
import { label } from "../../display/page/browser/chart.js";
import { count } from "../../display/page/browser/words.js";
import { h, pairs, path, picture, s } from "../../display/page/browser/dom.js";

const GOOD_SIGNS = ["I", "S", "P", "K", "T"];
const COLOUR_SIGNS = ["B", "Y", "G", "R", "V"];
const TILES = /** @type {Record<string, string>} */ ({
  ivory_market: "I",
  spice_market: "S",
  porcelain_market: "P",
  silk_market: "K",
  tea_market: "T",
  black_market: "bl",
  camels_1: "+1",
  camels_2: "+2",
  camels_3: "+3",
  customs: "cu",
  sandstorm: "sa",
  robber: "ro",
  bazaar: "bz",
  baksheesh: "bk",
});

/** @typedef {import("../../display/page/browser/types").Scene} Scene */
/** @typedef {{x: number, y: number}} Point */

/** @type {import("../../display/page/browser/types").Drawing} */
export const drawing = {
  draw(scene) {
    return h("div", { class: "table silk-road" }, board(scene), middle(scene), h("div", { class: "players" }, scene.names.map((_, seat) => window_of(scene, seat))));
  },
  choice(kind, entry, scenery) {
    const { goods, colours } = scenery;
    if (kind === "move") return `${entry[1]} ${goods[entry[0]]}, caravan ${entry[2]} to ${called(entry[3], scenery)}`;
    if (kind === "jewel") return colours[entry[0]];
    if (kind === "robber") return `${goods[entry[1]]} of seat ${entry[0]}`;
    if (["draw", "customs", "sandstorm", "bazaar", "baksheesh", "pay"].includes(kind) && typeof entry[0] === "number") return goods[entry[0]];
    return String(entry[0]);
  },
  turn(frame) {
    return frame.all.turn;
  },
};

/** What people call a place. @param {string} place @param {any} scenery */
function called(place, { places }) {
  return places?.[place] ?? place;
}

/** @type {WeakMap<object, Map<string, Point>>} */
const plans = new WeakMap();

/**
 * Where each place lies, from 0 to 1: cities clockwise on a rim, each village in the middle of its neighbours.
 * @param {any} map
 * @returns {Map<string, Point>}
 */
function plan(map) {
  const known = plans.get(map);
  if (known) return known;
  /** @type {Map<string, Point>} */
  const at = new Map();
  map.cities.forEach((/** @type {string} */ city, /** @type {number} */ i) => {
    const angle = (2 * Math.PI * i) / map.cities.length - Math.PI / 2;
    at.set(city, { x: 0.5 + 0.46 * Math.cos(angle), y: 0.5 + 0.44 * Math.sin(angle) });
  });
  map.villages.forEach((/** @type {string} */ village, /** @type {number} */ i) => {
    const angle = 2.4 * i;
    at.set(village, { x: 0.5 + 0.2 * Math.cos(angle), y: 0.5 + 0.2 * Math.sin(angle) });
  });
  const roads = [...map.one_way, ...map.two_way];
  const near = new Map([...at.keys()].map((place) => [place, roads.flatMap(([a, b]) => (a === place ? [b] : b === place ? [a] : []))]));
  for (let round = 0; round < 400; round += 1) {
    for (const village of map.villages) {
      const mine = /** @type {Point} */ (at.get(village));
      const others = near.get(village) ?? [];
      let x = 0;
      let y = 0;
      for (const other of others) {
        const point = /** @type {Point} */ (at.get(other));
        x += point.x / others.length;
        y += point.y / others.length;
      }
      // Villages keep apart, else those in the middle would lie on one heap.
      let pushX = 0;
      let pushY = 0;
      for (const [other, point] of at) {
        if (other === village) continue;
        const dx = mine.x - point.x;
        const dy = mine.y - point.y;
        const far = Math.hypot(dx, dy) + 1e-6;
        if (far < 0.17) {
          pushX += ((0.17 - far) * dx) / far;
          pushY += ((0.17 - far) * dy) / far;
        }
      }
      mine.x += 0.12 * (x - mine.x) + 0.3 * pushX;
      mine.y += 0.12 * (y - mine.y) + 0.3 * pushY;
      mine.x = Math.min(0.95, Math.max(0.05, mine.x));
      mine.y = Math.min(0.95, Math.max(0.05, mine.y));
    }
  }
  plans.set(map, at);
  return at;
}

/** @param {Scene} scene */
function board(scene) {
  const { frame, before, rules, scenery, width } = scene;
  const { goods, colours, carries } = scenery;
  const map = rules.map;
  const wide = Math.min(width, 820);
  const tall = Math.max(420, wide * 0.62);
  const spread = plan(map);
  const at = (/** @type {string} */ place) => {
    const point = spread.get(place) ?? { x: 0.5, y: 0.5 };
    return { x: 24 + point.x * (wide - 48), y: 22 + point.y * (tall - 52) };
  };
  const small = wide < 520;
  const radius = small ? 9 : 13;
  const above = 23; // a caravan stands over the sign of its place and does not cover it
  const marks = [s("defs", {}, s("marker", { id: "way", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 6, markerHeight: 6, orient: "auto" }, s("path", { d: "M0,0 L8,4 L0,8 Z", class: "arrow-head" })))];
  const road = (/** @type {string[]} */ [a, b], /** @type {boolean} */ oneWay) => {
    const from = at(a);
    const to = at(b);
    const far = Math.hypot(to.x - from.x, to.y - from.y) || 1;
    const cut = (radius + 3) / far;
    const [x, y] = [(to.x - from.x) * cut, (to.y - from.y) * cut];
    return path(`M${from.x + x},${from.y + y} L${to.x - x},${to.y - y}`, oneWay ? "road one-way" : "road");
  };
  marks.push(...map.one_way.map((/** @type {string[]} */ pair) => road(pair, true)), ...map.two_way.map((/** @type {string[]} */ pair) => road(pair, false)));
  const named = (/** @type {string} */ place) => called(place, scenery);
  // Above all else: no caravan and no road hides a name.
  const place_names = map.cities.map((/** @type {string} */ city) => label(at(city).x, at(city).y + 27, named(city), "middle", "label seat-name"));
  if (!small) place_names.push(...map.villages.map((/** @type {string} */ village) => label(at(village).x, at(village).y + radius + 10, named(village), "middle", "village")));
  for (const village of map.villages) {
    const { x, y } = at(village);
    const tile = frame.all.tiles[village] ?? "";
    const posts = Object.entries(map.signposts[village] ?? {}).map(([city, next]) => `to ${named(city)} by ${named(/** @type {string} */ (next))}`);
    marks.push(s("g", { "data-place": village }, s("title", {}, `${named(village)}: ${tile.replaceAll("_", " ")}${posts.length ? `; signpost ${posts.join(", ")}` : ""}`), s("circle", { cx: x, cy: y, r: radius, class: "place-line" }), label(x, y + 4, TILES[tile] ?? "?", "middle"), posts.length ? path(`M${x + radius - 2},${y - radius + 2} l6,-6 m-2,-2 l5,5`, "post") : null));
  }
  for (const city of map.cities) {
    const { x, y } = at(city);
    const jewels = frame.all.cities[city] ?? [];
    marks.push(
      s("g", { "data-place": city }, s("rect", { x: x - 22, y: y - 14, width: 44, height: 28, rx: 4, class: "place-line outpost" }), jewels.map((/** @type {number} */ colour, /** @type {number} */ i) => s("g", {}, s("title", {}, `${colours[colour]} jewel`), path(`M${x - 14 + 14 * i},${y - 6} l6,6 l-6,6 l-6,-6 Z`, `jewel jewel-${colour}`)))),
    );
  }
  const moves = frame.events.filter((event) => event.data.type === "move").map(({ data }) => {
    const from = at(data.from);
    const to = at(data.place);
    return path(`M${from.x},${from.y} Q${(from.x + to.x) / 2 + 20},${(from.y + to.y) / 2 - 30} ${to.x},${to.y}`, "camel-path");
  });
  const caravans = frame.all.caravans.flatMap((/** @type {any} */ caravan, /** @type {number} */ i) => {
    if (!caravan) return [];
    const [place, target, camels] = caravan;
    const { x, y } = at(place);
    const made = s(
      "g",
      { class: "caravan", transform: `translate(${x},${y - above})`, "data-caravan": i + 1, "data-at": place },
      s("title", {}, `caravan ${i + 1} at ${named(place)}, on its way to ${named(target)}: ${camels.map((/** @type {number} */ camel) => `${camel} with ${goods[carries[camel]]}`).join(", ")}`),
      camels.map((/** @type {number} */ camel, /** @type {number} */ at_) => s("g", { transform: `translate(${(at_ - (camels.length - 1) / 2) * 25},0)` }, s("rect", { x: -12, y: -9, width: 24, height: 18, rx: 5, class: `token good-${carries[camel]}` }), label(0, 4, `${GOOD_SIGNS[carries[camel]]}${camel}`, "middle", `sign-small good-${carries[camel]}`))),
    );
    const was = before?.all.caravans[i];
    if (was && was[0] !== place) slide(made, { x: at(was[0]).x, y: at(was[0]).y - above }, { x, y: y - above });
    return [made];
  });
  const words = frame.all.caravans.map((/** @type {any} */ caravan, /** @type {number} */ i) => (caravan ? `caravan ${i + 1} at ${named(caravan[0])}, on its way to ${named(caravan[1])}` : `no caravan ${i + 1}`)).join("; ");
  return picture(wide, tall, `The map: ${words}`, [...marks, ...moves, ...caravans, ...place_names], { class: "board-svg" });
}

/** Camels with what they carry. @param {number[]} camels @param {any} scenery */
function laden(camels, { goods, carries }) {
  return camels.map((camel) => h("span", { class: `card good-${carries[camel]}`, title: `camel ${camel}, ${goods[carries[camel]]}` }, `${goods[carries[camel]]} ${camel}`));
}

/** What belongs to nobody: caravans, queue, open cards, piles, and what the signs on the map say. @param {Scene} scene */
function middle({ frame: { all }, rules, scenery }) {
  const { goods, colours } = scenery;
  const bag = all.bag.map((/** @type {number} */ left, /** @type {number} */ colour) => h("span", { class: "many" }, jewel(colour, colours), ` ${left} `));
  const tiles = [...new Set(Object.values(all.tiles))].sort().map((tile) => `${TILES[tile] ?? "?"} ${tile.replaceAll("_", " ")}`);
  const posts = Object.entries(rules.map.signposts).map(([village, ways]) => `${called(village, scenery)}: ${Object.entries(ways).map(([city, next]) => `to ${called(city, scenery)} by ${called(/** @type {string} */ (next), scenery)}`).join(", ")}`);
  return h(
    "dl",
    { class: "middle" },
    pairs([
      ...all.caravans.flatMap((/** @type {any} */ caravan, /** @type {number} */ i) => (caravan ? [[`caravan ${i + 1}`, [...laden(caravan[2], scenery), ` at ${called(caravan[0], scenery)}, on its way to ${called(caravan[1], scenery)}`]]] : [])),
      ["caravanserai", laden(all.queue, scenery)],
      ["open cards", counted(all.open, goods)],
      ["pile", `${all.pile} cards, ${all.discard.length} discarded`],
      ["jewels in the bag", bag],
      ["villages", tiles.join(", ")],
      ["signposts", posts.join("; ") || "–"],
    ]),
  );
}

/** What lies in front of a seat. @param {Scene} scene @param {number} seat */
function window_of(scene, seat) {
  const { goods, colours } = scene.scenery;
  const all = scene.frame.all;
  const own = scene.frame.own[seat];
  const jewels = all.jewels[seat].flatMap((/** @type {number} */ many, /** @type {number} */ colour) => Array.from({ length: many }, () => jewel(colour, colours)));
  const rows = /** @type {[string, any][]} */ ([
    ["hand", own ? counted(own.hand, goods, true) : backs(all.hands[seat])],
    ["display", counted(all.displays[seat], goods, true)],
    ["jewels", jewels.length ? jewels : "–"],
    ["colourless", `${count(all.colourless[seat], "jewel")}, ${count(all.markers[seat], "marker")}`],
    ["driver", all.drivers[seat]],
  ]);
  return player(scene, seat, rows, all.ask ? all.ask.seat === seat : all.active === seat);
}

/** Cards by good; those of a seat have the word by which choices name them. @param {number[]} counts @param {string[]} goods @param {boolean} [of_seat] */
function counted(counts, goods, of_seat) {
  const found = counts.flatMap((many, good) => (many ? [h("span", { class: `card good-${good}`, title: `${many} ${goods[good]}`, "data-word": of_seat && goods[good] }, `${goods[good]}${many > 1 ? ` ×${many}` : ""}`)] : []));
  return found.length ? found : "–";
}

/** @param {number} colour @param {string[]} colours */
function jewel(colour, colours) {
  return h("span", { class: `card jewel-${colour}`, title: `${colours[colour]} jewel` }, COLOUR_SIGNS[colour]);
}
