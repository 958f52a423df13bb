// Wire protocol 1 for bots in node, one file and no package. A bot is one call:
//
//   const { play } = require("./khiva_kit.js");
//   play("my-bot", (decide, match) => 0); // an index into decide.legal
//
// `match` is the arbiter's hello: game, rules, seat, seats, seed, time. `decide` is one request: kind, view, events, legal,
// turn_ms, bank_ms. console.log goes to stderr, so it can never break the conversation.
"use strict";

const fs = require("fs");

const FRAME_MOST_FROM_ARBITER = 1048576;

// --- msgpack, the part that the protocol uses ---

function decode(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;

  const take = (size, read) => {
    const from = at;
    at += size;
    return read.call(view, from); // a DataView throws a RangeError beyond its end
  };
  const text = (size) => {
    if (at + size > bytes.length) throw new RangeError("a string beyond the end of the frame");
    at += size;
    return bytes.toString("utf8", at - size, at);
  };
  const array = (size) => {
    const items = [];
    for (let i = 0; i < size; i++) items.push(value());
    return items;
  };
  const map = (size) => {
    const pairs = {};
    for (let i = 0; i < size; i++) {
      const key = value();
      // Not plain assignment: a key "__proto__" would be taken for something else.
      Object.defineProperty(pairs, key, { value: value(), enumerable: true, writable: true, configurable: true });
    }
    return pairs;
  };
  const { getUint8, getUint16, getUint32, getInt8, getInt16, getInt32, getBigUint64, getBigInt64 } = DataView.prototype;

  function value() {
    const tag = take(1, getUint8);
    if (tag <= 0x7f) return tag;
    if (tag <= 0x8f) return map(tag - 0x80);
    if (tag <= 0x9f) return array(tag - 0x90);
    if (tag <= 0xbf) return text(tag - 0xa0);
    if (tag >= 0xe0) return tag - 0x100;
    switch (tag) {
      case 0xc0: return null;
      case 0xc2: return false;
      case 0xc3: return true;
      case 0xcc: return take(1, getUint8);
      case 0xcd: return take(2, getUint16);
      case 0xce: return take(4, getUint32);
      case 0xcf: return Number(take(8, getBigUint64)); // exact: the protocol has no integer beyond 2**53 - 1
      case 0xd0: return take(1, getInt8);
      case 0xd1: return take(2, getInt16);
      case 0xd2: return take(4, getInt32);
      case 0xd3: return Number(take(8, getBigInt64));
      case 0xd9: return text(take(1, getUint8));
      case 0xda: return text(take(2, getUint16));
      case 0xdb: return text(take(4, getUint32));
      case 0xdc: return array(take(2, getUint16));
      case 0xdd: return array(take(4, getUint32));
      case 0xde: return map(take(2, getUint16));
      case 0xdf: return map(take(4, getUint32));
      default: throw new TypeError(`a value of type 0x${tag.toString(16)}, which the protocol does not have`);
    }
  }

  const whole = value();
  if (at !== bytes.length) throw new RangeError("bytes behind the message");
  return whole;
}

// A flat map of strings and integers is all that a bot has to say.
function encode(message) {
  const pairs = Object.entries(message);
  const parts = [Buffer.from([0x80 + pairs.length])];
  const put = (item) => {
    if (typeof item === "string") {
      const bytes = Buffer.from(item, "utf8");
      parts.push(Buffer.from([0xda, bytes.length >> 8, bytes.length & 255]), bytes); // str16
    } else if (Number.isSafeInteger(item)) {
      const bytes = Buffer.alloc(9, 0xd3); // int64
      bytes.writeBigInt64BE(BigInt(item), 1);
      parts.push(bytes);
    } else {
      throw new TypeError(`${item} is neither a string nor a whole number`);
    }
  };
  for (const [key, item] of pairs) {
    put(key);
    put(item);
  }
  return Buffer.concat(parts);
}

// --- frames ---

// Exactly `size` bytes, or null at the end of input.
function readAll(size) {
  const bytes = Buffer.alloc(size);
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

// --- chance ---

// A function below(n) that gives numbers from 0 to n - 1, each equally likely; equal seeds repeat them (splitmix64).
function lottery(seed) {
  let state = BigInt(seed);
  const cut = (x) => BigInt.asUintN(64, x);
  return (n) => {
    const many = BigInt(n);
    const limit = 2n ** 64n - (2n ** 64n % many);
    for (;;) {
      state = cut(state + 0x9e3779b97f4a7c15n);
      let z = cut((state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n);
      z = cut((z ^ (z >> 27n)) * 0x94d049bb133111ebn);
      z ^= z >> 31n;
      if (z < limit) return Number(z % many);
    }
  };
}

// --- the conversation ---

// Play one match: shake hands, answer every decide, return when the input ends.
function play(name, choose) {
  console.log = console.info = console.debug = console.error;
  let match = {};
  for (let message = readFrame(); message !== null; message = readFrame()) {
    if (message.type === "hello") {
      match = message;
      writeFrame({ type: "hello", proto: 1, name });
    } else if (message.type === "decide") {
      writeFrame({ type: "act", req: message.req, choice: choose(message, match) });
    } else if (message.type === "fault") {
      console.error(`fault: ${message.code}: ${message.detail} (strikes: ${message.strikes})`);
    }
    // After "end" comes the end of input. Anything else is from a later arbiter and is not meant for us.
  }
}

module.exports = { play, lottery, decode, encode };
