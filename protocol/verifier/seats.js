// Play seats of matches again with this meter and this runner: node --stack-size=1800 seats.js < LINES
// A line is {"wasm": path of a module before it is rewritten, "key": hex, "most_bytes": its memory, "orders": [[word, ticks, hex]]},
// and beside these "payload": hex, if it has one.
// A line of the output is {"answers": [[word, ticks, hex]], "notes": hex}, with what the module wrote on stderr.
import { readFileSync } from "node:fs";
import { rewritten } from "./meter.js";
import { PAGE_BYTES } from "./prices.js";
import { play } from "./runner.js";
import { firstPages } from "./sections.js";

const bytesOf = (hex) => new Uint8Array(Buffer.from(hex, "hex"));
const hexOf = (bytes) => Buffer.from(bytes).toString("hex");
const compiled = new Map();

// Return the module of a path, rewritten and compiled, once for each path and memory; null if it begins with more memory.
function moduleOf(path, pages) {
  const name = `${pages} ${path}`;
  if (!compiled.has(name)) {
    const own = rewritten(new Uint8Array(readFileSync(path)), pages);
    compiled.set(name, firstPages(own) > pages ? null : new WebAssembly.Module(own));
  }
  return compiled.get(name);
}

function played({ wasm, key, most_bytes: mostBytes, orders, payload }) {
  const answers = [];
  const left = orders[Symbol.iterator]();
  const notes = play(moduleOf(wasm, Math.floor(mostBytes / PAGE_BYTES)), bytesOf(key), (result) => {
    if (result) answers.push([result.word, result.used, hexOf(result.answer)]);
    const { value } = left.next();
    return value ? { order: value[0], ticks: value[1], bytes: bytesOf(value[2]) } : null;
  }, payload === undefined ? null : bytesOf(payload));
  return { answers, notes: hexOf(notes) };
}

for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) console.log(JSON.stringify(played(JSON.parse(line))));
