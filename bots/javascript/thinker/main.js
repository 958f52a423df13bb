// A bot of Khiva that searches. It draws positions that its view allows and tries its choices in each of them: it plays on some
// turns to see what they were good for. khiva.h, in C, has the rules and those playouts; `build` in bot.toml makes them
// khiva.wasm, a WebAssembly module whose functions are called here. This file has the search and the time.
//
// All choices are tried in the same positions, so that none is luckier than another. From time to time the worse half of them is
// given up, until one is left. So most of the time goes to choices that are hard to tell apart. In the playouts everybody chooses
// by habit: a seat does again what served it well in playouts before (khiva_try).
"use strict";

const fs = require("fs");
const path = require("path");
const { performance } = require("perf_hooks");
const { play, note } = require("./khiva_kit.js");

// A decision takes a twentieth of the turn and a five-hundredth of what is left in the bank. So the answer comes in time
// even where the machine is twenty times too busy, and the bank never runs out.
const TURN_SHARE = 20;
const BANK_SHARE = 500;
// Set it to 3000, say, to think for so many playouts instead, and not to look at the clock: such a match can be replayed.
const PLAYOUTS = 0;
const TURNS = 4; // what a choice is good for shows within so many turns
const LOOK = 8; // playouts between two looks at the clock
const WARM_UP = 3000; // playouts at the start
const BYTES_MOST = 1048576; // of a view or a rules map

const rulesInC = new WebAssembly.Instance(new WebAssembly.Module(fs.readFileSync(path.join(__dirname, "khiva.wasm"))));
const c = rulesInC.exports;

// Memory of the module from its end on: where each structure lies. It never moves, since only this line makes memory grow.
const at = layOut();

function layOut() {
  let end = c.__heap_base.value;
  const take = (size) => {
    const start = (end + 7) & ~7;
    end = start + size;
    return start;
  };
  c.memory.grow(64); // pages of 64 KiB
  const numbers = take(8 * 4);
  c.khiva_lib_sizes(numbers);
  const [rules, state, , view, knowledge] = new Int32Array(c.memory.buffer, numbers, 7);
  return {
    numbers,
    choices: take(8 * 4),
    rules: take(rules),
    world: take(state),
    view: take(view),
    knowledge: take(knowledge),
    habits: take(c.khiva_lib_habits_size()),
    chance: take(c.arena_lib_stream_size()),
    bytes: take(BYTES_MOST),
  };
}

// Packs a value as msgpack: numbers have nine bytes, lengths five.
function pack(value, parts = []) {
  const head = (tag, size) => parts.push(Buffer.from([tag, size >>> 24, size >>> 16, size >>> 8, size]));
  if (value === null) parts.push(Buffer.from([0xc0]));
  else if (typeof value === "boolean") parts.push(Buffer.from([value ? 0xc3 : 0xc2]));
  else if (typeof value === "number") {
    const bytes = Buffer.alloc(9, 0xd3);
    bytes.writeBigInt64BE(BigInt.asIntN(64, BigInt(Math.trunc(value))), 1);
    parts.push(bytes);
  } else if (typeof value === "string") {
    head(0xdb, Buffer.byteLength(value));
    parts.push(Buffer.from(value));
  } else if (Array.isArray(value)) {
    head(0xdd, value.length);
    for (const item of value) pack(item, parts);
  } else {
    head(0xdf, Object.keys(value).length);
    for (const item of Object.entries(value).flat()) pack(item, parts);
  }
  return parts;
}

// Has C read a value; false if it makes no sense.
function read(value, reader, ...places) {
  const bytes = Buffer.concat(pack(value));
  if (bytes.length > BYTES_MOST) return false;
  new Uint8Array(c.memory.buffer).set(bytes, at.bytes);
  return reader(at.bytes, bytes.length, ...places) === 0;
}

// A decision that is being thought about.
class Thinking {
  constructor(decide) {
    this.began = performance.now();
    this.most = decide.turn_ms / TURN_SHARE + decide.bank_ms / BANK_SHARE;
    this.playouts = 0;
    this.seat = Object(decide.view).seat; // a seat, once C has read the view
  }

  milliseconds() {
    return performance.now() - this.began;
  }

  // Returns what part of the thinking is done, 1 or more at its end and where there is no time at all.
  done() {
    if (PLAYOUTS > 0) return this.playouts / PLAYOUTS;
    const spent = this.milliseconds();
    return spent < this.most ? spent / this.most : 1;
  }

  // Draws a position that the view allows; false if there is none in which the seat has so many choices.
  draw(count) {
    if (c.khiva_lib_world(at.world, 0, at.rules, at.view, at.knowledge, at.chance) !== 0) return false;
    c.khiva_lib_questions(at.rules, at.world, at.numbers, at.choices);
    return new Int32Array(c.memory.buffer, at.choices, 5)[this.seat] === count;
  }

  // Tries candidates in one position, and returns how far ahead each leads; of the first ones alone if the time is up before.
  tryAll(candidates) {
    const leads = [];
    for (const { choice } of candidates) {
      if (leads.length > 0 && leads.length % LOOK === 0 && this.done() >= 1) break;
      leads.push(c.khiva_lib_try(at.rules, at.world, at.habits, this.seat, choice, TURNS, at.chance));
      this.playouts++;
    }
    return leads;
  }

  // Returns the best choice of so many; 0 for one alone, and where the view fits no position or has another number of choices.
  search(count) {
    if (count < 2) return 0;
    let candidates = Array.from({ length: count }, (_, choice) => ({ choice, sum: 0 }));
    const halvings = Math.ceil(Math.log2(count));
    let [halved, worlds] = [0, 0];
    while (candidates.length > 1) {
      if (!this.draw(count)) return 0;
      const leads = this.tryAll(candidates);
      // Else the time is up amid a position, which counts for some and not for others.
      if (leads.length === candidates.length || worlds === 0) {
        candidates = candidates.slice(0, leads.length);
        leads.forEach((lead, i) => (candidates[i].sum += lead));
        worlds++;
      }
      for (; candidates.length > 1 && this.done() * halvings >= halved + 1; halved++) {
        candidates.sort((a, b) => b.sum - a.sum || a.choice - b.choice);
        candidates.length = (candidates.length + 1) >> 1;
      }
    }
    return candidates[0].choice;
  }
}

// Plays some turns by habit. Node makes quick code of what has run for a while: better at the start, which has its own limit.
function warmUp() {
  c.khiva_lib_default_rules(at.rules);
  if (c.khiva_lib_new(at.world, 0, at.rules, 2, at.bytes, 1) !== 0) throw new Error("khiva.wasm deals no cards");
  for (let i = 0; i < WARM_UP; i++) c.khiva_lib_try(at.rules, at.world, at.habits, 0, i % 20, TURNS, at.chance);
}

// Returns the answer to a request: an index into its legal entries.
function choose(decide, match) {
  const thinking = new Thinking(decide);
  new Uint8Array(c.memory.buffer).fill(0, at.habits, at.bytes);
  if (!read(match.rules, c.khiva_lib_read_rules, at.rules)) return 0;
  if (!read(decide.view, c.khiva_lib_read_view, at.rules, at.view)) return 0;
  if (c.khiva_lib_think(at.knowledge, at.rules, at.view) !== 0) return 0;
  c.arena_lib_quick(at.chance, BigInt(match.seed) + BigInt(decide.view.turn));
  const choice = thinking.search(decide.legal.length);
  note(`${thinking.playouts} playouts in ${thinking.milliseconds().toFixed(1)} ms`);
  return choice;
}

warmUp();
play("thinker-javascript", choose, "1");
