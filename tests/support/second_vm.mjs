// Run rewritten modules on Node's VM with a runner that was written from protocol/METER.md alone. Each line of stdin is the part of
// a seat in a match: {"wasm": path, "key": its number, "orders": [[word, ticks, hex]]}, as the arbiter gave them to its own runner.
// Each line of stdout is what this runner answers: [[word, ticks, hex]], and what the module wrote on stderr, in hex.
import { readFileSync } from "node:fs";

const [OK, BADF, FAULT, INVAL, NOTSUP, SPIPE] = [0, 8, 21, 28, 58, 70];
const [MOST, LARGEST, KEPT_FRAMES, NOTES] = [1024, 65536, 20, 65536];
const HEIGHT_LIMIT = 1000000;
const ARGUMENT = Buffer.from("bot\0");

class Refusal extends Error {
  constructor(number) { super(); this.number = number; }
}
class Exit extends Error {
  constructor(code) { super(); this.code = code; }
}
class TimeUp extends Error {}
class NoMoreOrders extends Error {}

// BLAKE2b with a key of 8 bytes, of 8 bytes, 64 bytes long: RFC 7693.
const MASK = (1n << 64n) - 1n;
const START = [
  0x6a09e667f3bcc908n, 0xbb67ae8584caa73bn, 0x3c6ef372fe94f82bn, 0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n, 0x9b05688c2b3e6c1fn, 0x1f83d9abfb41bd6bn, 0x5be0cd19137e2179n,
];
const ORDERS = [
  "0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194", "7931dcbe265a40f8", "9057fe2bc68d3a14",
  "2c6a0b834d75fe19", "c51fed4a0763928b", "db7ec13950f4862a", "6fe9b308c2d714a5", "a2847615fb9e3cd0",
].map((row) => [...row].map((digit) => parseInt(digit, 16)));
const QUARTERS = [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15], [0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]];
const turned = (word, by) => ((word >> by) | (word << (64n - by))) & MASK;

function compress(state, block, counted, last) {
  const words = Array.from({ length: 16 }, (_, at) => block.readBigUInt64LE(8 * at));
  const v = [...state, ...START];
  v[12] ^= BigInt(counted);
  if (last) v[14] ^= MASK;
  for (let round = 0; round < 12; round++) {
    QUARTERS.forEach(([a, b, c, d], at) => {
      const order = ORDERS[round % 10];
      v[a] = (v[a] + v[b] + words[order[2 * at]]) & MASK;
      v[d] = turned(v[d] ^ v[a], 32n);
      v[c] = (v[c] + v[d]) & MASK;
      v[b] = turned(v[b] ^ v[c], 24n);
      v[a] = (v[a] + v[b] + words[order[2 * at + 1]]) & MASK;
      v[d] = turned(v[d] ^ v[a], 16n);
      v[c] = (v[c] + v[d]) & MASK;
      v[b] = turned(v[b] ^ v[c], 63n);
    });
  }
  return state.map((word, at) => word ^ v[at] ^ v[at + 8]);
}

function drawn(key, number) {
  const [first, second] = [Buffer.alloc(128), Buffer.alloc(128)];
  first.writeBigUInt64BE(key);
  second.writeBigUInt64BE(number);
  let state = [...START];
  state[0] ^= 0x01010000n ^ (8n << 8n) ^ 64n;
  state = compress(state, first, 128, false);
  state = compress(state, second, 136, true);
  const out = Buffer.alloc(64);
  state.forEach((word, at) => out.writeBigUInt64LE(word, 8 * at));
  return out;
}

class Seat {
  constructor({ wasm, key, orders }) {
    this.orders = orders[Symbol.iterator]();
    this.key = BigInt(key);
    this.draws = 0n;
    this.random = Buffer.alloc(0);
    this.inbox = [];
    this.out = Buffer.alloc(0);
    this.notes = [];
    this.keptNotes = 0;
    this.isOver = false;
    this.isLast = false;
    this.granted = 0n;
    this.spent = 0n;
    this.open = new Set([0, 1, 2]);
    this.end = null;
    this.answers = [];
    const calls = {};
    for (const { name } of WebAssembly.Module.imports(wasm)) calls[name] = (...words) => this.call(name, words);
    this.exports = new WebAssembly.Instance(wasm, { wasi_snapshot_preview1: calls }).exports;
  }

  get ticks() { return this.exports["khiva:ticks"].value; }
  set ticks(left) { this.exports["khiva:ticks"].value = left; }

  // Take orders until the module is to run. Raises NoMoreOrders.
  go() {
    for (;;) {
      const { value, done } = this.orders.next();
      if (done) throw new NoMoreOrders();
      const [word, ticks, hex] = value;
      if (hex) this.inbox.push(Buffer.from(hex, "hex"));
      if (word === "say") continue;
      this.isLast = word === "end";
      this.isOver ||= this.isLast;
      const frame = this.isLast ? null : this.frame();
      if (frame) this.answers.push(["answered", 0, frame.toString("hex")]);
      else if (this.end || !ticks) this.tell(0n);
      else {
        this.granted = BigInt(ticks);
        this.keptNotes = 0;
        this.ticks = this.granted;
        return;
      }
    }
  }

  // Say what the module has done in its run.
  tell(spent) {
    const frame = this.isLast ? Buffer.alloc(0) : this.frame();
    const [word, hex] = frame ? ["answered", frame.toString("hex")] : this.end || ["timeout", ""];
    this.answers.push([word, Number(spent), hex]);
  }

  stopped() {
    const left = this.ticks;
    const spent = this.granted - (left < 0n ? 0n : left);
    this.spent += spent;
    this.granted = 0n;
    this.tell(spent);
  }

  frame() {
    const { out } = this;
    if (!out.length || (out.length < 4 && !out[0])) return null;
    let whole = out.length;
    if (!out[0]) {
      const size = out.readUInt32BE();
      if (size > 0 && size <= LARGEST) whole = 4 + size;
    }
    if (out.length < whole) return null;
    this.out = out.subarray(whole);
    return out.subarray(0, whole);
  }

  isWhole() {
    const { out } = this;
    if (!out.length || (out.length < 4 && !out[0])) return false;
    const size = out[0] ? 0 : out.readUInt32BE();
    return size === 0 || size > LARGEST || out.length >= 4 + size;
  }

  play() {
    try {
      this.go();
      try {
        this.exports._start();
        this.end = ["exited", "00000000"];
      } catch (error) {
        if (error instanceof NoMoreOrders) throw error;
        this.end = this.wayOut(error);
      }
      this.stopped();
      this.go();
    } catch (error) {
      if (!(error instanceof NoMoreOrders)) throw error;
    }
    return { answers: this.answers, notes: Buffer.concat(this.notes).toString("hex") };
  }

  wayOut(error) {
    if (error instanceof Exit) return ["exited", error.code.toString(16).padStart(8, "0")];
    if (!(error instanceof TimeUp) && !(error instanceof WebAssembly.RuntimeError)) throw error;
    if (this.ticks < 0n) return ["timeout", ""];
    return [this.exports["khiva:height"].value > HEIGHT_LIMIT ? "stack" : "trapped", ""];
  }

  // --- calls ---

  call(name, words) {
    try {
      this[name](...words.map((word) => (typeof word === "bigint" ? BigInt.asUintN(64, word) : word >>> 0)));
      return OK;
    } catch (error) {
      if (error instanceof Refusal) return error.number;
      throw error;
    }
  }

  pay(ticks) {
    const left = this.ticks - BigInt(ticks);
    this.ticks = left < 0n ? -1n : left; // what is taken may be more than an i64 holds
    if (left < 0n) throw new TimeUp();
  }

  now() {
    const left = this.ticks;
    return (this.spent + this.granted - (left < 0n ? 0n : left)) / 10n;
  }

  part(pointer, size) {
    const { buffer } = this.exports.memory;
    if (pointer + size > buffer.byteLength) throw new Refusal(FAULT);
    return Buffer.from(buffer, pointer, size);
  }

  must(fd) {
    if (!this.open.has(fd)) throw new Refusal(BADF);
  }

  parts(fd, pointer, count, result) {
    if (count > MOST) throw new Refusal(INVAL);
    this.pay(100 * count);
    this.must(fd);
    this.part(result, 4);
    const table = this.part(pointer, 8 * count);
    const pairs = Array.from({ length: count }, (_, at) => [table.readUInt32LE(8 * at), table.readUInt32LE(8 * at + 4)]);
    return pairs.filter(([, size]) => size).map(([at, size]) => this.part(at, size));
  }

  fd_read(fd, pointer, count, result) {
    const parts = this.parts(fd, pointer, count, result);
    if (fd !== 0) throw new Refusal(BADF);
    const room = parts.reduce((sum, part) => sum + part.length, 0);
    let data = Buffer.alloc(0);
    if (room && (this.inbox.length || !this.isOver)) {
      if (!this.inbox.length) this.pay(this.ticks + 1n);
      data = this.inbox[0].subarray(0, room);
      this.pay(data.length);
      this.inbox[0] = this.inbox[0].subarray(data.length);
      if (!this.inbox[0].length) this.inbox.shift();
    }
    let at = 0;
    for (const part of parts) at += data.copy(part, 0, at, at + part.length);
    this.part(result, 4).writeUInt32LE(data.length);
  }

  fd_write(fd, pointer, count, result) {
    const parts = this.parts(fd, pointer, count, result);
    if (fd === 0) throw new Refusal(BADF);
    const data = Buffer.concat(parts);
    this.pay(data.length);
    if (fd === 2) {
      const kept = data.subarray(0, NOTES - this.keptNotes);
      this.keptNotes += kept.length;
      this.notes.push(Buffer.from(kept));
    } else {
      const room = KEPT_FRAMES * (4 + LARGEST) - this.out.length;
      this.out = Buffer.concat([this.out, data.subarray(0, Math.max(0, room))]);
      if (this.isWhole()) {
        this.stopped();
        this.go();
      }
    }
    this.part(result, 4).writeUInt32LE(data.length);
  }

  fd_close(fd) {
    this.must(fd);
    this.open.delete(fd);
  }

  fd_seek(fd) {
    this.must(fd);
    throw new Refusal(SPIPE);
  }

  fd_fdstat_get(fd, result) {
    this.must(fd);
    const state = this.part(result, 24).fill(0);
    state.writeBigUInt64LE((1n << 27n) | (fd ? 1n << 6n : 1n << 1n), 8);
  }

  fd_fdstat_set_flags(fd, flags) {
    this.must(fd);
    if (flags) throw new Refusal(NOTSUP);
  }

  fd_prestat_get() { throw new Refusal(BADF); }
  fd_prestat_dir_name() { throw new Refusal(BADF); }

  sizes(count, size, number, length) {
    const [one, other] = [this.part(count, 4), this.part(size, 4)];
    one.writeUInt32LE(number);
    other.writeUInt32LE(length);
  }

  args_sizes_get(count, size) { this.sizes(count, size, 1, ARGUMENT.length); }
  environ_sizes_get(count, size) { this.sizes(count, size, 0, 0); }
  environ_get() {}

  args_get(pointers, text) {
    const [where, place] = [this.part(pointers, 4), this.part(text, ARGUMENT.length)];
    where.writeUInt32LE(text);
    ARGUMENT.copy(place);
  }

  clock_time_get(clock, _precision, result) {
    const place = this.part(result, 8);
    if (clock > 3) throw new Refusal(INVAL);
    place.writeBigUInt64LE(this.now());
  }

  clock_res_get(clock, result) {
    const place = this.part(result, 8);
    if (clock > 3) throw new Refusal(INVAL);
    place.writeBigUInt64LE(1n);
  }

  random_get(pointer, size) {
    this.pay(4 * size);
    const place = this.part(pointer, size);
    while (this.random.length < size) this.random = Buffer.concat([this.random, drawn(this.key, this.draws++)]);
    this.random.copy(place, 0, 0, size);
    this.random = this.random.subarray(size);
  }

  sched_yield() {}
  proc_exit(code) { throw new Exit(code); }

  poll_oneoff(subscriptions, events, count, result) {
    if (!count || count > MOST) throw new Refusal(INVAL);
    this.pay(1000 * count);
    const [asked, answers, number] = [this.part(subscriptions, 48 * count), this.part(events, 32 * count), this.part(result, 4)];
    const waits = Array.from({ length: count }, (_, at) => this.wait(asked.subarray(48 * at, 48 * at + 48)));
    const over = this.over(waits);
    over.forEach(({ word, error, kind }, at) => {
      const event = answers.subarray(32 * at, 32 * at + 32).fill(0);
      event.writeBigUInt64LE(word);
      event.writeUInt16LE(error, 8);
      event.writeUInt8(kind, 10);
    });
    number.writeUInt32LE(over.length);
  }

  wait(data) {
    const [word, kind] = [data.readBigUInt64LE(), data[8]];
    if (kind > 2) throw new Refusal(INVAL);
    if (kind) return { word, kind, error: this.open.has(data.readUInt32LE(16)) ? OK : BADF };
    if (data.readUInt32LE(16) > 3) throw new Refusal(INVAL);
    const [time, now] = [data.readBigUInt64LE(24), this.now()];
    const until = data.readUInt16LE(40) & 1 ? (time > now ? time : now) : now + time;
    return { word, kind, error: OK, until };
  }

  // A descriptor is always ready; a time is paid for.
  over(waits) {
    const wrong = waits.filter(({ error }) => error);
    if (wrong.length) return wrong;
    const times = waits.filter(({ kind }) => !kind).map(({ until }) => until);
    if (times.length === waits.length) {
      const first = times.reduce((least, until) => (until < least ? until : least));
      if (first > this.now()) this.pay((first - this.now()) * 10n);
    }
    const now = this.now();
    return waits.filter(({ kind, until }) => kind || until <= now);
  }
}

const compiled = new Map();
for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const part = JSON.parse(line);
  if (!compiled.has(part.wasm)) compiled.set(part.wasm, new WebAssembly.Module(readFileSync(part.wasm)));
  console.log(JSON.stringify(new Seat({ ...part, wasm: compiled.get(part.wasm) }).play()));
}
