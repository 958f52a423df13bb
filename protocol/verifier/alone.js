// Run a rewritten module by itself, as METER.md, section 10, says: sched_yield answers 0, proc_exit ends it, other calls answer 52.
import { createHash } from "node:crypto";
import { HEIGHT_LIMIT } from "./prices.js";

class Exit extends Error {}

// Return the ticks that a compiled module has used of its limit, how it ended, and the beginning of its memory's hash.
export function ran(module, limit) {
  const { exports } = new WebAssembly.Instance(module, { wasi_snapshot_preview1: callsOf(module) });
  exports["khiva:ticks"].value = BigInt(limit);
  const end = endOf(exports);
  const left = Number(exports["khiva:ticks"].value);
  const memory = ["time", "stack"].includes(end) ? "" : sha256(new Uint8Array(exports.memory.buffer)).slice(0, 16);
  return { used: limit - Math.max(0, left), end, memory };
}

export function sha256(bytes) {
  return createHash("sha256").update(bytes).digest("hex");
}

// Section 15: return the identity of a bot of a module, in hex. payload: bytes, or null for a bot that has none.
export function identityOf(module, payload) {
  if (!payload) return sha256(module);
  const hashes = [module, payload].map((bytes) => Buffer.from(sha256(bytes), "hex"));
  return sha256(Buffer.concat([Buffer.from("khiva-payload-1\0"), ...hashes]));
}

function callsOf(module) {
  const calls = {};
  for (const { name } of WebAssembly.Module.imports(module)) calls[name] = () => 52;
  calls.sched_yield = () => 0;
  calls.proc_exit = () => { throw new Exit(); };
  return calls;
}

// Section 5: what a trap means. What is no trap, such as a VM's stack that is full too early, is told in the VM's words.
function endOf(exports) {
  try {
    exports._start();
    return "";
  } catch (error) {
    if (error instanceof Exit) return "exit";
    if (!(error instanceof WebAssembly.RuntimeError)) return String(error);
    if (exports["khiva:pages"].value < 0) return "host";
    if (exports["khiva:ticks"].value < 0n) return "time";
    return exports["khiva:height"].value > HEIGHT_LIMIT ? "stack" : "own";
  }
}
