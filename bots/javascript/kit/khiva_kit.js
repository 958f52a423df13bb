// Wire protocol 1 for bots in node, and in ticks in the arena's interpreter: one file and no package. A bot is one call:
//
//   const { play } = require("./khiva_kit.js");
//   play("my-bot", (decide, match) => 0, "1"); // an index into decide.legal
//
// `match` is the arbiter's hello: game, rules, seat, seats, seed, time. `decide` is one request: kind, view, events, legal,
// turn_ms, bank_ms. console.log and process.stdout go to stderr, so that they cannot break the conversation.
"use strict";

const fs = typeof khiva === "undefined" ? require("fs") : null;
const wire = fs ? { readFrame, writeFrame, decode, encode } : khiva; // in ticks the interpreter's own, which has no files
const FRAME_MOST_FROM_ARBITER = 1048576;

// Play one match: shake hands, answer every decide, return when the input ends.
function play(name, choose, version = "") {
  if (fs) Object.defineProperty(process, "stdout", { get: () => process.stderr }); // console.log looks it up at its first use
  let match = {};
  for (let message = wire.readFrame(); message !== null; message = wire.readFrame()) {
    if (message.type === "hello") {
      match = message;
      if (!match.protos.includes(1)) return note(`the arbiter speaks protocols ${match.protos}, this kit speaks 1`);
      wire.writeFrame({ type: "hello", proto: 1, name, ...(version && { version }) });
    } else if (message.type === "decide") {
      const { req } = message; // before the bot can change it
      const choice = choose(message, match);
      const shown = typeof choice === "object" ? JSON.stringify(choice) : String(choice); // a list with its brackets
      if (!Number.isSafeInteger(choice)) throw new TypeError(`choose returned ${shown}, want an index into legal`);
      wire.writeFrame({ type: "act", req, choice });
    } else if (message.type === "fault") {
      note(`fault: ${message.code}: ${message.detail} (strikes: ${message.strikes})`);
    }
    // After "end" comes the end of input. Anything else is from a later arbiter and is not meant for us.
  }
}

// Say something to the people who run the bot, on stderr.
function note(...words) {
  console.error(...words);
}

// A function below(n) that gives numbers from 0 to n - 1, each equally likely; equal seeds repeat them (splitmix64).
function lottery(seed) {
  let state = BigInt(seed);
  const cut = (x) => BigInt.asUintN(64, x);
  return (n) => {
    const many = BigInt(n);
    const limit = 2n ** 64n - (2n ** 64n % many); // numbers from here on would favour the small ones
    for (;;) {
      state = cut(state + 0x9e3779b97f4a7c15n);
      let z = cut((state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n);
      z = cut((z ^ (z >> 27n)) * 0x94d049bb133111ebn);
      z ^= z >> 31n;
      if (z < limit) return Number(z % many);
    }
  };
}

// --- frames ---

// Exactly `size` bytes, or null at the end of input.
function readAll(size) {
  const bytes = Buffer.allocUnsafe(size);
  for (let at = 0; at < size; ) {
    const got = fs.readSync(0, bytes, at, size - at, null);
    if (got === 0) return null;
    at += got;
  }
  return bytes;
}

function readFrame() {
  const header = readAll(4);
  if (header === null) return null;
  const size = header.readUInt32BE(0);
  if (size === 0 || size > FRAME_MOST_FROM_ARBITER) throw new RangeError(`a frame of ${size} bytes`);
  const payload = readAll(size);
  return payload === null ? null : decode(payload);
}

function writeFrame(message) {
  const payload = encode(message);
  const frame = Buffer.alloc(4 + payload.length);
  frame.writeUInt32BE(payload.length, 0);
  payload.copy(frame, 4);
  for (let at = 0; at < frame.length; ) at += fs.writeSync(1, frame, at);
}

// --- msgpack, the part that the protocol uses ---

function decode(bytes) {
  let at = 0;
  const take = (size) => {
    if (at + size > bytes.length) throw new RangeError("a message that ends inside a value");
    at += size;
    return at - size;
  };
  const text = (size) => bytes.toString("utf8", take(size), at);
  const array = (size) => {
    const items = [];
    for (let i = 0; i < size; i++) items.push(value());
    return items;
  };
  const map = (size) => {
    const pairs = {};
    for (let i = 0; i < size; i++) {
      const key = value();
      if (key !== "__proto__") pairs[key] = value();
      else Object.defineProperty(pairs, key, { value: value(), enumerable: true, writable: true, configurable: true });
    }
    return pairs;
  };
  const value = () => {
    const tag = bytes[take(1)];
    if (tag <= 0x7f) return tag;
    if (tag <= 0x8f) return map(tag - 0x80);
    if (tag <= 0x9f) return array(tag - 0x90);
    if (tag <= 0xbf) return text(tag - 0xa0);
    if (tag >= 0xe0) return tag - 0x100;
    switch (tag) {
      case 0xc0: return null;
      case 0xc2: return false;
      case 0xc3: return true;
      case 0xcc: return bytes[take(1)];
      case 0xcd: return bytes.readUInt16BE(take(2));
      case 0xce: return bytes.readUInt32BE(take(4));
      case 0xcf: return Number(bytes.readBigUInt64BE(take(8))); // exact: the protocol stays within 2**53 - 1
      case 0xd0: return bytes.readInt8(take(1));
      case 0xd1: return bytes.readInt16BE(take(2));
      case 0xd2: return bytes.readInt32BE(take(4));
      case 0xd3: return Number(bytes.readBigInt64BE(take(8)));
      case 0xd9: return text(bytes[take(1)]);
      case 0xda: return text(bytes.readUInt16BE(take(2)));
      case 0xdb: return text(bytes.readUInt32BE(take(4)));
      case 0xdc: return array(bytes.readUInt16BE(take(2)));
      case 0xdd: return array(bytes.readUInt32BE(take(4)));
      case 0xde: return map(bytes.readUInt16BE(take(2)));
      case 0xdf: return map(bytes.readUInt32BE(take(4)));
      default: throw new TypeError(`a value of type 0x${tag.toString(16)}, which the protocol does not have`);
    }
  };
  const whole = value();
  if (at !== bytes.length) throw new RangeError("bytes behind the message");
  return whole;
}

// A flat map of strings and whole numbers is all that a bot has to say.
function encode(message) {
  const pairs = Object.entries(message);
  const parts = [Buffer.from([0x80 + pairs.length])];
  for (const item of pairs.flat()) {
    const text = typeof item === "string" ? Buffer.from(item, "utf8") : null;
    const head = Buffer.alloc(text ? 3 : 9, text ? 0xda : 0xd3); // str16, int64
    if (text) head.writeUInt16BE(text.length, 1);
    else head.writeBigInt64BE(BigInt(item), 1);
    parts.push(head, text || Buffer.alloc(0));
  }
  return Buffer.concat(parts);
}

module.exports = { play, note, lottery, decode: wire.decode, encode: wire.encode };
