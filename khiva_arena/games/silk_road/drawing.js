// Silk Road's table: the others along the top, the map, what belongs to nobody, and the own window at the lower edge. All of it is
// read from what the replayer says; no rule is known here.

import { TOGETHER, arc, backs, place_at_end, row, slide, unseen, window_of } from "../../display/page/browser/pieces.js";
import { bale, icon, jewel, laden, OF_GOODS, OF_TILES, thing } from "./symbols.js";
import { count } from "../../display/page/browser/words.js";
import { h, path, picture, s } from "../../display/page/browser/dom.js";
import { label, shortened } from "../../display/page/browser/chart.js";

const NARROW = 680; // pixels: a table below that has the map of a phone
const TAP = 62; // pixels, of a choice in the menu of a place

/** How large things are on the map of a desk and on that of a phone, in its own units, and how far it may be stretched. */
const SIZES = [
  { wide: 800, tall: 478, stop: 14, town: [42, 20], camel: 34, at_most: 1.06, middle: [400, 224], row: 5 },
  { wide: 346, tall: 488, stop: 12, town: [37, 19], camel: 26, at_most: 1.5, middle: [173, 235], row: 4 },
];
const TOP = 20; // units above 0, for the dome of a town

/**
 * Where the places of the shipped map lie: on a desk, on a phone. Behind each place is where its name stands: how it begins there
 * (start, middle, end), and how far right and down; "2": in two lines.
 * @type {Record<string, [number, number, string?, number?, number?][]>}
 */
const PLACES = {
  Byzanz: [[46, 230], [39, 235]],
  Samarkand: [[240, 34], [72, 30]],
  Tashkent: [[560, 34], [274, 30]],
  "Chang'an": [[754, 230], [307, 235]],
  Amritsar: [[560, 426], [274, 440]],
  Isfahan: [[240, 426], [72, 440]],
  r0: [[192, 260, "end", -7, 25], [96, 290, "end", -4, 24]],
  r1: [[192, 200, "start", 7, 24], [96, 180, "start", 4, 24]],
  r2: [[240, 152, "start", 5, 26], [126, 150, "start", 3, 25]],
  r3: [[400, 152, "middle", 0, 27], [173, 150, "middle", 0, 26]],
  r4: [[560, 152, "end", -5, 26], [220, 150, "end", -3, 25]],
  r5: [[608, 200, "end", -7, 24], [250, 180, "end", -4, 24]],
  r6: [[608, 260, "start", 7, 25], [250, 290, "start", 4, 24]],
  r7: [[560, 308, "end", -5, 26], [220, 320, "end", -3, 25]],
  r8: [[400, 308, "middle", 0, 33], [173, 320, "middle", 0, 27]],
  r9: [[240, 308, "start", 5, 26], [126, 320, "start", 3, 25]],
  out_Byz: [[124, 200, "start2", 0, 26], [39, 180, "end", -5, 23]],
  in_Byz: [[124, 260, "middle", -22, 28], [39, 290, "middle", 0, 25]],
  out_Sam: [[340, 92, "end2", -6, 26], [137, 92, "end", -6, 22]],
  in_Sam: [[240, 92, "end", -8, 24], [72, 92, "end", -8, 22]],
  out_Tas: [[560, 92, "start", 8, 24], [274, 92, "start", 8, 22]],
  in_Tas: [[460, 92, "start2", 6, 26], [209, 92, "start", 6, 22]],
  out_Cha: [[676, 260, "middle", 22, 28], [307, 290, "middle", 0, 25]],
  in_Cha: [[676, 200, "end2", 0, 26], [307, 180, "start", 5, 23]],
  out_Amr: [[460, 368, "end2", -5, 26], [209, 378, "end", -6, 22]],
  in_Amr: [[560, 368, "start", 8, 24], [274, 378, "start", 8, 22]],
  out_Isf: [[240, 368, "end", -8, 24], [72, 378, "end", -8, 22]],
  in_Isf: [[340, 368, "start2", 5, 26], [137, 378, "start", 6, 22]],
};

/** The roads of the shipped map, and where they bend: on a desk, on a phone. A first bend on the wall of a town is its gate. @type {Record<string, number[][][]>} */
const ROADS = {
  ...Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`r${i}>r${(i + 1) % 10}`, []])),
  "Byzanz>out_Byz": [[[88, 222], [102, 222]]], "out_Byz>r1": [], "Byzanz>in_Byz": [[[88, 238], [102, 238]]], "in_Byz>r0": [],
  "Samarkand>out_Sam": [[[282, 34]], [[113, 30], [137, 54]]], "out_Sam>r3": [[], [[137, 114]]], "Samarkand>in_Sam": [], "in_Sam>r2": [[], [[72, 96]]],
  "Tashkent>out_Tas": [], "out_Tas>r4": [[], [[274, 96]]], "Tashkent>in_Tas": [[[518, 34]], [[233, 30], [209, 54]]], "in_Tas>r3": [[], [[209, 114]]],
  "Chang'an>out_Cha": [[[712, 238], [698, 238]]], "out_Cha>r6": [], "Chang'an>in_Cha": [[[712, 222], [698, 222]]], "in_Cha>r5": [],
  "Amritsar>out_Amr": [[[518, 426]], [[233, 440], [209, 416]]], "out_Amr>r8": [[], [[209, 356]]], "Amritsar>in_Amr": [], "in_Amr>r7": [[], [[274, 374]]],
  "Isfahan>out_Isf": [], "out_Isf>r9": [[], [[72, 374]]], "Isfahan>in_Isf": [[[282, 426]], [[113, 440], [137, 416]]], "in_Isf>r8": [[], [[137, 356]]],
};

/** @typedef {import("../../display/page/browser/types").Scene} Scene */
/** @typedef {import("../../display/page/browser/types").Choice} Choice */
/** @typedef {{x: number, y: number}} Point */
/** @typedef {{ size: typeof SIZES[0], ratio: number, at: (place: string) => Point, road: (a: string, b: string) => Point[], name: (place: string) => any[] }} Plan */

/** @type {import("../../display/page/browser/types").Drawing} */
export const drawing = {
  has_hand: true,
  draw(scene) {
    const low = typeof scene.eyes === "number" ? scene.eyes : 0;
    const windows = scene.names.map((_, seat) => front(scene, seat, seat === low));
    return h("div", { class: "table tabletop silk-road" }, h("div", { class: "others-here" }, windows.filter((_, seat) => seat !== low)), board(scene), middle(scene), windows[low]);
  },
  choice(kind, entry, scenery) {
    const { goods, colours } = scenery;
    if (kind === "move") return `${entry[1]} ${goods[entry[0]]}, caravan ${entry[2]} to ${called(entry[3], scenery)}`;
    if (kind === "jewel") return colours[entry[0]];
    if (kind === "robber") return `${goods[entry[1]]} of seat ${entry[0]}`;
    if (["draw", "customs", "sandstorm", "bazaar", "baksheesh", "pay"].includes(kind) && typeof entry[0] === "number") return goods[entry[0]];
    return String(entry[0]);
  },
  tells({ type }) {
    return ["move", "take", "draw", "skip", "discard", "rob", "salvage", "buy", "sale", "decline", "jewel", "lay_out", "end"].includes(type);
  },
  turn(frame) {
    return frame.all.turn;
  },
};

/** What a record has of its own under a name, which a stranger may have made. @param {any} record @param {string} name */
function own_of(record, name) {
  return Object.hasOwn(record ?? {}, name) ? record[name] : undefined;
}

/** What people call a place. @param {string} place @param {any} scenery @returns {string} */
function called(place, { places }) {
  return own_of(places, place) ?? place;
}

/** What is at a village. @param {string} village @param {Scene} scene */
function told(village, { frame, rules, scenery }) {
  const posts = Object.entries(own_of(rules.map.signposts, village) ?? {}).map(([city, next]) => `to ${called(city, scenery)} by ${called(next, scenery)}`);
  return `${spaced(own_of(frame.all.tiles, village))}${posts.length ? `; signpost ${posts.join(", ")}` : ""}`;
}

/** @param {string} [word] */
function spaced(word = "") {
  return word.replaceAll("_", " ");
}

/** Where a caravan is and goes, in words. @param {any} caravan @param {number} i @param {any} scenery */
function bound([place, target], i, scenery) {
  const way = place === target ? `in ${called(place, scenery)}` : `at ${called(place, scenery)}, on its way to ${called(target, scenery)}`;
  return `caravan ${i + 1} ${way}`;
}

/** What its good is called. @param {number} camel @param {any} scenery */
function loaded(camel, { goods, carries }) {
  return `camel ${camel}, ${goods[carries[camel]]}`;
}

/** @type {WeakMap<object, Map<string, Point>>} */
const plans = new WeakMap();

/**
 * Where each place of a map without a table lies, from 0 to 1: cities clockwise on a rim, each village in the middle of its neighbours.
 * @param {any} map
 * @returns {Map<string, Point>}
 */
function spread(map) {
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

/** Where everything lies: by the table if this is the shipped map, else by the formula. @param {Scene} scene @returns {Plan} */
function plan({ width, rules: { map }, scenery }) {
  const inner = width - (width < 500 ? 20 : 36); // without the border
  const form = inner < NARROW ? 1 : 0;
  const size = SIZES[form];
  const ways = [...map.one_way, ...map.two_way];
  const known = ways.length === Object.keys(ROADS).length && ways.every(([a, b]) => ROADS[`${a}>${b}`]);
  const ratio = Math.min(size.at_most, inner / size.wide);
  if (!known) {
    const where = spread(map);
    const [x0, y0] = size.town;
    const at = (/** @type {string} */ place) => {
      const { x, y } = where.get(place) ?? { x: 0.5, y: 0.5 };
      return { x: x0 + x * (size.wide - 2 * x0), y: y0 + y * (size.tall - TOP - 2 * y0) };
    };
    return { size: { ...size, middle: [size.wide * 0.19, 6], row: 4 }, ratio, at, road: (a, b) => [at(a), at(b)], name: (place) => ["middle", 0, size.stop + 11, form ? [] : [shortened(called(place, scenery), 14)]] };
  }
  const at = (/** @type {string} */ place) => ({ x: PLACES[place][form][0], y: PLACES[place][form][1] });
  return {
    ...{ size, ratio, at },
    road: (a, b) => [at(a), ...(ROADS[`${a}>${b}`][form] ?? []).map(([x, y]) => ({ x, y })), at(b)],
    name: (place) => {
      const [, , how = "middle", right = 0, down = 0] = PLACES[place][form];
      const words = called(place, scenery);
      const parts = words.split(" ");
      const last = parts.pop() ?? "";
      return [how.replace("2", ""), right, down, form ? [last] : how.endsWith("2") ? [parts.join(" "), last] : [words]];
    },
  };
}

/** A road, from the edge of one place to that of another. @param {Point[]} points @param {number[][]} halves  how far each end reaches right and down */
function edge_to_edge(points, halves) {
  const made = points.map((point) => ({ ...point }));
  for (const [end, next, [right, down]] of /** @type {[Point, Point, number[]][]} */ ([[made[0], made[1], halves[0]], [made[made.length - 1], made[made.length - 2], halves[1]]])) {
    const [dx, dy] = [next.x - end.x, next.y - end.y];
    const far = Math.hypot(dx, dy) || 1;
    if (Math.abs(dx) <= right && Math.abs(dy) <= down) { made.splice(made.indexOf(end), 1); continue; } // its gate is there
    const cut = right === down ? right / far : Math.min(right / Math.abs(dx || 1e-6), down / Math.abs(dy || 1e-6));
    end.x += dx * cut;
    end.y += dy * cut;
  }
  return `M${made.map(({ x, y }) => `${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`).join("L")}`;
}

/** @param {Scene} scene */
function board(scene) {
  const { frame, before, rules, scenery, choices = [] } = scene;
  const { colours, carries } = scenery;
  const all = frame.all;
  const map = rules.map;
  const where = plan(scene);
  const { at, size } = where;
  const named = (/** @type {string} */ place) => called(place, scenery);
  const is_city = (/** @type {string} */ place) => map.cities.includes(place);
  const roads = [...map.one_way.map((/** @type {string[]} */ way) => [...way, "road one-way"]), ...map.two_way.map((/** @type {string[]} */ way) => [...way, "road"])].map(([a, b, kind]) => {
    const halves = [a, b].map((place) => (is_city(place) ? size.town : [size.stop + 1, size.stop + 1]));
    return path(edge_to_edge(where.road(a, b), halves), kind);
  });
  const ground = [s("defs", {}, s("marker", { id: "way", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 3.4, markerHeight: 3.4, orient: "auto" }, path("M0 0L8 4L0 8Z", "arrow-head"))), ...roads];
  /** @type {SVGElement[]} */
  const names = [];
  for (const village of map.villages) {
    const { x, y } = at(village);
    const tile = own_of(all.tiles, village) ?? "";
    const says = `${named(village)}: ${told(village, scene)}`;
    ground.push(s("g", { "data-place": village, transform: `translate(${x},${y})` }, s("title", {}, says), sign(tile, size.stop, scenery), says.includes("; signpost ") ? path(`M${size.stop * 0.6} ${-size.stop * 0.7}v-9h8l-2.5 2.5l2.5 2.5h-8`, "post") : null));
    const [how, right, down, lines] = where.name(village);
    const [line, next] = lines;
    if (line) names.push(s("text", { x: x + right, y: y + down, "text-anchor": how, class: "village" }, next ? [s("tspan", {}, `${line} `), s("tspan", { x: x + right, dy: 11 }, next)] : line));
  }
  for (const city of map.cities) {
    const { x, y } = at(city);
    const [right, down] = size.town;
    const jewels = own_of(all.cities, city) ?? [];
    const shown = jewels.map((/** @type {number} */ colour, /** @type {number} */ i) => s("g", {}, s("title", {}, `${colours[colour]} jewel`), jewel(colour, (i - (jewels.length - 1) / 2) * 18, -9, 16)));
    ground.push(s("g", { "data-place": city, transform: `translate(${x},${y})` }, s("title", {}, named(city)), thing("town", (x < size.middle[0] ? 0.58 : -0.58) * right, -down - 6, 30), s("rect", { x: -right, y: -down, width: right * 2, height: down * 2, rx: 5, class: "walls" }), shown));
    names.push(label(x, y + down - 6, shortened(named(city), 11), "middle", size.wide < 400 ? "city small" : "city"));
  }
  const [mx, my] = size.middle;
  const gap = size.camel * 1.12;
  const rest = all.queue.map((/** @type {number} */ camel, /** @type {number} */ i) => {
    const [row, column] = [Math.floor(i / size.row), i % size.row];
    const many = Math.min(size.row, all.queue.length - row * size.row);
    const rows = Math.ceil(all.queue.length / size.row);
    return s("g", { transform: `translate(${mx + (column - (many - 1) / 2) * gap},${my + (row - (rows - 1) / 2) * gap})` }, s("title", {}, `caravanserai: ${loaded(camel, scenery)}`), laden(camel, carries[camel], size.camel));
  });
  const moves = frame.events.filter((event) => event.data.type === "move").map(({ data }) => data);
  const trails = moves.map(({ from, place }) => path(arc(at(from), at(place)), "camel-path"));
  const rings = moves.filter(({ size: moved }, i) => !moves.slice(i + 1).some((later) => later.size === moved)).map(({ place }) => {
    const [right, down] = is_city(place) ? size.town : [size.stop, size.stop];
    return s("rect", { x: at(place).x - right - 5, y: at(place).y - down - 5, width: right * 2 + 10, height: down * 2 + 10, rx: is_city(place) ? 8 : 30, class: "ring" });
  });
  const herd = (/** @type {number[]} */ camels) => camels.map((camel, i) => s("g", { class: all.ask?.camel === camel ? "up" : null, transform: `translate(${(i - (camels.length - 1) / 2) * size.camel * 0.86},0)` }, laden(camel, carries[camel], size.camel)));
  const stands = (/** @type {string} */ place) => ({ x: at(place).x, y: at(place).y - (is_city(place) ? size.town[1] : size.stop) - size.camel * 0.42 }); // above what lies there
  const caravans = all.caravans.flatMap((/** @type {any} */ caravan, /** @type {number} */ i) => {
    if (!caravan) return [];
    const [place, , camels] = caravan;
    const { x, y } = stands(place);
    const title = `${bound(caravan, i, scenery)}: ${camels.map((/** @type {number} */ camel) => loaded(camel, scenery)).join("; ")}`;
    const made = s("g", { class: "caravan", transform: `translate(${x},${y})`, "data-caravan": i + 1, "data-at": place }, s("title", {}, title), herd(camels));
    const was = before?.all.caravans[i];
    if (was && was[0] !== place) slide(made, stands(was[0]), { x, y }, TOGETHER);
    return [made];
  });
  const leads = ends(scene).flatMap(({ place, caravan, mine }) => {
    const [from, , camels] = all.caravans[caravan - 1];
    const { x, y } = stands(place);
    return [s("g", { class: "lead", "data-lead": leads_to(place, mine, map) }, path(arc(at(from), at(place)), "camel-path"), s("g", { class: "ghost", transform: `translate(${x},${y})` }, herd(camels)))];
  });
  const words = all.caravans.map((/** @type {any} */ caravan, /** @type {number} */ i) => (caravan ? bound(caravan, i, scenery) : `no caravan ${i + 1}`)).join("; ");
  const high = size.tall * where.ratio;
  const drawn = picture(size.wide * where.ratio, high, `The map: ${words}`, [...ground, ...trails, ...rings, ...rest, ...caravans, ...leads, ...names], { class: "board-svg", viewBox: `0 ${-TOP} ${size.wide} ${size.tall}` });
  const box = h("div", { class: "board-box" }, drawn, choices.length ? spots(scene, where) : null);
  box.style.maxWidth = `${size.wide * where.ratio}px`;
  return box;
}

/** What lies on a village. @param {string} tile @param {number} radius @param {any} scenery */
function sign(tile, radius, { goods }) {
  const good = goods.findIndex((/** @type {string} */ one) => tile === `${one}_market`);
  if (good >= 0) return bale(good, 0, 0, radius);
  const [name, on] = OF_TILES[tile] ?? ["", "?"];
  return s("g", { class: `tile is-${tile}` }, s("circle", { r: radius, class: "round" }), name ? thing(name, 0, 0, radius * 1.5) : null, on ? s("text", { x: radius * (name ? 0.5 : 0), y: radius * 0.75, "text-anchor": "middle", class: "disc" }, on) : null);
}

/** Where the choices of a move end: by place and caravan, with those that lead there. @param {Scene} scene */
function ends({ choices = [] }) {
  /** @type {Map<string, { place: string, caravan: number, mine: Choice[] }>} */
  const found = new Map();
  for (const choice of choices) {
    if (choice.kind !== "move") continue;
    const [, , caravan, place] = choice.piece;
    const key = `${caravan} ${place}`;
    if (!found.has(key)) found.set(key, { place, caravan, mine: [] });
    found.get(key)?.mine.push(choice);
  }
  return [...found.values()];
}

/** What points at a place: it itself, and each choice that leads there. @param {string} place @param {{ index: number }[]} mine @param {any} map */
function leads_to(place, mine, map) {
  return [`#at-${[...map.cities, ...map.villages].indexOf(place)}`, ...mine.map(({ index }) => `#${index}`)].join(" ");
}

/** Places that can be chosen, to be clicked; where several choices lead to one, they unfold there. @param {Scene} scene @param {Plan} where */
function spots(scene, { at, size, ratio }) {
  const { scenery, chosen, hint, rules: { map } } = scene;
  const every = ends(scene);
  return [...new Set(every.map(({ place }) => place))].flatMap((place) => {
    const here = every.filter((one) => one.place === place);
    const mine = here.flatMap((one) => one.mine);
    const { x, y } = at(place);
    const put = (/** @type {HTMLElement} */ one) => {
      one.style.left = `${(100 * x) / size.wide}%`;
      one.style.top = `${(100 * (y + TOP)) / size.tall}%`;
      return one;
    };
    const goods = [...new Set(mine.map(({ piece }) => ` of-${piece[0]}`))].join("");
    const is = (/** @type {number | undefined} */ index) => mine.some((one) => one.index === index);
    const tile = own_of(scene.frame.all.tiles, place);
    const says = put(h("span", { class: `says${x > size.wide * 0.5 ? " leftwards" : ""}`, "data-lead": leads_to(place, mine, map), "aria-hidden": "true" }, `${called(place, scenery)}${tile ? `: ${spaced(tile)}` : ""}`));
    if (mine.length === 1) return [says, put(h("span", { class: `target${goods}`, "data-choice": mine[0].index, title: mine[0].words }))];
    const rows = here.flatMap(({ caravan, mine: of_caravan }) => {
      const counts = [...new Set(of_caravan.map(({ piece }) => piece[1]))];
      return counts.map((many) => h("div", { class: "row" }, h("span", { class: "many-camels", title: `caravan ${caravan}` }, icon(thing("camel", 0, 0, 24), ""), `×${caravan}`), of_caravan.filter(({ piece }) => piece[1] === many).map((one) => card(one.piece[0], many, scenery, { one }))));
    });
    const most = Math.max(...rows.map((row) => row.childElementCount));
    const menu = h("div", { class: "menu" }, rows);
    const wide = Math.min(most * TAP + 12, size.wide * ratio);
    menu.style.width = `${wide}px`;
    menu.style.left = `${Math.max(0, Math.min(x * ratio - wide / 2, size.wide * ratio - wide)) - x * ratio}px`;
    const kind = `target${goods}${is(hint) ? " hinted" : ""}${is(chosen) ? " chosen" : ""}`;
    const words = `${called(place, scenery)}: ${count(mine.length, "choice")}`;
    return [says, put(h("details", { class: `spot${y > size.tall * 0.55 ? " upwards" : ""}`, name: "spot" }, h("summary", { class: kind, title: words, "aria-label": words, "data-points": leads_to(place, [], map) }), menu))];
  });
}

/** What belongs to nobody: open cards, pile, where the caravans go, what is in the bag; and choices that no thing stands for. @param {Scene} scene */
function middle(scene) {
  const { frame: { all }, before, scenery, choices = [], rules: { map } } = scene;
  const { colours } = scenery;
  const changed = (/** @type {string} */ key) => Boolean(before) && String(before?.all[key]) !== String(all[key]);
  const word = (/** @type {string} */ first) => choices.find(({ piece }) => piece[0] === first);
  const from_open = choices.some(({ kind }) => kind === "draw" || kind === "baksheesh");
  const open = all.open.flatMap((/** @type {number} */ many, /** @type {number} */ good) => (many ? [card(good, many, scenery, { one: from_open ? choices.find(({ piece }) => piece[0] === good) : undefined })] : []));
  const top = word("pile");
  const pile = h("span", { class: "card back", title: top?.words ?? "the pile", "data-choice": top?.index }, unseen("pile"));
  const caravans = all.caravans.flatMap((/** @type {any} */ caravan, /** @type {number} */ i) => {
    if (!caravan?.[2].length) return [];
    const [place, target, camels] = caravan;
    const herd = icon(thing("camel", 0, 0, 24), camels.map((/** @type {number} */ camel) => loaded(camel, scenery)).join("; "));
    return [row(`caravan ${i + 1}`, [herd, unseen("camels "), `×${camels.length}`, h("span", { class: "way-of" }, place === target ? called(place, scenery) : `${called(place, scenery)} → ${called(target, scenery)}`)], Boolean(before) && String(before?.all.caravans[i]) !== String(caravan))];
  });
  const bag = all.bag.map((/** @type {number} */ left, /** @type {number} */ colour) => (left ? gem(colour, left, colours[colour]) : null));
  const loose = choices.filter(({ kind, piece }) => kind === "jewel" || kind === "lay_out" || ["nothing", "no", "decline"].includes(piece[0]));
  const tray = loose.map(({ index, kind, piece, words }) => {
    if (kind === "jewel") return h("span", { class: "pile", "data-choice": index, title: words }, gem(piece[0], 1, colours[piece[0]]), unseen(words));
    return h("span", { class: "pile", "data-choice": index, title: words }, kind === "lay_out" ? `${piece[0]}` : words.split(":")[0]);
  });
  const herds = [...all.caravans.map((/** @type {any} */ caravan, /** @type {number} */ i) => [`loads of caravan ${i + 1}`, caravan?.[2] ?? []]), ["caravanserai", all.queue]];
  const hidden = [
    ...herds.map(([words, camels]) => [words, camels.map((/** @type {number} */ camel) => loaded(camel, scenery)).join("; ")]),
    ...map.cities.map((/** @type {string} */ city) => [`jewels of ${called(city, scenery)}`, (own_of(all.cities, city) ?? []).map((/** @type {number} */ colour) => colours[colour]).join(", ")]),
    ...map.villages.map((/** @type {string} */ village) => [called(village, scenery), told(village, scene)]),
  ];
  return h(
    "dl",
    { class: "middle rows" },
    hidden.map(([words, text]) => row(words, [text], false, "unseen")), // of the map, which is a picture
    row("choose", tray),
    row("open cards", open, changed("open")),
    row("pile", [pile, `×${all.pile}`]),
    caravans,
    row("jewels in the bag", bag, changed("bag")),
  );
}

/** What lies in front of a seat. @param {Scene} scene @param {number} seat @param {boolean} low  whether it is at the lower edge */
function front(scene, seat, low) {
  const { frame, before, scenery, choices = [], chosen, eyes } = scene;
  const { goods, colours, carries } = scenery;
  const all = frame.all;
  const own = frame.own[seat];
  const kind = choices[0]?.kind ?? "";
  const mine = eyes === seat;
  const changed = (/** @type {string} */ key) => Boolean(before?.all[key]) && String(before?.all[key][seat]) !== String(all[key][seat]);
  const of_hand = (/** @type {number} */ good) => (mine && (kind === "customs" || kind === "pay") ? choices.find(({ piece }) => piece[0] === good) : undefined);
  const of_display = (/** @type {number} */ good) => {
    if (kind === "robber") return choices.find(({ piece }) => piece[0] === seat && piece[1] === good);
    if (!mine) return undefined;
    if (kind === "sell") return carries[all.ask?.camel] === good ? choices.find(({ piece }) => piece[0] === "sell") : undefined;
    return kind === "sandstorm" || kind === "bazaar" ? choices.find(({ piece }) => piece[0] === good) : undefined;
  };
  const played = mine && chosen !== undefined && kind === "move" ? choices[chosen]?.piece[0] : undefined;
  const hand = own ? cards(own.hand, scenery, (good) => ({ one: of_hand(good), word: mine && kind === "move" ? `of ${goods[good]}` : undefined, kind: good === played ? "to-play" : "" })) : backs(all.hands[seat]);
  const jewels = all.jewels[seat].map((/** @type {number} */ many, /** @type {number} */ colour) => (many ? gem(colour, many, colours[colour]) : null));
  const end = place_at_end(frame, seat);
  return window_of(
    scene,
    seat,
    `${low ? "low " : ""}${(all.ask ? all.ask.seat : all.active) === seat && !end ? "asked " : ""}`,
    end,
    h("dl", { class: "rows in-hand" }, row("hand", own || !hand.length ? hand : [...hand, h("b", { class: "many-cards" }, `×${hand.length}`)])),
    h(
      "dl",
      { class: "rows" },
      row("display", cards(all.displays[seat], scenery, (good) => ({ one: of_display(good) })), changed("displays")),
      row("jewels", jewels, changed("jewels")),
      row("colourless", all.colourless[seat] ? [gem(-1, all.colourless[seat], "colourless")] : [], changed("colourless")),
      row("markers", all.markers[seat] ? [h("span", { class: "marker", title: count(all.markers[seat], "marker") }, "8"), all.markers[seat] > 1 ? `×${all.markers[seat]}` : ""] : [], changed("markers")),
      row("driver", [icon(thing("driver", 0, 0, 24), `driver ${all.drivers[seat]}`, "driver-icon"), all.drivers[seat]], changed("drivers")),
    ),
  );
}

/** Cards by good. @param {number[]} counts @param {any} scenery @param {(good: number) => any} made  what is said of each */
function cards(counts, scenery, made) {
  return counts.flatMap((many, good) => (many ? [card(good, many, scenery, made(good))] : []));
}

/** Cards of a good; those of the own hand have the word by which choices name them. @param {number} good @param {number} many @param {any} scenery @param {{ one?: Choice, word?: string, kind?: string }} [more] */
function card(good, many, { goods }, { one, word, kind = "" } = {}) {
  const shape = s("svg", { viewBox: "0 0 20 28", "aria-hidden": "true" }, thing(OF_GOODS[good], 10, 17, 15));
  const says = one?.words;
  return h("span", { class: `card good-${good} ${kind}`, title: says ?? `${many} ${goods[good]}`, "data-choice": one?.index, "data-word": word }, shape, unseen(says ?? goods[good]), many > 1 ? h("b", { "aria-hidden": says ? "true" : null }, ` ×${many}`) : null);
}

/** Jewels of a colour. @param {number} colour @param {number} many @param {string} word */
function gem(colour, many, word) {
  return h("span", { class: "count" }, icon(jewel(colour, 0, 0, 22), `${word} ${many === 1 ? "jewel" : "jewels"}`, "gem-icon"), unseen(word), many > 1 ? `×${many}` : "");
}
