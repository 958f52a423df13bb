// Khiva's table: the others along the top, the town with its tents, a road for each seat out to its gate, the cards of the turn, what
// nobody has yet, and the own hand at the lower edge. All of it is read from what the replayer says; no rule is known here.

import { TOGETHER, arc, backs, place_at_end, row, slide, turn_up, unseen, window_of } from "../../display/page/browser/pieces.js";
import { count } from "../../display/page/browser/words.js";
import { camel, icon, pattern, thing } from "./symbols.js";
import { h, path, picture, s } from "../../display/page/browser/dom.js";
import { label, shortened } from "../../display/page/browser/chart.js";

const SIGNS = ["W", "B", "G", "P", "K"];
const STAYS = /** @type {Record<string, string>} */ ({ no_card: "no card", overshoot: "stays: the card is too high", declined: "stays: the winner declines" });
const OUTPOST = 5;
const NARROW = 560;
const GOODS = [[], ["gem"], ["carpet"], ["gem", "gem"], ["salt", "carpet"], []];

/** @typedef {import("../../display/page/browser/types").Scene} Scene */

/** @type {import("../../display/page/browser/types").Drawing} */
export const drawing = {
  has_hand: true,
  draw(scene) {
    const low = typeof scene.eyes === "number" ? scene.eyes : 0;
    const windows = scene.names.map((_, seat) => front(scene, seat, seat === low));
    return h(
      "div",
      { class: "table tabletop khiva" },
      h("div", { class: "others-here" }, windows.filter((_, seat) => seat !== low)),
      board(scene, low),
      turn(scene),
      middle(scene),
      windows[low],
    );
  },
  choice(kind, entry, _, knows) {
    const names = (/** @type {number[]} */ places) => places.map((place) => `${SIGNS[knows.hand[place][0]]}${knows.hand[place][1]}`).join(" ");
    if (kind === "play_pass") return `play ${names(entry.slice(0, entry.length / 2))}, pass ${names(entry.slice(entry.length / 2))}`;
    if (kind === "boost") return entry[0] === 0 ? "no gem" : count(entry[0], "gem");
    return String(entry[0]);
  },
  tells({ type }) {
    return ["reveal", "move", "deliver", "end"].includes(type);
  },
  turn(frame) {
    return frame.all.turn;
  },
};

/**
 * Where everything stands on the board: the town is at the left, and a road for each seat goes out to the right, the own one lowest.
 * @param {Scene} scene @param {number} low
 */
function plan({ seats, width }, low) {
  const narrow = width < NARROW;
  const wide = Math.min(width, 1100) - (width < 500 ? 20 : 36); // without the border
  const size = narrow ? 36 : Math.min(66, wide / 13.5, 450 / seats - 44);
  const goods = narrow ? 14 : 22;
  const tall = Math.max(seats * (size + goods + (narrow ? 24 : seats > 3 ? 20 : 28)), 5 * (size + (narrow ? 8 : 6))) + 8;
  const town = narrow ? 70 : size * 2 + 26;
  const step = (wide - town - 12) / OUTPOST;
  const lane = tall / seats;
  const order = [...Array(seats).keys()].filter((seat) => seat !== low);
  order.push(low);
  return {
    ...{ narrow, wide, tall, size, goods, town, step, lane },
    /** The middle of a camel at a place. @param {number} path @param {number} shop @param {number} camel */
    at: (path, shop, camel) => {
      if (path < 0) return { x: town - size / 2 - (narrow ? 5 : 14), y: 4 + ((tall - 8) * (camel + 0.5)) / 5 + 2 };
      return { x: town + 12 + step * (shop - 0.5), y: lane * (order.indexOf(path) + 1) - goods - size / 2 - 6 };
    },
  };
}

/** @param {Scene} scene @param {number} low */
function board(scene, low) {
  const { frame, before, names, choices = [], chosen, hint } = scene;
  const where = plan(scene, low);
  const { size, goods, lane, town, tall, wide } = where;
  const ground = [path(`M1 1H${town - 4}V${tall - 1}H1Z`, "town"), path(`M${town - 4} 1V${tall - 1}`, "wall"), path(`M${town - 4} 3V${tall - 1}`, "wall"), path(`M${town - 4} 6V${tall - 1}`, "tiles")];
  for (let camel = 0; camel < 5; camel += 1) {
    const { x, y } = where.at(-1, 0, camel);
    ground.push(s("g", { class: `camel-${camel}` }, thing("tent", x - size * (where.narrow ? 0.82 : 0.98), y - 1, size * (where.narrow ? 0.8 : 0.94))));
  }
  for (const seat of names.keys()) {
    const near = where.at(seat, 1, 0);
    const end = where.at(seat, OUTPOST, 0);
    const foot = near.y + size / 2;
    ground.push(path(`M${town - 4} ${foot}H${end.x}`, seat === low ? "way own-way" : "way"), path(`M${town + 6} ${foot}H${end.x}`, "tracks"));
    for (let shop = 1; shop < OUTPOST; shop += 1) {
      const { x } = where.at(seat, shop, 0);
      const many = GOODS[shop];
      const pad = Math.min(where.step - 8, size + 30);
      ground.push(s("rect", { x: x - pad / 2, y: foot - 7, width: pad, height: goods + 10, rx: 7, class: "pad" }));
      many.forEach((good, nth) => ground.push(thing(good, x + (nth - (many.length - 1) / 2) * (goods + 3), foot + goods / 2 + 1, goods, good === "carpet" ? "plain" : "")));
    }
    ground.push(thing("gate", end.x, foot + goods / 2 - size * 0.62, Math.min(size * 1.25, lane - 16)));
    const room = Math.floor((where.step * 4) / 7);
    ground.push(label(town + 6, foot + goods + 6 - lane + 11, `${seat} ${shortened(names[seat], room)}`, "start", "label seat-name"));
  }
  const moved = frame.events.filter((event) => event.data.type === "move").map((event) => event.data);
  const trails = moved.map(({ from, to, camel }) => path(arc(where.at(from[0], from[1], camel), where.at(to[0], to[1], camel)), `camel-path camel-${camel}`));
  const rings = moved.filter((one, at) => !moved.slice(at + 1).some((later) => later.camel === one.camel)).map(({ to, camel }) => ring(where.at(to[0], to[1], camel), size));
  let late = 0;
  const camels = frame.all.camels.map((/** @type {number[]} */ [path, shop, load], /** @type {number} */ colour) => {
    const { x, y } = where.at(path, shop, colour);
    const words = [1, 2, 3, 4, 5].map((value) => SIGNS[colour] + value).join(" ");
    const made = s(
      "g",
      { class: `camel camel-${colour}`, "data-camel": colour, "data-at": `${path},${shop}`, "data-lead": words, transform: `translate(${x},${y})` },
      s("title", {}, said(scene, colour)),
      s("circle", { r: size * 0.6, class: "halo" }),
      camel(colour, size),
      load ? s("g", { transform: `translate(${-size * 0.08},${-size * 0.42})` }, thing("teapot", 0, 0, size * 0.56), label(0, size * 0.15, load, "middle", "pot-value")) : null,
    );
    const was = before?.all.camels[colour];
    if (was && (was[0] !== path || was[1] !== shop)) slide(made, where.at(was[0], was[1], colour), { x, y }, TOGETHER * late++);
    return made;
  });
  const leads = choices.flatMap(({ index, kind, piece, words }) => {
    const land = landing(frame, kind, piece);
    return land ? [{ index, words, camel: frame.all.ask.camel, land }] : [];
  });
  const ghosts = leads.map(({ index, camel: colour, land }) => {
    const [from, to] = [frame.all.camels[colour], land].map(([path, shop]) => where.at(path, shop, colour));
    return s("g", { class: "lead", "data-lead": `#${index}` }, path(arc(from, to), `camel-path camel-${colour}`), s("g", { class: `ghost camel-${colour}`, transform: `translate(${to.x},${to.y})` }, camel(colour, size)));
  });
  const targets = leads.flatMap(({ index, words, camel: colour, land }) => {
    const { x, y } = where.at(land[0], land[1], colour);
    const spot = h("span", { class: "target", "data-choice": index, title: words });
    const says = h("span", { class: `says${x > wide * 0.55 ? " leftwards" : ""}`, "data-lead": `#${index}`, "aria-hidden": "true" }, words);
    for (const one of [spot, says]) Object.assign(one.style, { left: `${(100 * x) / wide}%`, top: `${(100 * (y - (one === says ? size * 0.7 : 0))) / tall}%` });
    if (index === (chosen ?? hint)) spot.className += " marked";
    return [spot, says];
  });
  const drawn = picture(wide, tall, `The board: ${frame.all.camels.map((/** @type {unknown} */ _, /** @type {number} */ camel) => said(scene, camel)).join("; ")}`, [s("g", {}, ground, trails, rings), s("g", {}, camels), s("g", {}, ghosts)], { class: "board-svg" });
  return h("div", { class: "board-box" }, drawn, targets);
}

/** Where a choice takes the camel that is asked about, as the question says; null if it takes none. @param {import("../../display/page/browser/types").Frame} frame @param {string} kind @param {any[]} piece */
function landing({ all }, kind, piece) {
  if (!all.ask || (kind !== "boost" && kind !== "move")) return null;
  if (piece[0] === "stay") return null;
  return all.ask.lands[kind === "boost" ? piece[0] : 0] ?? null;
}

/** @param {{x: number, y: number}} at @param {number} size */
function ring({ x, y }, size) {
  return s("circle", { cx: x, cy: y, r: size * 0.62, class: "ring" });
}

/** Where a camel is, for those who do not see it. @param {Scene} scene @param {number} camel */
function said({ frame, names, scenery }, camel) {
  const [path, shop, load] = frame.all.camels[camel];
  const stands = names[path] === "you" ? `at your shop ${shop}` : `at shop ${shop} of ${names[path]}`;
  return `${scenery.colours[camel]} ${path < 0 ? "in its tent" : stands} with ${load ? `teapot ${load}` : "no teapot"}`;
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
  const turned = frame.events.some((event) => event.data.type === "reveal");
  const columns = scenery.colours.map((/** @type {string} */ name, /** @type {number} */ camel) => {
    const place = after.findIndex((event) => event.type === "win" && event.camel === camel);
    const win = after[place];
    const next = after.findIndex((event, at) => at > place && event.type === "win");
    const paid = win ? after.slice(place, next < 0 ? undefined : next).filter((event) => event.why === "rejected").map((event) => event.seat) : [];
    const gem = (/** @type {number} */ seat) => (paid.includes(seat) ? [`+${paid.splice(paid.indexOf(seat), 1).length}`, icon("gem", "a gem for a rejected card"), unseen(" gem")] : []);
    const stay = after.find((event) => event.type === "stay" && event.camel === camel);
    const mine = cards.filter((/** @type {{camel: number}} */ card) => card.camel === camel).sort((/** @type {any} */ a, /** @type {any} */ b) => a.value - b.value);
    return h(
      "li",
      { class: mine.length ? (win ? "done" : "open") : "none" },
      h("span", { class: "column-head" }, h("span", { class: `token camel-${camel}`, title: `${name} camel` }, SIGNS[camel])),
      mine.map((/** @type {{seat: number, value: number}} */ one) => {
        const won = win && win.seat === one.seat && win.card[1] === one.value;
        const shown = h("span", { class: `played${won ? " wins" : win ? " rejected" : ""}` }, card(camel, one.value, scenery), h("span", { class: "by" }, shortened(names[one.seat], 10), won ? h("b", {}, names[one.seat] === "you" ? "win" : "wins") : win ? h("span", {}, gem(one.seat)) : null));
        if (turned) turn_up(/** @type {Element} */ (shown.firstChild));
        return shown;
      }),
      stay && stay.why !== "no_card" ? h("span", { class: "dim" }, STAYS[stay.why]) : null,
    );
  });
  return h("section", { class: cards.length ? "turn" : "turn bare", "aria-label": `Turn ${number}` }, h("h3", {}, `Turn ${number}`), cards.length ? h("ol", { class: "columns" }, columns) : null);
}

/** What nobody has yet. @param {Scene} scene */
function middle({ frame: { all }, before, scenery, choices = [] }) {
  const offered = (/** @type {string} */ name, /** @type {any} */ inside) => {
    const choice = choices.find(({ kind, piece }) => kind === "shop4" && piece[0] === name);
    return choice ? h("span", { class: "pile", "data-choice": choice.index, title: choice.words }, inside) : inside;
  };
  const values = [...new Set(all.teapots_left ?? [])];
  const many = (/** @type {unknown} */ value) => all.teapots_left.filter((/** @type {unknown} */ one) => one === value).length;
  const less = (/** @type {string} */ key) => before?.all[key] && all[key] && before.all[key].length !== all[key].length;
  const rows = /** @type {[string, any[], boolean][]} */ ([
    ["salt left", (all.salts_left ?? []).map((/** @type {number} */ value, /** @type {number} */ at) => (at ? icon("salt", "a salt bag", value) : offered("salt", icon("salt", "the top salt bag", value)))), less("salts_left")],
    ["teapots left", values.map((value) => h("span", { class: "count" }, icon("teapot", `teapots of ${count(Number(value), "point")}`, /** @type {number} */ (value)), `×${many(value)}`)), less("teapots_left")],
    ["carpets left", (all.carpets_left ?? []).map((/** @type {number[]} */ [camel, value]) => rug(camel, value, scenery)), less("carpets_left")],
    ["set aside, face up", (all.shown ?? []).map((/** @type {number[]} */ [camel, value]) => card(camel, value, scenery)), false],
  ]);
  const carpet = choices.some(({ kind, piece }) => kind === "shop4" && piece[0] === "carpet") ? offered("carpet", icon("carpet", "the top carpet", "?", "plain")) : null;
  return h("dl", { class: "middle rows" }, rows.filter(([, value]) => value.length).map(([word, value, changed]) => row(word, [word === "carpets left" ? carpet : null, ...value], changed)), row("nothing", [choices.some(({ piece }) => piece[0] === "nothing") ? offered("nothing", "nothing") : null]));
}

/** What lies in front of a seat. @param {Scene} scene @param {number} seat @param {boolean} low  whether it is at the lower edge */
function front(scene, seat, low) {
  const { frame, before, scenery } = scene;
  const all = frame.all;
  const own = frame.own[seat];
  const events = scene.film.flatMap((one) => one.events).map((event) => event.data);
  const shown = events.findLastIndex((event) => event.type === "reveal");
  const passes = events.filter((event, at) => event.type === "pass" && at > events.findLastIndex((other, before) => before < shown && other.type === "reveal"));
  const rugs = (/** @type {any[]} */ list) => list.map(([camel, value]) => rug(camel, value, scenery));
  const moved = (/** @type {string} */ key) => passes.filter((event) => event[key] === seat).flatMap((event) => event.cards).map(([camel, value]) => card(camel, value, scenery));
  const made = made_of(scene, seat);
  const hand = own ? own.hand.map((/** @type {number[]} */ [camel, value], /** @type {number} */ at) => card(camel, value, scenery, true, made[at])) : backs(all.hands[seat]);
  const changed = (/** @type {string} */ key) => Boolean(before?.all[key]) && String(before?.all[key][seat]) !== String(all[key][seat]);
  return window_of(
    scene,
    seat,
    `${low ? "low " : ""}${all.ask?.seat === seat ? "asked " : ""}`,
    place_at_end(frame, seat),
    h("dl", { class: "rows in-hand" }, row("hand", own || !hand.length ? hand : [...hand, h("b", { class: "many-cards" }, `×${hand.length}`)])),
    h(
      "dl",
      { class: "rows" },
      [
        row("gems", [icon("gem"), all.gems[seat]], changed("gems")),
        row("teapots", all.teapots[seat].map((/** @type {number} */ value) => icon("teapot", "", value)), changed("teapots")),
        row("salt", all.salts[seat].map((/** @type {number} */ value) => icon("salt", "", value)), changed("salts")),
        row("delivered", all.delivered[seat].length ? [...rugs(all.delivered[seat]), "✓"] : [], changed("delivered")),
        row("carpets", rugs(all.carpets[seat]), changed("carpets")),
          ...(low ? [row("passed", moved("seat"), false, "", "passed", true), row("received", moved("to"), false, "", "received", true)] : []),
      ],
    ),
  );
}

/** By place in the own hand, what the choice that was made does with its card. @param {Scene} scene @param {number} seat @returns {string[]} */
function made_of({ choices, chosen, eyes }, seat) {
  const one = chosen === undefined || eyes !== seat ? undefined : choices?.[chosen];
  /** @type {string[]} */
  const made = [];
  if (one?.kind === "play_pass") one.piece.forEach((place, at) => { made[place] = at < one.piece.length / 2 ? "to-play" : "to-pass"; });
  return made;
}

/** A card; one in a hand has the word by which choices name it. @param {number} colour @param {number} value @param {any} scenery @param {boolean} [in_hand] @param {string} [made] */
function card(colour, value, scenery, in_hand, made = "") {
  const word = `${SIGNS[colour]}${value}`;
  const back = s("svg", { viewBox: "0 0 20 28", "aria-hidden": "true" }, s("g", { transform: "translate(10.5,19)" }, camel(colour, 15)));
  return h("span", { class: `card camel-${colour} ${made}`, title: `${scenery.colours[colour]} ${value}`, "data-word": in_hand && word }, h("small", {}, SIGNS[colour]), h("b", {}, value), back);
}

/** A carpet. @param {number} colour @param {number} value @param {any} scenery */
function rug(colour, value, scenery) {
  const woven = s("svg", { viewBox: "0 0 12 12", "aria-hidden": "true" }, pattern(colour, 6, 6, 11));
  return h("span", { class: `card rug camel-${colour}`, title: `${scenery.colours[colour]} carpet ${value}` }, h("small", {}, SIGNS[colour]), h("b", {}, value), woven);
}
