// What a Khiva position is worth to a seat, in points: bots/python/shared/evaluate.py in JavaScript, each sum in its order.
//
// Numbers: a card or carpet is 10 * colour + value; a place is 0 for the tent and 6 * path + shop for the rest (5: outpost).
"use strict";

const TENT = 0;
const OUTPOST = 5;
const SALT_PRICE = 3;
const NEAR = [0.0, 0.22, 0.22, 0.2, 0.18, 0.06, 0.03, 0.0, 0.0, 0.0];
const GEM = 1.5;
const CARPET = 2.0;

const range = (first, behind) => Array.from({ length: Math.max(0, behind - first) }, (_, i) => first + i);
const pathOf = (place) => Math.floor(place / 6);

// Steps to the seat's outpost with nothing in the way.
function distance(seat, place) {
  const shop = place % 6;
  if (shop === 0) return 5;
  return pathOf(place) === seat ? 5 - shop : shop + 4;
}

// The places ahead of a camel that this seat moves, nearest first.
function walk(seat, place, tentCounts) {
  const path = pathOf(place);
  const shop = place % 6;
  const away = shop !== 0 && path !== seat;
  const back = away ? range(1, shop).reverse().map((s) => 6 * path + s) : [];
  const tent = tentCounts && away ? [TENT] : [];
  const first = shop !== 0 && !away ? shop + 1 : 1;
  return [...back, ...tent, ...range(first, OUTPOST + 1).map((s) => 6 * seat + s)];
}

const tables = (of) => range(0, 5).map((seat) => range(0, 30).map((place) => of(seat, place)));
const DISTANCE = tables(distance);
const WALK = [false, true].map((tentCounts) => tables((seat, place) => walk(seat, place, tentCounts)));

// Where the camel of this card may stop: the index is the number of gems spent.
function reach(rules, seat, card, camels, gems) {
  const camel = Math.floor(card / 10);
  const value = card % 10;
  const way = WALK[rules.khiva_spaces === "own_tent" ? 1 : 0][seat][camels[camel]];
  const free = way.filter((place) => place === TENT || !camels.includes(place));
  const most = value + Math.min(gems, rules.gem_slots[camel][value - 1]);
  const lands = free.slice(value - 1, most);
  if (lands.length > 0 || rules.overshoot === "no_move") return lands;
  return [free[free.length - 1]];
}

// What lies on the table, as far as it decides what a move is worth. Lists by seat or by camel.
class Board {
  constructor(rules, camels, loads, gems, carpets, salt) {
    Object.assign(this, { rules, camels, loads, gems, salt });
    // What each camel would bring each seat at its outpost: the teapot and the carpets of its colour.
    this.cargo = carpets.map((held) => {
      const cargo = [...loads];
      for (const code of held) cargo[Math.floor(code / 10)] += code % 10;
      return cargo;
    });
  }

  // What it is worth to win a bid with this card, moved on as well as the gems allow. Never less than 0.
  card(seat, card) {
    const lands = reach(this.rules, seat, card, this.camels, this.gems[seat]);
    const worth = lands.map((place, boost) => this.landing(seat, Math.floor(card / 10), place, boost));
    return worth.length > 0 ? Math.max(...worth) : 0.0;
  }

  // What it is worth to move a camel there for so many gems: what is gained at once and the better outlook.
  landing(seat, camel, place, boost) {
    let gain = -GEM * boost - this.outlook(seat, camel, this.camels[camel]);
    const shop = place % 6;
    if (shop === OUTPOST) return gain + this.cargo[seat][camel];
    if (shop === 1) gain += GEM;
    else if (shop === 2) gain += CARPET;
    else if (shop === 3) gain += 2 * GEM;
    else if (shop === 4) {
      const canBuy = this.gems[seat] - boost >= SALT_PRICE;
      gain += Math.max(CARPET, canBuy ? this.salt - SALT_PRICE * GEM : 0.0);
    }
    return gain + this.outlook(seat, camel, place);
  }

  // What this camel would promise the seat there, less what it would promise the others on average.
  outlook(seat, camel, place) {
    let total = 0.0;
    for (let other = 0; other < this.cargo.length; other++) {
      if (other !== seat) total += NEAR[DISTANCE[other][place]] * this.cargo[other][camel];
    }
    return NEAR[DISTANCE[seat][place]] * this.cargo[seat][camel] - total / (this.cargo.length - 1);
  }
}

module.exports = { GEM, Board };
