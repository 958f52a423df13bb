// Run all vectors of protocol/vectors on Node's VM with this meter and this runner: node --stack-size=1800 vectors.js
// It prints how many agree and, of each row that differs, its name and what came instead. The exit code is 1 if one differs.
// With --stop the first row that differs is the last one that is tried.
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { identityOf, ran, sha256 } from "./alone.js";
import { Refused, rewritten } from "./meter.js";
import { PAGE_BYTES } from "./prices.js";
import { play } from "./runner.js";
import { firstPages } from "./sections.js";

const STOPS = process.argv.includes("--stop");
const SHOWN = 256; // bytes; more are told by their length and hash: section 12

const read = (name) => JSON.parse(readFileSync(new URL(`../vectors/${name}`, import.meta.url), "utf8"));
const TICKS = read("ticks.json");
const bytesOf = (hex) => new Uint8Array(Buffer.from(hex, "hex"));
const hexOf = (bytes) => Buffer.from(bytes).toString("hex");

// --- section 10: modules ---

// Return the bytes of a module, in hex or as pieces, each with how often it stands there.
function moduleOf({ module }) {
  if (typeof module === "string") return bytesOf(module);
  return new Uint8Array(Buffer.concat(module.map(([piece, times]) => Buffer.from(piece.repeat(times), "hex"))));
}

function moduleRow(row) {
  const wanted = row.refused ? { refused: true } : { used: row.used, end: row.end, memory: row.memory };
  return [row.name, wanted, moduleRan(row)];
}

function moduleRan(row) {
  try {
    const taken = rewritten(moduleOf(row));
    return row.refused ? { refused: false } : ran(new WebAssembly.Module(taken), row.limit);
  } catch (error) {
    if (error instanceof Refused) return { refused: true };
    throw error;
  }
}

// --- section 12: runner ---

function runnerRow(row) {
  const asked = row.orders.filter(({ order }) => order !== "say");
  const results = asked.map(({ word, used, answer }) => ({ word, used, answer }));
  const wanted = { results, stderr: row.stderr, identity: row.identity };
  return [row.name, wanted, played(row)];
}

// Section 14: a seat of a match is a row of a runner whose module is named.
function seatRow(row) {
  return runnerRow({ ...row, module: TICKS.modules[row.module] });
}

function played({ module, key, most_bytes: mostBytes, orders, payload: hex, identity }) {
  const pages = Math.floor(mostBytes / PAGE_BYTES);
  const own = rewritten(bytesOf(module), pages);
  const compiled = firstPages(own) > pages ? null : new WebAssembly.Module(own);
  const results = [];
  const payload = hex === undefined ? null : bytesOf(hex);
  const left = orders[Symbol.iterator]();
  const notes = play(compiled, bytesOf(key), (result) => {
    if (result) results.push({ ...result, answer: short(result.answer) });
    const { value } = left.next();
    return value ? { ...value, bytes: bytesOf(value.bytes) } : null;
  }, payload);
  return { results, stderr: short(notes), identity: identity && identityOf(bytesOf(module), payload) };
}

function short(bytes) {
  return bytes.length <= SHOWN ? hexOf(bytes) : { length: bytes.length, sha256: sha256(bytes) };
}

// --- both ---

// Compare rows with what comes, and return how many differ.
function compare(file, rows, run) {
  let wrong = 0;
  for (const row of rows) {
    const [name, wanted, got] = run(row);
    if (isDeepStrictEqual(wanted, got)) continue;
    console.log(`${file}: ${name}\n  wanted ${JSON.stringify(wanted)}\n  got    ${JSON.stringify(got)}`);
    if (STOPS) process.exit(1);
    wrong++;
  }
  console.log(`${rows.length - wrong} of ${rows.length} rows of ${file}`);
  return wrong;
}

const wrong = compare("modules.json", read("modules.json").modules, moduleRow)
  + compare("runner.json", read("runner.json").rows, runnerRow)
  + compare("ticks.json", TICKS.seats, seatRow)
  + compare("bounds.json", read("bounds.json").modules, moduleRow);
process.exitCode = wrong ? 1 : 0;
