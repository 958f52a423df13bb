// Emira's table: the other courts along the top, the princesses who look for a home, the auction as a table of bids, what can be
// bought, and the own court at the lower edge. All of it is read from what the replayer says; no rule is known here.

import { TOGETHER, backs, place_at_end, row, slide, unseen, window_of } from "../../display/page/browser/pieces.js";
import { count, ordinal } from "../../display/page/browser/words.js";
import { SHAPES, banner, icon, room, thing } from "./symbols.js";
import { h, s } from "../../display/page/browser/dom.js";
import { shortened } from "../../display/page/browser/chart.js";

const KINDS = ["beauty", "manners", "dress"];
const TRACKS = ["appearance", "status", "palace"];
const EFFECTS = /** @type {Record<string, string[]>} */ ({
  golden: ["gold", "golden times", "more income"],
  interrupted: ["small_slow", "interrupt spice trade", "no income of caravans"],
  sick: ["camel", "sick camels", "nothing off bids"],
  quiet: ["princess", "quiet days", "fewer Emiras come"],
  doubles: ["princess", "double trouble", "more Emiras come"],
});
const PHASES = /** @type {Record<string, string>} */ ({ events: "event cards", prepare: "new goods", buy: "cards for sale", choice: "the Emiras choose", over: "the end" });
const CARDS = /** @type {Record<string, string>} */ ({ bazaar: "beauty", good_looking: "appearance", golden_times: "gold", guest_house: "section", restoration: "palace", new_orders: "status", noble_merchandise: "status" });
const QUICK = [0, 4, 9, 19, 49, 99]; // places in the list of bids that have a button
const TOLD = ["join", "wait", "act", "grant", "bid", "pass", "play", "buy", "riot", "abduct", "gift", "mind", "end"];

/** What was typed as a bid, by the question's frame. @type {WeakMap<object, number>} */
const typed = new WeakMap();
/** The table that was drawn last, by the names at it. @type {WeakMap<object, HTMLElement>} */
const drawn = new WeakMap();

/** @typedef {import("../../display/page/browser/types").Scene} Scene */
/** @typedef {import("../../display/page/browser/types").Choice} Choice */
/** @typedef {import("../../display/page/browser/types").Frame} Frame */

/** @type {import("../../display/page/browser/types").Drawing} */
export const drawing = {
  has_hand: true,
  draw(scene) {
    const { frame, before, eyes, names } = scene;
    const low = typeof eyes === "number" ? eyes : 0;
    const old = drawn.get(names);
    const moves = frame.events.some(({ data }) => !["bid", "pass", "auction"].includes(data.type));
    const from = moves && before && old?.isConnected && old.dataset.step === String(before.step) ? places(old) : null;
    const windows = names.map((_, seat) => court(scene, seat, seat === low));
    const draft = h("b", { class: "draft" });
    const others = h("div", { class: "others-here" }, windows.filter((_, seat) => seat !== low));
    const yard = h("div", { class: "yard" }, salon(scene), auction(scene, draft), market(scene));
    const table = h("div", { class: "table tabletop emira", "data-step": frame.step }, others, yard, rest(scene), windows[low]);
    drawn.set(names, table);
    if (from) queueMicrotask(() => travel(scene, table, from)); // once it is in its place
    return table;
  },
  choice(kind, entry, _, knows) {
    if (kind === "buy") return entry[0] ? `look at ${entry[0]} event cards` : "look at no event card";
    if (kind === "bid" && typeof entry[0] === "number") return `bid ${entry[0]}`;
    if (kind === "place") return `the Emira at place ${entry[0] + 1}`;
    if (kind === "caravan") return `${spaced(entry[0])}, ${count(entry[1], "income")} left`;
    if (kind === "vermin_move") return `with ${entry.join(" and ")} left`;
    if (entry[0] === "none") return kind === "play" ? "no event card" : "nothing";
    const cards = kind === "order" && knows?.ask?.cards;
    return each(entry, (part) => spaced(cards ? cards[part] : part)).join(", ");
  },
  tells({ type }) {
    return TOLD.includes(type);
  },
  turn(frame) {
    return frame.all.round;
  },
};

/** @param {unknown} word */
function spaced(word) {
  return String(word).replaceAll("_", " ");
}

/** @param {any[]} list @param {(one: any, at: number) => any} make @returns {any[]} */
function each(list, make) {
  return list.flatMap(make);
}

/** The choice of a kind with this first word. @param {Scene} scene @param {string[]} kinds @param {string} word */
function choice_of({ choices = [] }, kinds, word) {
  return choices.find(({ kind, piece }) => kinds.includes(kind) && piece[0] === word);
}

/** Whatever carries a choice, or not. @param {Choice | undefined} choice @param {string} kind @param {...any} inside */
function pile(choice, kind, ...inside) {
  return h("span", { class: choice ? `${kind} pile` : kind, "data-choice": choice?.index, title: choice?.words }, ...inside);
}

/** The events of this round, oldest first. @param {Scene} scene */
function of_round({ film }) {
  const events = film.flatMap((one) => one.events).map(({ data }) => data);
  return events.slice(Math.max(0, events.findLastIndex(({ type }) => type === "round")));
}

// --- princesses ---

/** What a princess looks at in a sheik. @param {Scene} scene @param {string} name @param {boolean} [turned] */
function wishes({ frame, scenery }, name, turned = frame.all.swapped.includes(name)) {
  const [first, second] = scenery.emiras[name] ?? ["", ""];
  const wants = turned ? [second, first] : [first, second];
  return wants.filter((one) => one in SHAPES);
}

/** @param {Scene} scene @param {string} name @param {number} x @param {number} y @param {number} size @param {boolean} [turned] */
function figure(scene, name, x, y, size, turned) {
  const [first = "most"] = wishes(scene, name, turned);
  return thing(first === "most" ? "prince" : "princess", x, y, size, `veil-${first}`);
}

/** @param {Scene} scene @param {string} name */
function talents({ scenery }, name) {
  const all = scenery.emiras[name]?.[2] ?? [];
  return h("span", { class: "talents" }, each(all, (one) => icon(one, one)), unseen(all.join(" or ")));
}

/** A princess who looks for a home. @param {Scene} scene @param {string} name @param {boolean} [turned]  of one in the deck who is looked at: whether she lies turned */
function waiting(scene, name, turned) {
  const wants = wishes(scene, name, turned);
  const words = wants.length ? `wants ${wants.join(", then ")}` : "wants most princesses";
  const swapped = turned ?? scene.frame.all.swapped.includes(name) ? " (swapped)" : "";
  const new_here = turned === undefined && scene.before && !here(scene.before).includes(name) ? " changed" : "";
  const signs = wants.length ? wants.map((one, at) => icon(one, `${ordinal(at + 1)}: ${one}`)) : [icon("princess", "most princesses"), h("b", {}, "+")];
  return h(
    "div",
    { class: `princess${new_here}`, "data-emira": name },
    s("svg", { viewBox: "0 0 24 24", "aria-hidden": "true", class: "figure" }, figure(scene, name, 12, 12, 24, turned)),
    h("span", { class: "who" }, h("b", {}, name), talents(scene, name)),
    h("span", { class: "wishes", title: words + swapped }, signs, swapped ? h("i", { "aria-hidden": "true" }, "⇄") : null, unseen(words + swapped)),
  );
}

/** @param {Frame} frame @returns {string[]} */
function here({ all }) {
  return [...all.active, ...all.coming, ...all.undecided];
}

/** Who looks for a home. @param {Scene} scene */
function salon(scene) {
  const { all } = scene.frame;
  const groups = /** @type {[string, string[]][]} */ ([["in play", all.active], ["in the next round", all.coming], ["undecided", all.undecided]]);
  const { blocked, ...effects } = all.effects;
  const happens = Object.entries(effects).filter(([word, value]) => word in EFFECTS && value);
  return h(
    "section",
    { class: "salon", "aria-label": "Princesses" },
    h("h3", {}, `Round ${all.round}`, h("span", { class: "dim" }, ` ${PHASES[all.phase] ?? all.phase}`), happens.map(([word, value]) => h("span", { class: "effect", title: EFFECTS[word][2] }, icon(EFFECTS[word][0]), EFFECTS[word][1], value > 1 ? ` ×${value}` : null))),
    h("div", { class: "groups" }, groups.filter(([, names]) => names.length).map(([words, names]) => h("div", { class: "group" }, h("p", { class: words === "in play" ? "unseen" : "dim" }, words), names.map((name) => waiting(scene, name))))),
    blocked.length ? h("p", { class: "dim note" }, `no more this round: ${blocked.map(spaced).join(", ")}`) : null,
  );
}

// --- what can be bought ---

/** The stalls: a thing, how many there are, and whether it can be had now. @param {Scene} scene */
function market(scene) {
  const { frame, scenery, choices = [] } = scene;
  const { board, supply, emira_deck, status_deck, event_deck } = frame.all;
  const [small, large, camels, sections] = supply;
  const asked = choices.some(({ kind }) => kind === "action");
  /** @param {string} action @param {string} sign @param {unknown} has @param {string} on */
  const stall = (action, sign, has, on, many = 0) => {
    const choice = choice_of(scene, ["action"], action);
    const price = choice?.words.match(/for (\d+) gold/)?.[1];
    const words = `${spaced(action)}${on === action ? "" : `: ${on}`}${many ? `, ${many} left` : ""}${has ? "" : ", not for sale now"}`;
    const inside = [
      icon(sign),
      h("b", {}, action === "status" && has ? (price ? action : [icon("gold"), on]) : on),
      many ? h("small", {}, `×${many}`) : null,
      price ? h("em", {}, icon("gold"), price) : null,
    ];
    for (const one of inside) one?.setAttribute("aria-hidden", "true"); // words say it
    const kind = has && (choice || !asked) ? "stall" : "stall sold";
    return h("li", { class: kind, "data-stall": action, title: choice ? null : words }, choice ? pile(choice, "", ...inside, unseen(choice.words)) : [...inside, unseen(words)]);
  };
  const grant = choice_of(scene, ["action"], "grant");
  /** @param {string} sign @param {number} many @param {string} one */
  const deck = (sign, many, one, when = "to come") => {
    const words = count(many, `${one} ${when}`, `${one}s ${when}`);
    return h("span", { class: "deck", title: words }, icon(sign), h("span", { "aria-hidden": "true" }, `×${many}`), unseen(words));
  };
  return h(
    "section",
    { class: "market", "aria-label": "Market" },
    h(
      "ul",
      { class: "stalls" },
      each(scenery.caravans, (name, kind) => stall(name, name, board.open.includes(kind < 2 ? "small" : "large"), `+${scenery.incomes[kind]}`)),
      each(board.appearance.length ? board.appearance : [""], (kind) => stall("appearance", kind || "appearance", kind, kind || "–")),
      each(board.status.length ? board.status : [""], (price) => stall("status", "status", price, String(price || "–"))),
      stall("palace", "section", board.open.includes("palace"), "section", sections),
      stall("camel", "camel", board.open.includes("camel"), "camel", camels),
      h("li", { class: "stall bank", "data-stall": "bank", title: "the bank" }, pile(grant, "", icon("gold"), h("b", {}, grant ? "grant" : "bank"))),
    ),
    h("p", { class: "decks" }, deck("princess", emira_deck.length, "Emira"), deck("status", status_deck.length, "status card"), deck("card", event_deck.length, "event card"), deck("small_slow", small, "small caravan", "left"), deck("large_slow", large, "large caravan", "left")),
  );
}

// --- the auction ---

/** The bids, and what each seat has bought in this round. @param {Scene} scene @param {HTMLElement} draft  the bid that is thought of */
function auction(scene, draft) {
  const { frame, names, choices = [], eyes } = scene;
  const { all } = frame;
  const events = of_round(scene);
  const opens = events.findLastIndex(({ type }) => type === "auction");
  if (opens < 0) return null;
  const now = events.slice(opens);
  const going = all.auction && !now.some(({ type }) => type === "serve");
  const latest = frame.events.findLast(({ data }) => data.type === "bid" || data.type === "pass")?.data;
  const rows = names.map((name, seat) => {
    const last = (/** @type {string[]} */ ...types) => events.findLast((event) => types.includes(event.type) && event.seat === seat);
    const bids = now.filter((event) => event.type === "bid" && event.seat === seat).map(({ bid }) => bid);
    const [served, bought, passed] = [last("serve"), last("act", "grant"), last("pass")];
    const out = passed && now.includes(passed);
    const stands = going && all.auction.bidder === seat;
    const before = bids.slice(-4, -1).map((bid) => h("span", { class: "dim" }, `${bid} `));
    /** @type {any[]} */
    let state = [];
    if (bought) state = [goods(bought), unseen(` has acted: ${spaced(bought.action ?? "grant")}`)];
    else if (served) state = [h("b", { title: "acts now" }, "▸"), unseen("acts")];
    else if (stands) state = [h("b", { class: "leads" }, "highest")];
    else if (out) state = [h("b", { class: "out", title: "out of this auction" }, "✕"), unseen("out")];
    const kind = [stands && "stands", out && !served && "passed", all.ask?.seat === seat && "asked"].filter(Boolean).join(" ");
    const shown = served ? served.bid || "–" : [before, bids.length ? h("b", { class: latest?.type === "bid" && latest.seat === seat ? "changed" : null }, bids.at(-1)) : null, eyes === seat ? draft : null];
    return h("tr", { class: kind }, h("th", { scope: "row" }, banner(all.colours[seat]), h("span", { class: "bidder" }, shortened(name, 14))), h("td", {}, [shown].flat(2)), h("td", { class: "state" }, state));
  });
  return h("section", { class: "auction", "aria-label": "Auction" }, h("table", { class: "bid-table" }, h("tbody", {}, rows)), choices[0]?.kind === "bid" ? field(scene, draft) : null);
}

/** What a seat has bought. @param {Record<string, any>} event */
function goods({ type, action, item }) {
  if (type === "grant" || action === "grant") return icon("gold", "grant");
  const sign = action === "appearance" ? item : action === "palace" ? "section" : action;
  return sign in SHAPES ? icon(sign, spaced(action)) : h("b", {}, "–");
}

/** A field for a bid, and buttons for some bids and for what is no bid. @param {Scene} scene @param {HTMLElement} draft */
function field({ frame, choices = [], chosen, hint, choose }, draft) {
  const bids = choices.filter(({ piece }) => typeof piece[0] === "number");
  const values = bids.map(({ piece }) => Number(piece[0]));
  const quick = [...choices.filter((one) => !bids.includes(one)), ...bids.filter((_, at) => QUICK.includes(at) || at === bids.length - 1)];
  const made = bids.find(({ index }) => index === (chosen ?? hint));
  const input = /** @type {HTMLInputElement} */ (h("input", { type: "number", min: values[0], max: values.at(-1), step: values[1] - values[0] || 1, inputmode: "numeric", "aria-label": "Your bid" }));
  const say = h("button", { type: "submit", class: "say" });
  const show = () => {
    const meant = bids[values.indexOf(Number(input.value))];
    draft.textContent = meant ? input.value : "";
    say.textContent = meant ? `bid ${input.value}` : "bid";
    say.toggleAttribute("disabled", !meant || chosen !== undefined);
    typed.set(frame, Number(input.value));
  };
  const to = (/** @type {number | undefined} */ value) => {
    if (value !== undefined) input.value = String(value);
    show();
  };
  const beside = (/** @type {number} */ way) => {
    const now = Number(input.value);
    to(way < 0 ? values.findLast((value) => value < now) : values.find((value) => value > now));
  };
  const button = (/** @type {string} */ sign, /** @type {number} */ way) => h("button", { type: "button", "aria-label": `a ${way < 0 ? "lower" : "higher"} bid`, disabled: chosen !== undefined, onclick: () => beside(way) }, sign);
  input.addEventListener("input", show);
  input.disabled = chosen !== undefined;
  if (bids.length) to(Number(made?.piece[0] ?? typed.get(frame) ?? values[0]));
  const send = (/** @type {any} */ event) => {
    event.preventDefault();
    const meant = bids[values.indexOf(Number(input.value))];
    if (meant) choose?.(meant.index);
  };
  const form = h(
    "form",
    { class: "bid-field", onsubmit: send },
    button("−", -1),
    input,
    button("+", 1),
    say,
    h("span", { class: "dim" }, `${values[0]} – ${values.at(-1)}`),
  );
  const buttons = quick.map((one) => h("li", {}, h("span", { "data-choice": one.index, title: one.words }, bids.includes(one) ? [unseen("bid "), one.piece[0]] : spaced(one.piece[0]))));
  return h("div", { class: "bid-box" }, bids.length ? form : null, h("ol", { class: "options" }, buttons));
}

// --- choices that have no place of their own ---

/** Whether a choice is on a thing. @param {Choice} choice */
function has_place({ kind, piece }) {
  return kind === "bid" || (piece[0] !== "none" && ["action", "play", "first_event", "abduct"].includes(kind));
}

/** What is looked at, and choices without a thing. @param {Scene} scene */
function rest(scene) {
  const { frame, choices = [], eyes, scenery } = scene;
  const knows = { ...frame.all, ...(typeof eyes === "number" ? frame.own[eyes] : {}) };
  const left = choices.filter((one) => !has_place(one));
  const cards = left.length && knows.ask?.cards && left[0].kind !== "keep" ? knows.ask.cards : [];
  const { kind, about } = knows.ask ?? {};
  const seen = each(cards, (one, at) => (one in scenery.emiras ? waiting(scene, one, frame.all.emira_turned.includes(kind === "mind" ? about : at)) : h("span", { class: "looked" }, icon(sign_of(one)), spaced(one))));
  const pieces = left.map((one) => {
    const sign = one.piece.length === 1 && one.kind !== "gift" ? sign_of(one.piece[0], one.kind === "keep" ? "card" : "") : "";
    return pile(one, "offer", sign ? icon(sign) : null, one.words);
  });
  return pieces.length ? h("div", { class: "rest", role: "group", "aria-label": "Other choices" }, seen, pieces) : null;
}

/** @param {any} word @param {string} [otherwise] */
function sign_of(word, otherwise = "card") {
  if (typeof word === "number") return word > 99 ? "status" : otherwise;
  if (word in SHAPES) return word;
  return CARDS[word] ?? (/camel|breed/.test(word) ? "camel" : /caravan|trade|vermin/.test(word) ? "small_slow" : /mind|court|double|quiet/.test(word) ? "princess" : otherwise);
}

// --- courts ---

/** A sheik's court. @param {Scene} scene @param {number} seat @param {boolean} low  whether it is at the lower edge */
function court(scene, seat, low) {
  const { frame, before, scenery, eyes } = scene;
  const { all } = frame;
  const own = frame.own[seat] ?? {};
  const gold = gold_of(frame, seat);
  const shown = all.gold_shown[seat];
  const goal = own.goal ?? all.goals?.[seat];
  const was = (/** @type {string} */ key) => Boolean(before) && String(before?.all[key]?.[seat]) !== String(all[key][seat]);
  const leads = (/** @type {string} */ key) => all[key][seat] > 0 && all[key][seat] === Math.max(...all[key]);
  const ghost = (/** @type {string} */ action, /** @type {string} */ sign) => {
    const choice = eyes === seat ? choice_of(scene, ["action"], action) : undefined;
    return choice ? h("span", { class: "lead ghost", "data-lead": `#${choice.index}` }, icon(sign)) : null;
  };
  const tracks = TRACKS.map((key) => row(key, [icon(key), String(key === "palace" ? all.palace[seat] / 2 : all[key][seat])], was(key), leads(key) ? "track-of most" : "track-of"));
  const caravans = each(all.caravans[seat], (left, kind) => each(left, (often) => {
    const name = scenery.caravans[kind];
    return h("span", { class: "count", title: `${spaced(name)} caravan: ${often} times ${scenery.incomes[kind]}` }, icon(name, "", "", name), `${often}×${scenery.incomes[kind]}`);
  }));
  const counters = each(all.counters[seat], (many, kind) => (many ? [h("span", { class: "count", title: `${KINDS[kind]} ${many}` }, icon(KINDS[kind], "", "", "appearance"), `×${many}`, unseen(` ${KINDS[kind]}`))] : []));
  const ghosts = [...each(scenery.caravans, (name) => ghost(name, name)), ghost("appearance", all.board.appearance[0] ?? "appearance"), ghost("status", "status"), ghost("camel", "camel")].filter(Boolean);
  const end = place_at_end(frame, seat);
  const points = end ? frame.sources[0].map((source, at) => (frame.points[seat]?.[at] ? h("span", { class: "count" }, `${source} ${frame.points[seat][at]}`) : "")) : [];
  return window_of(
    scene,
    seat,
    `court${low ? " low-court" : ""}${all.ask?.seat === seat ? " asked" : ""}`,
    h("div", { class: "sheik" }, banner(all.colours[seat]), unseen(all.colours[seat]), all.start === seat ? [icon("start", "begins this round"), unseen("begins this round")] : null, end),
    palace(scene, seat, ghost("palace", "section")),
    h("dl", { class: "rows" },
      row("gold", [icon("gold"), String(gold ?? (shown ? `${shown[1]} in round ${shown[0]}` : "hidden"))], before !== null && gold !== gold_of(before, seat), "purse"),
      row("upkeep", all.upkeep[seat] ? [`−${all.upkeep[seat]}`] : [], false, "dim", "upkeep of this round"),
      ...tracks,
      row("camels", all.camels[seat] ? [icon("camel", "", "", "camel"), `×${all.camels[seat]}`] : [], was("camels"), "", `camels, each lowers a bid by ${all.discount[seat]}`),
      row("caravans", caravans, was("caravans")),
      row("counters", counters, was("counters")),
      ghosts.length ? h("div", { "aria-hidden": "true" }, ghosts) : null),
    h("dl", { class: "rows hand" },
      row("goal", goal ? goal.map(aim) : [], false, "aims"),
      row("events", own.hand ? each(own.hand, (one) => event_card(scene, one, eyes === seat)) : [...backs(all.hands[seat]), all.hands[seat] > 1 ? h("b", {}, `×${all.hands[seat]}`) : ""], was("hands"), "", "event cards"),
      row("points", points, false, "sum", "points by source")),
  );
}

/** @param {Frame} frame @param {number} seat */
function gold_of({ all, own }, seat) {
  return (own[seat]?.gold ?? all.gold)[seat];
}

/** A way to reach a goal. @param {string[]} way @param {number} at */
function aim(way, at) {
  const many = (/** @type {string} */ talent) => way.filter((one) => one === talent).length;
  const parts = [...new Set(way)];
  const words = parts.map((talent) => `${many(talent)} ${talent}`).join(", ");
  return h("span", { class: "goal", title: words }, at ? h("i", {}, "or ") : null, parts.flatMap((talent) => Array.from({ length: many(talent) }, () => icon(talent))), unseen(words));
}

/** An event card; one that can be played or kept carries that choice. @param {Scene} scene @param {string} name @param {boolean} mine */
function event_card(scene, name, mine) {
  const choice = mine ? choice_of(scene, ["play", "first_event"], name) : undefined;
  return pile(choice, "card event", icon(sign_of(name)), h("span", { class: "on-card" }, spaced(name)));
}

/** The palace: a room for each princess, and those that are free. @param {Scene} scene @param {number} seat @param {HTMLElement | null} ghost */
function palace(scene, seat, ghost) {
  const { frame, before } = scene;
  const { all } = frame;
  const colour = all.colours[seat];
  const lives = all.princesses[seat];
  const homes = each(lives, (name) => {
    const choice = choice_of(scene, ["abduct"], name);
    const fresh = before && !before.all.princesses[seat].includes(name);
    const inside = [room(colour, figure(scene, name, 20, 47, 23)), h("span", { class: "lives" }, name), talents(scene, name)];
    return h("li", { class: fresh ? "home changed" : "home", "data-emira": name }, choice && scene.eyes === seat ? pile(choice, "", ...inside) : inside);
  });
  const free = Array.from({ length: Math.max(0, all.room[seat]) }, () => h("li", { class: "free", title: "a free room" }, room(colour, null), unseen("free room")));
  return h("ul", { class: "rooms", "aria-label": `Palace: ${count(lives.length, "princess", "princesses")}, ${count(free.length, "free room")}` }, homes, free, ghost ? h("li", { class: "extra", "aria-hidden": "true" }, ghost) : null);
}

// --- what moves ---

/** Where things are: princesses, stalls, purses. @param {Element} table */
function places(table) {
  /** @type {Map<string, {x: number, y: number, of: string}>} */
  const found = new Map();
  for (const one of /** @type {NodeListOf<HTMLElement>} */ (table.querySelectorAll("[data-emira], [data-stall], .purse .icon"))) {
    const { left, top } = one.getBoundingClientRect();
    const of = /** @type {HTMLElement | null} */ (one.closest("[data-seat]"))?.dataset.seat ?? "";
    found.set(one.dataset.emira ?? (one.dataset.stall ? `stall ${one.dataset.stall}` : `purse ${of}`), { x: left, y: top, of });
  }
  return found;
}

/** Princesses go to their palace, what was bought to its owner, and coins from hand to hand. @param {Scene} scene @param {HTMLElement} table @param {ReturnType<typeof places>} from */
function travel({ frame, before }, table, from) {
  const to = places(table);
  /** @type {{ piece: Element, start: { x: number, y: number } }[]} */
  const going = [];
  const goes = (/** @type {Element | null | undefined} */ piece, /** @type {{x: number, y: number} | undefined} */ start) => {
    if (piece && start) going.push({ piece, start });
  };
  for (const one of /** @type {NodeListOf<HTMLElement>} */ (table.querySelectorAll("[data-emira]"))) {
    const [old, now] = [from, to].map((places) => places.get(one.dataset.emira ?? ""));
    if (old && now && old.of !== now.of) goes(one, old);
  }
  for (const { data } of frame.events) {
    if (data.type === "act") goes(table.querySelector(`[data-seat="${data.seat}"] [data-goes="${data.action}"]`), from.get(`stall ${data.action}`));
  }
  const bank = table.querySelector(".bank");
  for (const seat of frame.own.keys()) {
    const [now, was] = [frame, before ?? frame].map((one) => gold_of(one, seat));
    if (now === null || was === null) continue; // hidden
    if (now > was) goes(table.querySelector(`[data-seat="${seat}"] .purse .icon`), from.get("stall bank"));
    if (now >= was || !bank) continue;
    const coin = icon("gold", "", "paid");
    bank.append(coin);
    goes(coin, from.get(`purse ${seat}`));
  }
  const ends = going.map(({ piece }) => piece.getBoundingClientRect()); // all, before the first of them moves
  going.forEach(({ piece, start }, late) => slide(piece, { x: start.x - ends[late].left, y: start.y - ends[late].top }, { x: 0, y: 0 }, TOGETHER * late));
}
