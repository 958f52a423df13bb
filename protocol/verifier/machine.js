// Modules and payloads by their hashes, and runs of them from their starts: what a check of a bundle needs of a meter and a runner.
import { rewritten } from "./meter.js";
import { LiveSeat, MemoryRefused, play, playApart } from "./runner.js";
import { Refused, firstPages } from "./sections.js";

// What a page takes on, beside the bounds of METER.md, which hold for machines that can do without a module. The interpreter of
// Python has 10.8 million bytes and 1.1 million merges.
const MOST = {
  fileBytes: 2 ** 27, // of all modules and payloads of a bundle
  moduleBytes: 2 ** 24, // which take 3 seconds and 150 MB to rewrite
  compiledBytes: 2 ** 26, // of rewritten modules that are kept
  // Values that a VM sees to where ways through a function part or meet. A million takes V8 30 ms and 13 MB to compile, once the
  // function runs; METER.md lets a module of 3 million bytes have 2,400 million of them.
  merges: 2_000_000,
  mergesOfAll: 20_000_000,
};

class TooMuch extends Error {}

export class Machine {
  constructor() {
    this.files = new Map();
    this.fileBytes = 0;
    this.compiled = new Map(); // each {module, size}, or {error} if it cannot be had
  }

  // Keep the bytes of a module or a payload by their SHA-256, in hex, as long as there is room. Whoever calls has compared it.
  take(digest, bytes) {
    if (this.files.has(digest) || this.fileBytes + bytes.length > MOST.fileBytes) return;
    this.fileBytes += bytes.length;
    this.files.set(digest, bytes);
  }

  // Forget the bytes of a payload.
  drop(digest) {
    this.fileBytes -= this.files.get(digest)?.length ?? 0;
    this.files.delete(digest);
  }

  fileOf(digest) {
    const file = this.files.get(digest);
    if (!file) throw new TooMuch(`more than ${MOST.fileBytes} bytes of modules and payloads`);
    return file;
  }

  // Run a module, whose memory may have so many pages, from its start over orders, each [word, ticks, bytes]. Return {results, why,
  // notes}. results: one for each order to ask, [word, ticks, bytes]; why: what this machine lacks for it, "" if nothing; notes:
  // what the module has written on stderr.
  // An error here is none of the module's: what a module can do wrong is a result. It may be a stack that is full too early, or
  // memory that is not available.
  run(...words) {
    const { results, seat } = this.seatOf(...words);
    try {
      const notes = play(...seat());
      return { results, why: "", notes };
    } catch (error) {
      return lacking(error);
    }
  }

  // Do so on a stack of its own, and promise the same but the notes.
  async runApart(...words) {
    const { results, seat } = this.seatOf(...words);
    try {
      await playApart(...seat());
      return { results, why: "" };
    } catch (error) {
      return lacking(error);
    }
  }

  // Return a seat of a module that is asked one question after another; `LiveSeat` says which VM it needs. What this
  // machine lacks for it is thrown, by `ask` as well, in the words that `run` has.
  live(module, payload, pages, key) {
    try {
      const seat = new LiveSeat(this.moduleOf(module, pages), key, payload ? this.fileOf(payload) : null);
      const ask = (ticks, bytes) => seat.ask({ order: "ask", ticks, bytes }).then(({ word, used, answer }) => [word, used, answer], lacks);
      return { say: (bytes) => seat.say(bytes), ask, notes: () => seat.notes(), end: () => seat.end() };
    } catch (error) {
      return lacks(error);
    }
  }

  // Return a list that is filled with results, and a function that gives the words of `play`.
  seatOf(module, payload, pages, key, orders) {
    const results = [];
    const left = orders[Symbol.iterator]();
    const next = (result) => {
      if (result) results.push([result.word, result.used, result.answer]);
      const { value } = left.next();
      return value ? { order: value[0], ticks: value[1], bytes: value[2] } : null;
    };
    return { results, seat: () => [this.moduleOf(module, pages), key, next, payload ? this.fileOf(payload) : null] };
  }

  moduleOf(digest, pages) {
    const name = `${pages} ${digest}`;
    const kept = this.compiled.get(name) ?? this.compile(digest, pages);
    this.compiled.delete(name); // the one that was used last is the last one to go
    this.compiled.set(name, kept);
    let bytes = 0;
    for (const { size = 0 } of this.compiled.values()) bytes += size;
    for (const [other, { size = 0 }] of this.compiled) {
      if (bytes <= MOST.compiledBytes || other === name) break;
      this.compiled.delete(other);
      bytes -= size;
    }
    if (kept.error) throw kept.error;
    return kept.module;
  }

  compile(digest, pages) {
    try {
      const bytes = this.fileOf(digest);
      within(bytes.length, MOST.moduleBytes, "bytes of a module");
      const own = rewritten(bytes, pages, mergesWatched());
      return { module: firstPages(own) > pages ? null : new WebAssembly.Module(own), size: own.length };
    } catch (error) {
      if (error instanceof RangeError) throw error; // memory that is not available now may be later
      return { error };
    }
  }
}

// Return a function that takes the walks through the functions of a module, and throws when that becomes too much to compile.
function mergesWatched() {
  let all = 0;
  return ({ blocks, targets, locals, most }) => {
    const merges = blocks.length * most + targets * (most + locals);
    within(merges, MOST.merges, "merges in a function");
    within(all += merges, MOST.mergesOfAll, "merges");
  };
}

function within(value, most, what) {
  if (value > most) throw new TooMuch(`${value} ${what}, at the most ${most}`);
}

function lacking(error) {
  return { results: [], why: `${reasonOf(error)} ${error?.message}`, notes: new Uint8Array(0) };
}

function lacks(error) {
  throw new Error(lacking(error).why);
}

function reasonOf(error) {
  if (error instanceof TooMuch) return "more than this page takes on:";
  if (error instanceof Refused) return "this page's meter refuses the module:";
  if (error instanceof MemoryRefused) return "this machine has too little memory:";
  return `the browser's own VM said ${error?.name}:`;
}
