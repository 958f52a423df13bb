// Run modules on Node, calls answered as METER.md, section 10, says: a JSON object a line in, one a line out. A line has `wasm`, what
// a meter has made, or `module`, for the meter of protocol/verifier to rewrite. Without ticks it is asked whether it takes the module.
import { readFileSync } from "node:fs";
import { ran } from "../../protocol/verifier/alone.js";
import { Refused, rewritten } from "../../protocol/verifier/meter.js";

const bytesOf = (hex) => new Uint8Array(Buffer.from(hex, "hex"));

function isTaken(module) {
  try {
    return WebAssembly.validate(rewritten(bytesOf(module)));
  } catch (error) {
    if (error instanceof Refused) return false;
    throw error;
  }
}

function answer({ wasm, module, ticks }) {
  if (ticks === undefined) return isTaken(module);
  const bytes = module === undefined ? bytesOf(wasm) : rewritten(bytesOf(module));
  return ran(new WebAssembly.Module(bytes), ticks);
}

for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) console.log(JSON.stringify(answer(JSON.parse(line))));
