// A runner of rewritten modules, written from protocol/METER.md, sections 4, 5, 11, 12 and 15. It runs in Node and in browsers.
import { blake2b } from "./blake2b.js";
import {
  BYTE, HEIGHT_LIMIT, KEPT_NOTES, KEPT_OUTPUT, LARGEST_FRAME, MOST_PAIRS, PAIR, RANDOM_BYTE, SUBSCRIPTION, TICKS_A_NANOSECOND,
} from "./prices.js";

const [OK, BADF, FAULT, INVAL, NOTSUP, SPIPE] = [0, 8, 21, 28, 58, 70];
const [STDIN, STDOUT, PAYLOAD] = [0, 1, 3];
const [READABLE, FILE] = [[STDIN, PAYLOAD], 4];
const [PAIR_BYTES, SUBSCRIPTION_BYTES, EVENT_BYTES, STATE_BYTES] = [8, 48, 32, 24];
const [WAIT_RIGHT, READ_RIGHT, WRITE_RIGHT] = [1n << 27n, 1n << 1n, 1n << 6n];
const [IS_TIME, LAST_KIND, LAST_CLOCK, IS_ABSOLUTE] = [0, 2, 3, 1];
const ARGUMENT = new TextEncoder().encode("bot\0");
const NOTHING = new Uint8Array(0);
const MOST_PIECES = 1_024; // of the notes of a seat that waits

// Each of these ends a call or the module, by being thrown through its frames.
class Refusal extends Error {
  constructor(number) {
    super(`error ${number}`);
    this.number = number;
  }
}
class TimeUp extends Error {}
class Exit extends Error {
  constructor(code) {
    super(`exit ${code}`);
    this.code = code;
  }
}
class NoMoreOrders extends Error {}

// The machine refused memory that the event allows the module. The module did not notice, and has no part in it.
export class MemoryRefused extends Error {}

// Run a seat until there are no more orders, and return what its module wrote on stderr.
// module: compiled from what the meter has made; null for one that begins with more memory than it may have, which is refused, as
// one is whose data or elements do not fit. key: 8 bytes.
// next: gives an order, {order, ticks, bytes}, or null at the end; it is handed the result of the last one, or null.
// A result is {word, used, answer}, as section 12 has it.
// payload: the bytes of section 15, or null for a bot that has none.
export function play(module, key, next, payload = null) {
  const seat = seated(module, key, next, payload);
  if (!seat) return refuseAll(next);
  try {
    seat.takeOrders();
    seat.run();
    seat.takeOrders();
  } catch (error) {
    if (!(error instanceof NoMoreOrders)) throw error;
  }
  return joined(seat.notes);
}

// Run a seat as `play` does, on a stack of its own, which a VM with WebAssembly.promising has; return nothing, later. Where the
// stack of a page's worker is full before the height of section 6, this one is not.
export async function playApart(module, key, next, payload = null) {
  const seat = seated(module, key, next, payload);
  if (!seat) return refuseAll(next);
  try {
    seat.takeOrders();
    await seat.runApart();
    seat.takeOrders();
  } catch (error) {
    if (!(error instanceof NoMoreOrders)) throw error;
  }
}

// A seat whose orders come one after another. Between two of them its module waits on a stack of its own, which a VM with
// WebAssembly.Suspending has. That stack and its memory are freed only once the seat is ended.
export class LiveSeat {
  constructor(module, key, payload = null) {
    this.orders = []; // that were not taken
    this.take = null; // what hands an order to a module that waits for one
    this.asked = null; // what tells the result of the last order
    this.failure = null; // of the VM, after which nothing is known
    this.seat = seated(module, key, (result) => this.next(result), payload, WaitingSeat);
    if (this.seat) this.live();
  }

  async live() {
    try {
      await this.seat.takeOrdersLater();
      await this.seat.runApart();
      await this.seat.takeOrdersLater();
    } catch (error) {
      if (error instanceof NoMoreOrders) return;
      this.failure = error;
      this.asked?.reject(error);
    }
  }

  next(result) {
    if (result) this.asked.resolve(result);
    return this.orders.length ? this.orders.shift() : new Promise((take) => { this.take = take; });
  }

  say(bytes) {
    this.give({ order: "say", bytes });
  }

  // Give an order that wants a result, as `play` takes it, and promise that. The one before has its result.
  ask(order) {
    if (!this.seat) return Promise.resolve({ word: "refused", used: 0, answer: NOTHING });
    if (this.failure) return Promise.reject(this.failure);
    return new Promise((resolve, reject) => {
      this.asked = { resolve, reject };
      this.give(order);
    });
  }

  give(order) {
    const { take } = this;
    this.take = null;
    if (take) take(order);
    else this.orders.push(order);
  }

  // Return what the module has written on stderr since this was called last, at the most the end of it.
  notes() {
    return this.seat ? this.seat.takeNotes() : NOTHING;
  }

  end() {
    this.give(null);
  }
}

// Section 5: return a seat; null if its module may not begin, or its data or its elements lie outside of what they are put into.
function seated(module, key, next, payload, Kind = Seat) {
  try {
    return module && new Kind(module, key, next, payload);
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError) return null;
    throw error;
  }
}

// Section 5: answer the orders to a module that may not begin.
function refuseAll(next) {
  for (let order = next(null); order; ) order = next(order.order === "say" ? null : { word: "refused", used: 0, answer: NOTHING });
  return NOTHING;
}

function joined(pieces) {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

class Seat {
  constructor(module, key, next, payload) {
    this.key = key;
    this.next = next;
    this.payload = payload; // what was not read of it
    this.result = null; // of the last order, until the next one is taken
    this.input = []; // frames, or the rest of one, that were not read
    this.inputEnded = false;
    this.output = NOTHING;
    this.notes = [];
    this.notesLeft = KEPT_NOTES;
    this.open = new Set(payload ? [0, 1, 2, PAYLOAD] : [0, 1, 2]);
    this.draws = 0n;
    this.random = NOTHING;
    this.limit = 0n; // ticks of this run
    this.spent = 0n; // ticks of all earlier runs
    this.end = null; // the word and bytes of a module that has ended
    this.exports = new WebAssembly.Instance(module, { wasi_snapshot_preview1: this.calls() }).exports;
  }

  // --- section 5: ticks ---

  get left() {
    return this.exports["khiva:ticks"].value;
  }

  set left(ticks) {
    this.exports["khiva:ticks"].value = ticks;
  }

  // Take ticks before a call works. What is taken may be more than an i64 holds.
  pay(ticks) {
    const left = this.left - BigInt(ticks);
    this.left = left < 0n ? -1n : left;
    if (left < 0n) throw new TimeUp();
  }

  // Return the ticks of this run so far, at most its limit.
  used() {
    const left = this.left;
    return this.limit - (left < 0n ? 0n : left);
  }

  // --- section 12: orders and results ---

  // Take orders until one makes the module run, or throw NoMoreOrders.
  takeOrders() {
    for (;;) {
      const order = this.next(this.result);
      this.result = null;
      if (!order) throw new NoMoreOrders();
      if (this.begins(order)) return;
    }
  }

  // Take an order. Return whether the module is to run; if not, an order that wants a result has it.
  begins({ order, ticks = 0, bytes = NOTHING }) {
    if (bytes.length) this.input.push(bytes);
    if (order === "say") return false;
    this.isLast = order === "end";
    this.inputEnded ||= this.isLast;
    if (this.isLast || !this.wholeLength()) return this.starts(BigInt(ticks));
    this.tell(0n);
    return false;
  }

  starts(ticks) {
    if (this.end || !ticks) {
      this.tell(0n);
      return false;
    }
    this.limit = this.left = ticks;
    this.notesLeft = KEPT_NOTES;
    return true;
  }

  tell(used) {
    const [word, answer] = this.isLast ? ["answered", NOTHING] : this.answer();
    this.result = { word, used: Number(used), answer };
  }

  answer() {
    const length = this.wholeLength();
    if (!length) return this.end ?? ["timeout", NOTHING];
    const frame = this.output.slice(0, length);
    this.output = this.output.slice(length);
    return ["answered", frame];
  }

  // Tell what a run has come to.
  standStill() {
    const used = this.used();
    this.spent += used;
    this.limit = this.left = 0n;
    this.tell(used);
  }

  run() {
    try {
      this.exports._start();
    } catch (error) {
      return this.ends(this.wayOut(error));
    }
    return this.ends(["exited", new Uint8Array(4)]);
  }

  runApart() {
    const ways = [() => ["exited", new Uint8Array(4)], (error) => this.wayOut(error)];
    return WebAssembly.promising(this.exports._start)().then(...ways).then((end) => this.ends(end));
  }

  ends(end) {
    this.end = end;
    this.standStill();
  }

  // Section 5: why a module has ended. Other errors, such as a VM's stack that is full too early, are no end of a module.
  wayOut(error) {
    if (error instanceof Exit) return ["exited", bigEndian(error.code)];
    if (!(error instanceof TimeUp) && !(error instanceof WebAssembly.RuntimeError)) throw error;
    if (this.exports["khiva:pages"].value < 0) throw new MemoryRefused("memory that the event allows the bot is not available");
    if (this.left < 0n) return ["timeout", NOTHING];
    return [this.exports["khiva:height"].value > HEIGHT_LIMIT ? "stack" : "trapped", NOTHING];
  }

  // Section 11: return the length of the whole frame that lies there, or of all bytes if they can be no frame, else 0.
  wholeLength() {
    const { output } = this;
    if (output.length && output[0] !== 0) return output.length;
    if (output.length < 4) return 0;
    const size = new DataView(output.buffer, output.byteOffset).getUint32(0);
    if (size === 0 || size > LARGEST_FRAME) return output.length;
    return output.length >= 4 + size ? 4 + size : 0;
  }

  // --- section 11: memory and checks ---

  // Return a view of a place in memory, which a growth makes useless.
  place(pointer, length) {
    const { buffer } = this.exports.memory;
    if (pointer + length > buffer.byteLength) throw new Refusal(FAULT);
    return new DataView(buffer, pointer, length);
  }

  mustBeOpen(descriptor) {
    if (!this.open.has(descriptor)) throw new Refusal(BADF);
  }

  // Return the functions that a module imports. Each gives an error number.
  calls() {
    const calls = {};
    for (const [name, call] of Object.entries(CALLS)) {
      calls[name] = (...words) => {
        try {
          call.apply(this, words.map(unsigned));
          return OK;
        } catch (error) {
          if (error instanceof Refusal) return error.number;
          throw error;
        }
      };
    }
    return calls;
  }

  now() {
    return (this.spent + this.used()) / TICKS_A_NANOSECOND;
  }

  // --- section 11: reading and writing ---

  // Check a list of pairs, and return the parts of memory that are not empty.
  parts(descriptor, pairs, count, result) {
    if (count > MOST_PAIRS) throw new Refusal(INVAL);
    this.pay(PAIR * count);
    this.mustBeOpen(descriptor);
    this.place(result, 4);
    const list = this.place(pairs, PAIR_BYTES * count);
    const parts = [];
    for (let at = 0; at < PAIR_BYTES * count; at += PAIR_BYTES) {
      const [pointer, length] = [list.getUint32(at, true), list.getUint32(at + 4, true)];
      if (length) parts.push(bytesOf(this.place(pointer, length)));
    }
    return parts;
  }

  // Return the bytes of one frame that a read gives, and pay for them.
  read(room) {
    if (!room || (this.inputEnded && !this.input.length)) return NOTHING;
    if (!this.input.length) this.pay(this.left + 1n);
    const frame = this.input[0];
    const data = frame.subarray(0, room);
    this.pay(BYTE * data.length);
    if (data.length === frame.length) this.input.shift();
    else this.input[0] = frame.subarray(data.length);
    return data;
  }

  // Return the bytes of the payload that a read gives, and pay for them.
  readPayload(room) {
    const data = this.payload.subarray(0, room);
    this.pay(BYTE * data.length);
    this.payload = this.payload.subarray(data.length);
    return data;
  }

  writeOutput(data) {
    this.output = joined([this.output, data.subarray(0, KEPT_OUTPUT - this.output.length)]);
    if (!this.wholeLength()) return;
    this.standStill();
    this.takeOrders();
  }

  writeNotes(data) {
    if (!this.notesLeft) return;
    const kept = data.slice(0, this.notesLeft);
    this.notes.push(kept);
    this.notesLeft -= kept.length;
  }

  // --- section 11: what is waited for ---

  // Read a subscription: the module's word for it, its kind, and a descriptor or the nanosecond when it is over.
  subscription(view) {
    const [word, kind, number] = [view.getBigUint64(0, true), view.getUint8(8), view.getUint32(16, true)];
    if (kind > LAST_KIND) throw new Refusal(INVAL);
    if (kind !== IS_TIME) return { word, kind, descriptor: number };
    if (number > LAST_CLOCK) throw new Refusal(INVAL);
    const time = view.getBigUint64(24, true);
    const absolute = view.getUint16(40, true) & IS_ABSOLUTE;
    return { word, kind, until: absolute ? time : this.now() + time };
  }

  // Return the subscriptions that are over, each with its error number.
  over(all) {
    const closed = all.filter(({ kind, descriptor }) => kind !== IS_TIME && !this.open.has(descriptor));
    if (closed.length) return closed.map((one) => ({ ...one, error: BADF }));
    if (all.every(({ kind }) => kind === IS_TIME)) this.wait(all.map(({ until }) => until));
    const now = this.now();
    return all.filter(({ kind, until }) => kind !== IS_TIME || until <= now).map((one) => ({ ...one, error: OK }));
  }

  // Pay for the time up to the earliest end.
  wait(ends) {
    const first = ends.reduce((least, end) => (end < least ? end : least));
    const now = this.now();
    if (first > now) this.pay((first - now) * TICKS_A_NANOSECOND);
  }
}

// A seat whose module waits for orders that come later.
class WaitingSeat extends Seat {
  // A call must not wait within its checks: fd_write has done all else when it waits.
  takeOrders() {
    this.waits = true;
  }

  async takeOrdersLater() {
    this.waits = false;
    for (;;) {
      const { result } = this;
      this.result = null;
      const order = await this.next(result);
      if (!order) throw new NoMoreOrders();
      if (this.begins(order)) return;
    }
  }

  calls() {
    const calls = super.calls();
    const write = calls.fd_write;
    calls.fd_write = new WebAssembly.Suspending((...words) => {
      const number = write(...words);
      return this.waits ? this.takeOrdersLater().then(() => number) : number;
    });
    return calls;
  }

  writeNotes(data) {
    super.writeNotes(data);
    if (this.notes.length > MOST_PIECES) this.notes = [this.takeNotes()];
  }

  takeNotes() {
    const all = joined(this.notes).slice(-KEPT_NOTES);
    this.notes = [];
    return all;
  }
}

function unsigned(word) {
  return typeof word === "bigint" ? BigInt.asUintN(64, word) : word >>> 0;
}

function bigEndian(number) {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, number);
  return bytes;
}

function bytesOf(view) {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

// Write two numbers of 32 bits, once both places have been found.
function writeTwo(seat, first, second, one, other) {
  const places = [seat.place(first, 4), seat.place(second, 4)];
  places[0].setUint32(0, one, true);
  places[1].setUint32(0, other, true);
}

// Write the nanoseconds of a clock.
function writeTime(seat, clock, result, nanoseconds) {
  const place = seat.place(result, 8);
  if (clock > LAST_CLOCK) throw new Refusal(INVAL);
  place.setBigUint64(0, nanoseconds, true);
}

// The calls of section 1. `this` is the seat; words are not negative.
const CALLS = {
  fd_read(descriptor, pairs, count, result) {
    const parts = this.parts(descriptor, pairs, count, result);
    if (!READABLE.includes(descriptor)) throw new Refusal(BADF);
    const room = parts.reduce((sum, { length }) => sum + length, 0);
    const data = descriptor === PAYLOAD ? this.readPayload(room) : this.read(room);
    let at = 0;
    for (const part of parts) {
      part.set(data.subarray(at, at + part.length));
      at += Math.min(part.length, data.length - at);
    }
    this.place(result, 4).setUint32(0, data.length, true);
  },

  fd_write(descriptor, pairs, count, result) {
    const parts = this.parts(descriptor, pairs, count, result);
    if (READABLE.includes(descriptor)) throw new Refusal(BADF);
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    this.pay(BYTE * length);
    const data = kept(parts, KEPT_OUTPUT);
    if (descriptor === STDOUT) this.writeOutput(data);
    else this.writeNotes(data);
    this.place(result, 4).setUint32(0, length, true);
  },

  fd_close(descriptor) {
    this.mustBeOpen(descriptor);
    this.open.delete(descriptor);
  },

  fd_seek(descriptor) {
    this.mustBeOpen(descriptor);
    throw new Refusal(SPIPE);
  },

  fd_fdstat_get(descriptor, result) {
    this.mustBeOpen(descriptor);
    const place = this.place(result, STATE_BYTES);
    bytesOf(place).fill(0);
    place.setUint8(0, descriptor === PAYLOAD ? FILE : 0);
    place.setBigUint64(8, WAIT_RIGHT | (READABLE.includes(descriptor) ? READ_RIGHT : WRITE_RIGHT), true);
  },

  fd_fdstat_set_flags(descriptor, flags) {
    this.mustBeOpen(descriptor);
    if (flags) throw new Refusal(NOTSUP);
  },

  fd_prestat_get() {
    throw new Refusal(BADF);
  },

  fd_prestat_dir_name() {
    throw new Refusal(BADF);
  },

  args_sizes_get(count, size) {
    writeTwo(this, count, size, 1, ARGUMENT.length);
  },

  args_get(pointers, text) {
    const places = [this.place(pointers, 4), this.place(text, ARGUMENT.length)];
    places[0].setUint32(0, text, true);
    bytesOf(places[1]).set(ARGUMENT);
  },

  environ_sizes_get(count, size) {
    writeTwo(this, count, size, 0, 0);
  },

  environ_get() {},

  clock_res_get(clock, result) {
    writeTime(this, clock, result, 1n);
  },

  clock_time_get(clock, _precision, result) {
    writeTime(this, clock, result, this.now());
  },

  random_get(pointer, length) {
    this.pay(RANDOM_BYTE * length);
    const place = bytesOf(this.place(pointer, length));
    for (let at = 0; at < length; ) {
      if (!this.random.length) this.random = blake2b(this.key, counter(this.draws++));
      const piece = this.random.subarray(0, length - at);
      place.set(piece, at);
      this.random = this.random.subarray(piece.length);
      at += piece.length;
    }
  },

  poll_oneoff(subscriptions, events, count, result) {
    if (!count || count > MOST_PAIRS) throw new Refusal(INVAL);
    this.pay(SUBSCRIPTION * count);
    this.place(subscriptions, SUBSCRIPTION_BYTES * count);
    const answers = this.place(events, EVENT_BYTES * count);
    const number = this.place(result, 4);
    const at = (index) => this.place(subscriptions + SUBSCRIPTION_BYTES * index, SUBSCRIPTION_BYTES);
    const over = this.over(Array.from({ length: count }, (_, index) => this.subscription(at(index))));
    over.forEach((event, index) => writeEvent(answers, EVENT_BYTES * index, event));
    number.setUint32(0, over.length, true);
  },

  proc_exit(code) {
    throw new Exit(code);
  },

  sched_yield() {},
};

// Return what is kept of parts of memory, at most so many bytes.
function kept(parts, most) {
  const pieces = [];
  let room = most;
  for (const part of parts) {
    pieces.push(part.subarray(0, room));
    room -= Math.min(room, part.length);
  }
  return joined(pieces);
}

function counter(number) {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, number);
  return bytes;
}

function writeEvent(view, at, { word, kind, error }) {
  bytesOf(view).fill(0, at, at + EVENT_BYTES);
  view.setBigUint64(at, word, true);
  view.setUint16(at + 8, error, true);
  view.setUint8(at + 10, kind);
}
