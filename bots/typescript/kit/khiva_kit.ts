// Wire protocol 1 for bots in TypeScript on node, and in ticks in the arena's interpreter: one file, no package. A bot is one call:
//
//   import { play } from "./khiva_kit";
//   play("my-bot", (decide, match) => 0, "1"); // an index into decide.legal
//
// console.log and process.stdout go to stderr, so that they cannot break the conversation.

import { decode, encode, Fields, Plain } from "./msgpack";

// The arbiter's greeting, the same all match long.
export interface Match {
  type: "hello";
  protos: number[];
  game: string;
  rules: Fields;
  seat: number;
  seats: number;
  seed: number;
  time: { startup_ms: number; turn_ms: number; bank_ms: number };
}

// One request. A game's page says what its view, events and legal hold; write an interface of your own for what you use.
export interface Decide<View = any> {
  type: "decide";
  req: number;
  kind: string;
  turn_ms: number;
  bank_ms: number;
  view: View;
  events: Fields[];
  legal: Plain[][];
}

interface Fault { type: "fault"; code: string; detail: string; strikes: number }
interface End { type: "end" }
type Message = Match | Decide | Fault | End;

// What is used of node, so that its types need not be installed.
interface Files {
  readSync(descriptor: number, buffer: Uint8Array, offset: number, length: number, position: null): number;
  writeSync(descriptor: number, buffer: Uint8Array, offset: number): number;
}
declare const require: (name: string) => unknown;
declare const process: { stdout: unknown; stderr: unknown };
declare const khiva: { readFrame: typeof readFrame; writeFrame: typeof writeFrame } | undefined;
const files = (typeof khiva === "undefined" ? require("fs") : null) as Files;
const wire = typeof khiva === "undefined" ? { readFrame, writeFrame } : khiva; // in ticks the interpreter's own

const FRAME_MOST_FROM_ARBITER = 1048576;

// Play one match: shake hands, answer every decide, return when the input ends.
export function play<View = any>(name: string, choose: (decide: Decide<View>, match: Match) => number, version = ""): void {
  if (files) Object.defineProperty(process, "stdout", { get: () => process.stderr }); // console.log looks it up at its first use
  let match: Match | null = null;
  for (let message = wire.readFrame(); message !== null; message = wire.readFrame()) {
    if (message.type === "hello") {
      match = message;
      if (!match.protos.includes(1)) return note(`the arbiter speaks protocols ${match.protos}, this kit speaks 1`);
      wire.writeFrame(version ? { type: "hello", proto: 1, name, version } : { type: "hello", proto: 1, name });
    } else if (message.type === "decide") {
      const { req } = message; // before the bot can change it
      const choice = choose(message, match as Match);
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
export function note(...words: unknown[]): void {
  console.error(...words);
}

// A function below(n) that gives numbers from 0 to n - 1, each equally likely; equal seeds repeat them (splitmix64).
export function lottery(seed: number): (n: number) => number {
  let state = BigInt(seed);
  const cut = (x: bigint) => BigInt.asUintN(64, x);
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
function readAll(size: number): Uint8Array | null {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; ) {
    const got = files.readSync(0, bytes, at, size - at, null);
    if (got === 0) return null;
    at += got;
  }
  return bytes;
}

function readFrame(): Message | null {
  const header = readAll(4);
  if (header === null) return null;
  const size = new DataView(header.buffer).getUint32(0);
  if (size === 0 || size > FRAME_MOST_FROM_ARBITER) throw new RangeError(`a frame of ${size} bytes`);
  const payload = readAll(size);
  return payload === null ? null : (decode(payload) as unknown as Message);
}

function writeFrame(message: { [key: string]: string | number }): void {
  const payload = encode(message);
  const frame = new Uint8Array(4 + payload.length);
  new DataView(frame.buffer).setUint32(0, payload.length);
  frame.set(payload, 4);
  for (let at = 0; at < frame.length; ) at += files.writeSync(1, frame, at);
}
