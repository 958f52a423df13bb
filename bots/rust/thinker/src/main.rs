//! A bot of Khiva that searches. It draws positions that its view allows and tries its choices in each of them: it plays on some
//! turns to see what they were good for. khiva.h, in C, has the rules and those playouts; khiva_calls.c makes them functions that
//! Rust can call. This file has the search and the time.
//!
//! All choices are tried in the same positions, so that none is luckier than another. From time to time the worse half of them
//! is given up, until one is left. So most of the time goes to choices that are hard to tell apart. In the playouts everybody
//! chooses by habit: a seat does again what served it well in playouts before (khiva_try).
#[path = "../khiva_kit.rs"]
mod khiva_kit;

use khiva_kit::{play, Decide, Match};
use serde_json::Value;
use std::{ptr::null_mut, time::Instant};

/// A decision takes a twentieth of the turn and a five-hundredth of what is left in the bank. So the answer comes in time
/// even where the machine is twenty times too busy, and the bank never runs out.
const TURN_SHARE: f64 = 20.0;
const BANK_SHARE: f64 = 500.0;
/// Set it to 3000, say, to think for so many playouts instead, and not to look at the clock: such a match can be replayed. In an
/// event with `--clock ticks` it can be replayed as it is, since the clock of a module counts what the module spent.
const PLAYOUTS: u64 = 0;
/// What a choice is good for shows within so many turns.
const TURNS: i32 = 4;
/// Playouts between two looks at the clock.
const LOOK: usize = 8;

extern "C" {
    fn khiva_lib_sizes(sizes: *mut i32);
    fn khiva_lib_habits_size() -> i32;
    fn arena_lib_stream_size() -> i32;
    fn arena_lib_quick(stream: *mut u64, seed: u64);
    fn khiva_lib_read_rules(bytes: *const u8, size: usize, rules: *mut u64) -> i32;
    fn khiva_lib_read_view(bytes: *const u8, size: usize, rules: *const u64, view: *mut u64) -> i32;
    fn khiva_lib_think(knowledge: *mut u64, rules: *const u64, view: *const u64) -> i32;
    fn khiva_lib_world(
        state: *mut u64,
        memory: *mut u64,
        rules: *const u64,
        view: *const u64,
        knowledge: *mut u64,
        stream: *mut u64,
    ) -> i32;
    fn khiva_lib_questions(rules: *const u64, state: *const u64, kinds: *mut i32, choices: *mut i32) -> u32;
    fn khiva_lib_try(
        rules: *const u64,
        state: *const u64,
        habits: *mut u64,
        seat: i32,
        choice: i32,
        turns: i32,
        stream: *mut u64,
    ) -> f64;
}

/// Returns memory for a structure in C, of so many bytes, aligned as the structure has to be.
fn memory(size: i32) -> Vec<u64> {
    vec![0; (size as usize + 7) / 8]
}

/// A choice that has not been given up, and the sum of its leads.
struct Candidate {
    choice: usize,
    sum: f64,
}

/// A decision that is being thought about.
struct Thinking {
    rules: Vec<u64>,
    view: Vec<u64>,
    knowledge: Vec<u64>,
    habits: Vec<u64>,
    chance: Vec<u64>,
    world: Vec<u64>,
    seat: usize,
    began: Instant,
    most: f64,
    playouts: u64,
}

impl Thinking {
    /// Reads what is asked; returns None where it makes no sense.
    fn new(decide: &Decide, matched: &Match) -> Option<Self> {
        let mut sizes = [0; 7];
        let bytes = |value: &Value| rmp_serde::to_vec(value).ok();
        let number = |value: &Value| value.as_u64().unwrap_or(0);
        // Safe: each structure has the memory that the header asks for, and the seat is one of the view, which C has checked.
        unsafe {
            khiva_lib_sizes(sizes.as_mut_ptr());
            let mut t = Thinking {
                rules: memory(sizes[0]),
                world: memory(sizes[1]),
                view: memory(sizes[3]),
                knowledge: memory(sizes[4]),
                habits: memory(khiva_lib_habits_size()),
                chance: memory(arena_lib_stream_size()),
                seat: number(&decide.view()["seat"]) as usize,
                began: Instant::now(),
                most: number(&decide.message["turn_ms"]) as f64 / TURN_SHARE
                    + number(&decide.message["bank_ms"]) as f64 / BANK_SHARE,
                playouts: 0,
            };
            let (rules, view) = (bytes(&matched.hello["rules"])?, bytes(decide.view())?);
            let is_sound = khiva_lib_read_rules(rules.as_ptr(), rules.len(), t.rules.as_mut_ptr()) == 0
                && khiva_lib_read_view(view.as_ptr(), view.len(), t.rules.as_ptr(), t.view.as_mut_ptr()) == 0
                && khiva_lib_think(t.knowledge.as_mut_ptr(), t.rules.as_ptr(), t.view.as_ptr()) == 0;
            arena_lib_quick(t.chance.as_mut_ptr(), matched.seed.wrapping_add(number(&decide.view()["turn"])));
            is_sound.then_some(t)
        }
    }

    /// Returns how long it has been thought about.
    fn milliseconds(&self) -> f64 {
        self.began.elapsed().as_secs_f64() * 1e3
    }

    /// Returns what part of the thinking is done, 1 or more at its end and where there is no time at all.
    fn done(&self) -> f64 {
        if PLAYOUTS > 0 {
            return self.playouts as f64 / PLAYOUTS as f64;
        }
        let spent = self.milliseconds();
        if spent < self.most { spent / self.most } else { 1.0 }
    }

    /// Draws a position that the view allows; false if there is none in which the seat has so many choices.
    fn draw(&mut self, count: usize) -> bool {
        let (mut kinds, mut choices) = ([0; 8], [0; 8]);
        // Safe: as above; there are 5 seats at most.
        unsafe {
            let (rules, view, knowledge) = (self.rules.as_ptr(), self.view.as_ptr(), self.knowledge.as_mut_ptr());
            if khiva_lib_world(self.world.as_mut_ptr(), null_mut(), rules, view, knowledge, self.chance.as_mut_ptr()) != 0 {
                return false;
            }
            khiva_lib_questions(rules, self.world.as_ptr(), kinds.as_mut_ptr(), choices.as_mut_ptr());
        }
        choices[self.seat] as usize == count
    }

    /// Tries candidates in one position, and returns how far ahead each leads; of the first ones alone if the time is up before.
    fn try_all(&mut self, candidates: &[Candidate]) -> Vec<f64> {
        let mut leads = Vec::new();
        for candidate in candidates {
            if !leads.is_empty() && leads.len() % LOOK == 0 && self.done() >= 1.0 {
                break;
            }
            let (rules, world, seat) = (self.rules.as_ptr(), self.world.as_ptr(), self.seat as i32);
            let (habits, chance) = (self.habits.as_mut_ptr(), self.chance.as_mut_ptr());
            // Safe: as above; a choice that the seat does not have changes nothing.
            leads.push(unsafe { khiva_lib_try(rules, world, habits, seat, candidate.choice as i32, TURNS, chance) });
            self.playouts += 1;
        }
        leads
    }

    /// Returns the best choice of so many; 0 for one alone, and where the view fits no position or has another number of choices.
    fn search(&mut self, count: usize) -> usize {
        if count < 2 {
            return 0;
        }
        let mut candidates: Vec<Candidate> = (0..count).map(|choice| Candidate { choice, sum: 0.0 }).collect();
        let halvings = f64::from(usize::BITS - (count - 1).leading_zeros());
        let (mut halved, mut worlds) = (0, 0);
        while candidates.len() > 1 {
            if !self.draw(count) {
                return 0;
            }
            let leads = self.try_all(&candidates);
            // Else the time is up amid a position, which counts for some and not for others.
            if leads.len() == candidates.len() || worlds == 0 {
                candidates.truncate(leads.len());
                candidates.iter_mut().zip(&leads).for_each(|(candidate, lead)| candidate.sum += lead);
                worlds += 1;
            }
            while candidates.len() > 1 && self.done() * halvings >= f64::from(halved + 1) {
                candidates.sort_by(|a, b| b.sum.total_cmp(&a.sum).then(a.choice.cmp(&b.choice)));
                candidates.truncate((candidates.len() + 1) / 2);
                halved += 1;
            }
        }
        candidates[0].choice
    }
}

fn main() {
    play("thinker-rust", "1", |decide, matched| {
        let mut thinking = match Thinking::new(decide, matched) {
            Some(thinking) => thinking,
            None => return 0,
        };
        let choice = thinking.search(decide.legal().len());
        note!("{} playouts in {:.1} ms", thinking.playouts, thinking.milliseconds());
        choice
    });
}
