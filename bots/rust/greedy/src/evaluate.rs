//! What a Khiva position is worth to a seat, in points: bots/python/shared/evaluate.py in Rust, to the last bit. For that, sums
//! are added up in the same order; Rust never fuses a product into a sum by itself.
//!
//! A card is 10 * colour + value; a place is 0 for the tent and 6 * path + shop for the rest (5: outpost).

use std::collections::HashMap;

pub const TENT: usize = 0;
pub const GEM: f64 = 1.5;
const OUTPOST: usize = 5;
const SALT_PRICE: i64 = 3;
const CARPET: f64 = 2.0;
const NEAR: [f64; 10] = [0.0, 0.22, 0.22, 0.20, 0.18, 0.06, 0.03, 0.0, 0.0, 0.0];

/// Steps to the seat's outpost with nothing in the way.
fn distance(seat: usize, place: usize) -> usize {
    match (place / 6, place % 6) {
        (_, 0) => 5,
        (path, shop) if path == seat => 5 - shop,
        (_, shop) => shop + 4,
    }
}

/// The greater of two numbers, the first where they are equal.
fn greater(one: f64, other: f64) -> f64 {
    if other > one {
        other
    } else {
        one
    }
}

/// What lies on the table, as far as it decides what a move is worth. Lists by seat or by camel.
pub struct Board {
    pub own_tent: bool,
    pub no_move: bool,
    pub slots: Vec<Vec<i64>>,
    pub camels: Vec<usize>,
    pub gems: Vec<i64>,
    /// What each camel would bring each seat at its outpost: the teapot and the carpets of its colour.
    pub cargo: Vec<Vec<i64>>,
    pub salt: i64,
    pub now: HashMap<(usize, usize), f64>,
    pub cards: HashMap<(usize, usize), f64>,
}

impl Board {
    /// What it is worth to win a bid with this card, moved on as well as the gems allow; 0 where it leads nowhere.
    pub fn card(&mut self, seat: usize, card: usize) -> f64 {
        if let Some(known) = self.cards.get(&(seat, card)) {
            return *known;
        }
        let lands = self.reach(seat, card);
        let worth = lands.iter().enumerate().map(|(boost, &place)| self.landing(seat, card / 10, place, boost as i64));
        let best = worth.reduce(greater).unwrap_or(0.0);
        self.cards.insert((seat, card), best);
        best
    }

    /// What it is worth to move a camel there for so many gems: what is gained at once and the better outlook.
    pub fn landing(&mut self, seat: usize, camel: usize, place: usize, boost: i64) -> f64 {
        let before = match self.now.get(&(seat, camel)) {
            Some(known) => *known,
            None => self.outlook(seat, camel, self.camels[camel]),
        };
        self.now.insert((seat, camel), before);
        let mut gain = -GEM * boost as f64 - before;
        match place % 6 {
            // A new teapot in the tent promises everybody the same.
            OUTPOST => return gain + self.cargo[seat][camel] as f64,
            1 => gain += GEM,
            2 => gain += CARPET,
            3 => gain += 2.0 * GEM,
            4 if self.gems[seat] - boost >= SALT_PRICE => {
                gain += greater(CARPET, self.salt as f64 - SALT_PRICE as f64 * GEM);
            }
            4 => gain += CARPET,
            _ => {}
        }
        gain + self.outlook(seat, camel, place)
    }

    /// Where the camel of this card may stop: the index is the number of gems spent.
    fn reach(&self, seat: usize, card: usize) -> Vec<usize> {
        let (camel, value) = (card / 10, card % 10);
        let way = self.walk(seat, self.camels[camel]);
        if way.len() < value {
            return if self.no_move { vec![] } else { vec![way[way.len() - 1]] };
        }
        let most = value + self.gems[seat].min(self.slots[camel][value - 1]) as usize;
        way[value - 1..most.min(way.len())].to_vec()
    }

    /// The free places ahead of a camel that this seat moves, nearest first.
    fn walk(&self, seat: usize, place: usize) -> Vec<usize> {
        let (path, shop) = (place / 6, place % 6);
        let elsewhere = shop != 0 && path != seat;
        let mut way = vec![];
        if elsewhere {
            way.extend((1..shop).rev().map(|s| 6 * path + s));
            if self.own_tent {
                way.push(TENT);
            }
        }
        let first = if shop == 0 || elsewhere { 1 } else { shop + 1 };
        way.extend((first..=OUTPOST).map(|s| 6 * seat + s));
        way.retain(|place| *place == TENT || !self.camels.contains(place));
        way
    }

    /// What this camel would promise the seat there, less what it would promise the others on average.
    fn outlook(&self, seat: usize, camel: usize, place: usize) -> f64 {
        let promise = |seat: usize| NEAR[distance(seat, place)] * self.cargo[seat][camel] as f64;
        let mut total = 0.0;
        for other in (0..self.gems.len()).filter(|other| *other != seat) {
            total += promise(other);
        }
        promise(seat) - total / (self.gems.len() - 1) as f64
    }
}
