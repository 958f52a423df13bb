// Modules and payloads by their hashes, and runs of them from their starts: what a check of a bundle needs of a meter and a runner.
import { rewritten } from "./meter.js";
import { PAGE_BYTES } from "./prices.js";
import { play, playApart } from "./runner.js";

const KEPT = 16; // compiled modules: those of one table, and some more

export class Machine {
  constructor() {
    this.files = new Map();
    this.compiled = new Map();
  }

  // Keep the bytes of a module or a payload by their SHA-256, in hex. Whoever calls has compared it.
  take(digest, bytes) {
    this.files.set(digest, bytes);
  }

  // Run a module from its start over orders, each [word, ticks, bytes]. Return {results, why}.
  // results: one for each order to ask, [word, ticks, bytes]; why: what this machine lacks for it, "" if nothing.
  // An error here is none of the module's: what a module can do wrong is a result. It may be a stack that is full too early, or
  // memory that is not to be had.
  run(...words) {
    const { results, seat } = this.seatOf(...words);
    try {
      play(...seat());
      return { results, why: "" };
    } catch (error) {
      return lacking(error);
    }
  }

  // Do so on a stack of its own, and promise the same.
  async runApart(...words) {
    const { results, seat } = this.seatOf(...words);
    try {
      await playApart(...seat());
      return { results, why: "" };
    } catch (error) {
      return lacking(error);
    }
  }

  // Return a list that is filled with results, and a function that gives the words of `play`.
  seatOf(module, payload, mostBytes, key, orders) {
    const results = [];
    const left = orders[Symbol.iterator]();
    const next = (result) => {
      if (result) results.push([result.word, result.used, result.answer]);
      const { value } = left.next();
      return value ? { order: value[0], ticks: value[1], bytes: value[2] } : null;
    };
    const pages = Math.floor(mostBytes / PAGE_BYTES);
    return { results, seat: () => [this.moduleOf(module, pages), key, next, payload ? this.files.get(payload) : null] };
  }

  moduleOf(digest, pages) {
    const name = `${pages} ${digest}`;
    const module = this.compiled.get(name) ?? new WebAssembly.Module(rewritten(this.files.get(digest), pages));
    this.compiled.delete(name); // the one that was used last is the last one to go
    this.compiled.set(name, module);
    if (this.compiled.size > KEPT) this.compiled.delete(this.compiled.keys().next().value);
    return module;
  }
}

function lacking(error) {
  return { results: [], why: `${error?.name}: ${error?.message}` };
}
