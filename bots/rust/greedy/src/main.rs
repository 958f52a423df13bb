//! Looks one turn ahead, from the view alone: for each card, how likely it wins its camel and what that would bring.
//! bots/python/shared/policy.py in Rust: it chooses the same in every position.
mod evaluate;
#[path = "../khiva_kit.rs"]
mod khiva_kit;

use evaluate::{Board, GEM, TENT};
use khiva_kit::{int, ints, list, play, Decide, Match};
use serde_json::{json, Value};
use std::collections::{HashMap, HashSet};

/// Points of difference at which another seat is e times as likely to play the better of two cards.
const TEMPER: f64 = 2.0;
/// What is kept for later turns.
const KEEP: f64 = 0.3;
/// What the left neighbour may do with what is passed to it.
const GIVE: f64 = 0.3;
const REJECTED: f64 = GEM;

fn place(at: &[i64]) -> usize {
    if at[1] == 0 {
        TENT
    } else {
        (6 * at[0] + at[1]) as usize
    }
}

fn code(face: &Value) -> usize {
    let face = ints(face);
    (10 * face[0] + face[1]) as usize
}

fn codes(faces: &Value) -> Vec<usize> {
    list(faces).iter().map(code).collect()
}

fn indices(entry: &Value) -> Vec<usize> {
    ints(entry).iter().map(|i| *i as usize).collect()
}

/// The first of the greatest.
fn best(worth: &[f64]) -> usize {
    let mut chosen = 0;
    for (i, points) in worth.iter().enumerate() {
        if *points > worth[chosen] {
            chosen = i;
        }
    }
    chosen
}

fn read(view: &Value, rules: &Value) -> Board {
    let camels: Vec<Vec<i64>> = list(&view["camels"]).iter().map(ints).collect();
    let mut cargo = vec![];
    for held in list(&view["carpets"]) {
        let mut of_seat: Vec<i64> = camels.iter().map(|camel| camel[2]).collect();
        for card in codes(held) {
            of_seat[card / 10] += (card % 10) as i64;
        }
        cargo.push(of_seat);
    }
    Board {
        own_tent: rules["khiva_spaces"] == "own_tent",
        no_move: rules["overshoot"] == "no_move",
        slots: list(&rules["gem_slots"]).iter().map(ints).collect(),
        camels: camels.iter().map(|camel| place(camel)).collect(),
        gems: ints(&view["gems"]),
        cargo,
        salt: ints(&view["salts_left"]).first().copied().unwrap_or(0),
        now: HashMap::new(),
        cards: HashMap::new(),
    }
}

/// e to the power of points / TEMPER, near enough, and the same on every machine.
fn appeal(points: f64) -> f64 {
    let mut x = 1.0 + points / TEMPER / 1024.0;
    for _ in 0..10 {
        x *= x;
    }
    x
}

/// For each card not seen: how likely another seat plays it this turn. 0 for all other cards.
fn rivals(view: &Value, board: &mut Board, me: usize) -> [f64; 50] {
    let seen: HashSet<usize> = ["hand", "discard", "shown"].iter().flat_map(|key| codes(&view[*key])).collect();
    let is_card = |card: &usize| (1..=5).contains(&(card % 10));
    let hidden: Vec<usize> = (0..50).filter(is_card).filter(|card| !seen.contains(card)).collect();
    let passed = list(&view["passed"]).iter();
    let known: HashMap<usize, Vec<i64>> = passed.map(|entry| (code(&entry[1]), ints(&entry[2]))).collect();
    let free = (hidden.len() as i64 - known.len() as i64).max(1) as f64;
    let plays = if board.gems.len() == 2 { 2.0 } else { 1.0 };
    let hands = ints(&view["hands"]);
    let mut risk = [0.0; 50];
    for seat in (0..board.gems.len()).filter(|seat| *seat != me) {
        let weights: Vec<f64> = hidden.iter().map(|card| appeal(board.card(seat, *card))).collect();
        let mut usual = 0.0;
        for weight in &weights {
            usual += weight / weights.len() as f64;
        }
        let size = hands[seat] as f64;
        for (card, weight) in hidden.iter().zip(&weights) {
            let holds = match known.get(card) {
                None => (size / free).min(1.0),
                Some(holders) if holders.contains(&(seat as i64)) => 1.0 / holders.len() as f64,
                Some(_) => 0.0,
            };
            let picks = plays * weight / (weight + (size - 1.0) * usual);
            risk[*card] = 1.0 - (1.0 - risk[*card]) * (1.0 - holds * picks.min(1.0));
        }
    }
    risk
}

/// What each entry of play_pass promises, in millionths of a point, so that the last bit of a sum never decides.
fn totals(decide: &Decide, board: &mut Board, me: usize) -> Vec<f64> {
    let hand = codes(&decide.view()["hand"]);
    let risk = rivals(decide.view(), board, me);
    let (mut worth, mut given, mut all_kept) = ([0.0; 50], [0.0; 50], 0.0);
    for &card in &hand {
        let mut win = 1.0;
        for lower in card - card % 10 + 1..card {
            win *= 1.0 - risk[lower];
        }
        worth[card] = win * board.card(me, card) + (1.0 - win) * REJECTED;
        given[card] = board.card((me + 1) % board.gems.len(), card);
        all_kept += KEEP * worth[card];
    }
    let total = |entry: &Value| {
        let cards: Vec<usize> = indices(entry).iter().map(|i| hand[*i]).collect();
        let (played, passed) = cards.split_at(cards.len() / 2);
        let mut points = all_kept;
        for card in played {
            // Two cards of a seat on one camel: the higher one is rejected, whatever the others do.
            let beaten = played.iter().any(|other| card / 10 == other / 10 && card > other);
            points += (if beaten { REJECTED } else { worth[*card] }) - KEEP * worth[*card];
        }
        for card in passed {
            points -= KEEP * worth[*card] + GIVE * given[*card];
        }
        (points * 1e6 + 0.5).floor()
    };
    decide.legal().iter().map(total).collect()
}

fn choose(decide: &Decide, matched: &Match) -> usize {
    let view = decide.view();
    match decide.kind.as_str() {
        "play_pass" => {
            let mut board = read(view, &matched.hello["rules"]);
            best(&totals(decide, &mut board, int(&view["seat"]) as usize))
        }
        "boost" => {
            let mut board = read(view, &matched.hello["rules"]);
            let (seat, camel) = (int(&view["ask"]["seat"]) as usize, int(&view["ask"]["camel"]) as usize);
            let lands = list(&view["ask"]["lands"]).iter().enumerate(); // the index is the number of gems
            let worth = lands.map(|(gems, land)| board.landing(seat, camel, place(&ints(land)), gems as i64));
            best(&worth.collect::<Vec<f64>>())
        }
        // Salt when it can be had; else what is usual.
        _ => decide.legal().iter().position(|entry| *entry == json!(["salt"])).unwrap_or(0),
    }
}

fn main() {
    play("greedy-rust", "1", choose);
}
