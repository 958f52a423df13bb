// Emira's table: the princesses who look for a home, with what each of them wishes; what the market has; the auction as a row of
// bids; and every sheik's court: tracks, gold, caravans, princesses, and the goal, which only its seat sees. All of it is read
// from what the replayer says; no rule is known here.

import { backs, player } from "../../display/page/browser/pieces.js";
import { h, pairs, picture, s } from "../../display/page/browser/dom.js";

const KINDS = ["beauty", "manners", "dress"];
const TRACKS = /** @type {const} */ (["appearance", "status", "palace"]);
const MOST = 12;
const EFFECTS = /** @type {Record<string, string>} */ ({ golden: "all income is a fifth more", interrupted: "caravans bring no income", sick: "camels take nothing off bids", quiet: "no Emira comes", doubles: "two Emiras come" });

/** @typedef {import("../../display/page/browser/types").Scene} Scene */

/** @type {import("../../display/page/browser/types").Drawing} */
export const drawing = {
  draw(scene) {
    return h("div", { class: "table emira" }, h("div", { class: "columns" }, princesses(scene), market(scene)), auction(scene), h("div", { class: "players" }, scene.names.map((_, seat) => court(scene, seat))));
  },
  choice(kind, entry) {
    if (kind === "buy") return entry[0] ? `look at ${entry[0]} event cards` : "look at no event card";
    if (kind === "bid" && typeof entry[0] === "number") return `bid ${entry[0]}`;
    if (entry[0] === "none") return kind === "play" ? "no event card" : "nothing";
    return entry.map((/** @type {any} */ part) => String(part).replaceAll("_", " ")).join(", ");
  },
  turn(frame) {
    return frame.all.round;
  },
};

/** Who looks for a home. @param {Scene} scene */
function princesses({ frame, scenery }) {
  const all = frame.all;
  /** @type {[string, string[]][]} */
  const groups = [
    ["in play", all.active],
    ["in the next round", all.coming],
    ["undecided", all.undecided],
  ];
  return h(
    "section",
    { "aria-label": "Princesses" },
    h("h3", {}, `Round ${all.round}, ${all.phase}`),
    groups.filter(([, names]) => names.length).map(([words, names]) => h("div", { class: "group" }, h("p", { class: "dim" }, words), names.map((name) => card(name, scenery, all.swapped.includes(name))))),
  );
}

/** A princess with what she wants first and second, and her talents. @param {string} name @param {any} scenery @param {boolean} swapped */
function card(name, scenery, swapped) {
  const [first, second, talents] = scenery.emiras[name] ?? ["", "", []];
  const wants = first ? (swapped ? [second, first] : [first, second]) : ["most princesses"];
  return h("div", { class: "princess", "data-emira": name }, h("b", {}, name), h("span", {}, `wants ${wants.join(", then ")}${swapped ? " (swapped)" : ""}`), talents.length ? h("span", { class: "dim" }, talents.join(" or ")) : null);
}

/** What can be bought. @param {Scene} scene */
function market({ frame, names }) {
  const all = frame.all;
  const [small, large, camels, sections] = all.supply;
  const { blocked, ...effects } = all.effects;
  const happens = Object.entries(effects).filter(([word, value]) => word in EFFECTS && value !== null && value !== false && value !== 0);
  /** @type {[string, any][]} */
  const rows = [
    ["appearance", all.board.appearance.join(", ") || "–"],
    ["status cards", all.board.status.join(", ") || "–"],
    ["for sale", all.board.open.join(", ") || "–"],
    ["supply", `${small} small and ${large} large caravans, ${camels} camels, ${sections} sections`],
    ["decks", `${all.emira_deck.length} princesses, ${all.status_deck.length} status cards`],
    ["begins", `${all.start} ${names[all.start]}`],
    ["this round", happens.map(([word]) => EFFECTS[word]).join(", ")],
    ["closed events", blocked.join(", ").replaceAll("_", " ")],
  ];
  return h("section", { "aria-label": "Market" }, h("h3", {}, "Market"), h("dl", { class: "middle" }, pairs(rows.filter(([, value]) => value))));
}

/** The auction as it stands: every bid of it in order. @param {Scene} scene */
function auction({ frame, film, names }) {
  const events = film.flatMap((one) => one.events);
  const opens = events.findLastIndex((event) => event.data.type === "auction");
  if (opens < 0 || !frame.all.auction) return null;
  const row = events.slice(opens + 1).filter((event) => ["bid", "pass", "serve", "grant"].includes(event.data.type));
  const { bid, bidder } = frame.all.auction;
  return h(
    "section",
    { class: "auction", "aria-label": "Auction" },
    h("h3", {}, "Auction", h("span", { class: "dim" }, bidder === null ? " no bid yet" : ` highest bid ${bid}: ${names[bidder]}`)),
    h("ol", { class: "bids" }, row.map(({ data }) => h("li", { class: data.type === "bid" && data.bid === bid ? "chosen" : null }, `${names[data.seat]}: ${data.type === "bid" ? data.bid : data.type === "serve" ? `won at ${data.bid}` : data.type}`))),
  );
}

/** A sheik's court. @param {Scene} scene @param {number} seat */
function court(scene, seat) {
  const { frame, scenery, width } = scene;
  const all = frame.all;
  const own = frame.own[seat] ?? {};
  const gold = (own.gold ?? all.gold)[seat];
  const shown = all.gold_shown[seat];
  const goal = own.goal ?? all.goals?.[seat];
  const caravans = all.caravans[seat].flatMap((/** @type {number[]} */ left, /** @type {number} */ kind) => left.map((often) => `${scenery.caravans[kind].replace("_", " ")} ${often}×${scenery.incomes[kind]}`));
  const counters = all.counters[seat].map((/** @type {number} */ many, /** @type {number} */ kind) => `${many} ${KINDS[kind]}`).join(", ");
  const hand = own.hand ? own.hand.map((/** @type {string} */ one) => h("span", { class: "card", "data-word": one.replaceAll("_", " ") }, one.replaceAll("_", " "))) : backs(all.hands[seat]);
  /** @type {[string, any][]} */
  const rows = [
    ["gold", gold === null || gold === undefined ? (shown ? `${shown[1]} in round ${shown[0]}` : "hidden") : gold],
    ["caravans", caravans.length ? caravans.join(", ") : "–"],
    ["camels", `${all.camels[seat]}, each lowers a bid by ${all.discount[seat]}`],
    ["counters", counters],
    ["events", hand.length ? hand : "–"],
    ["upkeep", all.upkeep[seat]],
    ["goal", goal ? goal.map((/** @type {string[]} */ way, /** @type {number} */ at) => h("span", { class: "goal" }, at ? "or " : "", [...new Set(way)].map((talent) => `${way.filter((one) => one === talent).length} ${talent}`).join(", "))) : "hidden"],
  ];
  const room = all.princesses[seat].length + Math.max(0, all.room[seat]);
  return player(
    scene,
    seat,
    rows,
    all.ask?.seat === seat,
    `${all.colours[seat]}, `,
    tracks({ appearance: all.appearance[seat], status: all.status[seat], palace: all.palace[seat] / 2 }, Math.min(200, width - 60)),
    h("ul", { class: "rooms", "aria-label": "Palace" }, Array.from({ length: room }, (_, at) => {
      const name = all.princesses[seat][at];
      return name ? h("li", { class: "home", "data-emira": name }, h("span", { class: "lives" }, name), h("span", { class: "dim" }, ` ${(scenery.emiras[name]?.[2] ?? []).join(" or ")}`)) : h("li", { class: "free" }, "free room");
    })),
  );
}

/** How a sheik stands in what princesses wish. @param {Record<(typeof TRACKS)[number], number>} values @param {number} width */
function tracks(values, width) {
  const long = (/** @type {number} */ value) => (Math.min(Math.max(value, 0), MOST) * (width - 112)) / MOST;
  return picture(
    width,
    54,
    TRACKS.map((track) => `${track} ${values[track]}`).join(", "),
    TRACKS.map((track, at) => s("g", {}, s("text", { x: 0, y: at * 18 + 13, class: "label" }, track), s("rect", { x: 82, y: at * 18 + 5, width: width - 112, height: 8, rx: 4, class: "track" }), s("rect", { x: 82, y: at * 18 + 5, width: long(values[track]), height: 8, rx: 4, class: "bar" }), s("text", { x: width - 24, y: at * 18 + 13, class: "label" }, values[track]))),
  );
}
