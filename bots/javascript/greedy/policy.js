// How the greedy bot chooses: bots/python/shared/policy.py in JavaScript. The last bit counts: each sum is added up in the same
// order, and nothing but + - * / is used.
"use strict";

const { GEM, Board } = require("./evaluate.js");

const TEMPER = 2.0; // points of difference at which another seat is e times as likely to play the better of two cards
const KEEP = 0.3;
const GIVE = 0.3;
const REJECTED = GEM;

const best = (worth) => worth.indexOf(Math.max(...worth));
const place = ([path, shop]) => (shop ? 6 * path + shop : 0);
const codes = (faces) => faces.map(([colour, value]) => 10 * colour + value);
const colour = (card) => Math.floor(card / 10);

function choose(decide, match) {
  const { view, kind, legal } = decide;
  if (kind === "play_pass") return best(totals(view, match.rules, legal));
  if (kind === "boost") {
    const board = read(view, match.rules);
    const { seat, camel, lands } = view.ask;
    return best(lands.map((land, gems) => board.landing(seat, camel, place(land), gems)));
  }
  return Math.max(0, legal.findIndex((entry) => entry[0] === "salt")); // salt when it can be had; else what is usual
}

// The board as evaluate.js wants it.
function read(view, rules) {
  const loads = view.camels.map((camel) => camel[2]);
  return new Board(rules, view.camels.map(place), loads, view.gems, view.carpets.map(codes), view.salts_left[0] ?? 0);
}

// What each entry of play_pass promises, in millionths of a point.
function totals(view, rules, legal) {
  const board = read(view, rules);
  const me = view.seat;
  const hand = codes(view.hand);
  const left = (me + 1) % view.seats;
  const risk = rivals(view, board);
  const worth = new Map();
  for (const card of hand) {
    let win = 1.0;
    for (let value = 1; value < card % 10; value++) win *= 1.0 - (risk.get(10 * colour(card) + value) ?? 0.0);
    worth.set(card, win * board.card(me, card) + (1.0 - win) * REJECTED);
  }
  const given = new Map(hand.map((card) => [card, board.card(left, card)]));
  const half = Math.floor(legal[0].length / 2);
  let allKept = 0.0;
  for (const card of hand) allKept += KEEP * worth.get(card);

  const total = (entry) => {
    const cards = entry.map((i) => hand[i]);
    const played = cards.slice(0, half);
    let points = allKept;
    for (const card of played) {
      // Two cards of a seat on one camel: the higher one is rejected, whatever the others do.
      const beaten = played.some((other) => colour(other) === colour(card) && other < card);
      points += (beaten ? REJECTED : worth.get(card)) - KEEP * worth.get(card);
    }
    for (const card of cards.slice(half)) points -= KEEP * worth.get(card) + GIVE * given.get(card);
    return points;
  };
  return legal.map((entry) => Math.floor(total(entry) * 1e6 + 0.5));
}

// e to the power of points / TEMPER, near enough.
function appeal(points) {
  let x = 1.0 + points / TEMPER / 1024.0;
  for (let i = 0; i < 10; i++) x *= x;
  return x;
}

// For each card not seen: how likely another seat plays it this turn.
function rivals(view, board) {
  const plays = view.seats === 2 ? 2 : 1;
  const seen = new Set([...codes(view.hand), ...codes(view.discard), ...codes(view.shown)]);
  const hidden = [];
  for (let c = 0; c < 5; c++) for (let v = 1; v <= 5; v++) if (!seen.has(10 * c + v)) hidden.push(10 * c + v);
  const known = new Map(view.passed.map(([, [c, v], holders]) => [10 * c + v, holders]));
  const free = hidden.length - known.size;
  const risk = new Map(hidden.map((card) => [card, 0.0]));
  for (let seat = 0; seat < view.seats; seat++) {
    if (seat === view.seat) continue;
    const weights = hidden.map((card) => appeal(board.card(seat, card)));
    let usual = 0.0;
    for (const weight of weights) usual += weight / weights.length;
    const size = view.hands[seat];
    hidden.forEach((card, i) => {
      let holds = Math.min(1.0, size / Math.max(1, free));
      const holders = known.get(card);
      if (holders) holds = holders.includes(seat) ? 1.0 / holders.length : 0.0;
      const picks = (plays * weights[i]) / (weights[i] + (size - 1) * usual);
      risk.set(card, 1.0 - (1.0 - risk.get(card)) * (1.0 - holds * Math.min(1.0, picks)));
    });
  }
  return risk;
}

module.exports = { choose };
