// Walks through the body of a function: which code can be reached, which blocks pay, and how many operands there are at once.
import { Reader, Writer } from "./bytes.js";
import { F32, F64 } from "./pieces.js";
import { BOUNDS, COLD, COLD_TIMES, EFFORT_BASE, HEAVY_CLASSES, IMPORTED_CALL, LOADS, NEAR, PRICES, ROWS } from "./prices.js";
import { refuse, typeOf, within } from "./sections.js";

const BR = 0x0c;
const EMPTY = 0x40;
const [FUNCTION, BLOCK, LOOP, IF] = ["function", "block", "loop", "if"];
// Section 7: the operations whose NaN is made canonical, by the type of their result.
const NAN_OPERATIONS = new Map([
  ...range(0x8d, 0x97).map((opcode) => [opcode, F32]), // f32.ceil to f32.max
  [0xb6, F32], // f32.demote_f64
  ...range(0x9b, 0xa5).map((opcode) => [opcode, F64]), // f64.ceil to f64.max
  [0xbb, F64], // f64.promote_f32
]);
const INSTRUCTIONS = [];
for (const [first, last, follows, pops, pushes, price] of ROWS) {
  for (const opcode of range(first, last)) INSTRUCTIONS[opcode] = { follows, pops, pushes, price };
}
const SKIP = {
  "": () => {},
  number: (reader) => reader.skipNumber(),
  address: (reader) => (reader.skipNumber(), reader.skipNumber()),
  f32: (reader) => reader.take(4),
  f64: (reader) => reader.take(8),
};

function range(first, last) {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

// Return the price of a load: section 3.
export function loadPrice(pages) {
  return LOADS.find(([most]) => pages <= most)[1];
}

// Return *cold*: section 3.
export function coldPrice(codeBytes) {
  return COLD.find(([most]) => codeBytes <= most)[1];
}

// The walk through one body. `run` makes it.
export class Walk {
  constructor(module, pieces, type, body) {
    this.module = module;
    this.pieces = pieces;
    this.load = loadPrice(module.memory.most);
    this.cold = coldPrice(module.raw[10].length);
    this.type = type;
    this.reader = new Reader(body);
    this.code = new Writer(2 * body.length);
    this.blocks = []; // where each block that pays begins in the code, and its price
    this.open = []; // the blocks of WebAssembly around the instruction
    this.dead = false; // whether the code cannot be reached
    this.operands = 0;
    this.most = 0;
    this.targets = 0; // entries of br_tables
    this.heavy = 0; // section 8
  }

  run() {
    this.readLocals();
    this.open.push({ kind: FUNCTION, floor: 0, params: 0, results: this.type.results.length, begin: 0, alive: true, named: false });
    this.beginBlock();
    while (this.open.length) this.instruction();
    within(this.most, BOUNDS.operands, "operands at once");
    within(this.effort, BOUNDS.effort, "blocks that pay times 100 more than the locals");
  }

  // Section 8: what it takes to compile the function.
  get effort() {
    return this.blocks.length * (EFFORT_BASE + this.locals);
  }

  readLocals() {
    const groups = within(this.reader.number(), BOUNDS.groups, "groups of locals");
    this.groups = [];
    this.locals = this.type.params.length;
    for (let at = 0; at < groups; at++) {
      const [count, type] = [this.reader.number(), this.reader.byte()];
      if (type < F64 || type > 0x7f) refuse(`locals of the type ${type}`);
      this.groups.push([count, type]);
      this.locals += count;
    }
    within(this.locals, BOUNDS.locals, "parameters and locals");
  }

  // Locals that the added code uses, behind those of the function.
  get scratchI32() { return this.locals; }
  scratchFloat(type) { return this.locals + (type === F32 ? 1 : 2); }

  instruction() {
    this.first = this.reader.pos;
    const opcode = this.reader.byte();
    const step = STEPS[opcode];
    if (step) step.call(this, opcode);
    else this.plain(opcode);
  }

  // --- section 2: blocks that pay ---

  // more: what the block pays beside its instructions, if these have a price.
  beginBlock(more = 0) {
    this.blocks.push({ at: this.code.length, price: 0, more });
  }

  // Return the price of a class of instructions.
  priceOf(name) {
    return name === "load" ? this.load : PRICES[name] + (COLD_TIMES[name] ?? 0) * this.cold;
  }

  // Count an instruction of a class if it is heavy.
  counts(name) {
    if (HEAVY_CLASSES.includes(name)) this.heavy++;
  }

  pay(price) {
    this.blocks[this.blocks.length - 1].price += price;
  }

  // Copy the instruction that was read.
  copy() {
    this.code.all(this.reader.bytes.subarray(this.first, this.reader.pos));
  }

  // Take operands and leave others.
  exchange(pops, pushes) {
    this.operands += pushes - pops;
    this.most = Math.max(this.most, this.operands);
  }

  // --- instructions without a rule of their own ---

  plain(opcode) {
    const row = INSTRUCTIONS[opcode];
    if (!row) refuse(`the instruction 0x${opcode.toString(16)}`);
    SKIP[row.follows](this.reader);
    this.counts(row.price);
    if (this.dead) return;
    this.pay(this.priceOf(row.price));
    this.exchange(row.pops, row.pushes);
    this.copy();
    const type = NAN_OPERATIONS.get(opcode);
    if (type) this.pieces.canonical(this.code, this.scratchFloat(type), type);
  }

  prefixed() {
    const number = this.reader.number();
    if (number < 8) this.saturating();
    else if (number in BULK) this.bulk(BULK[number]);
    else refuse(`the instruction 0xfc ${number}`);
  }

  saturating() {
    this.counts("float");
    if (this.dead) return;
    this.pay(PRICES.float);
    this.copy();
  }

  bulk({ follows, pops }) {
    for (let at = 0; at < follows; at++) this.reader.skipNumber();
    this.counts("bulk");
    if (this.dead) return;
    this.pay(PRICES.bulk);
    if (pops) this.pieces.bulk(this.code, this.scratchI32);
    this.exchange(pops, 0);
    this.copy();
  }

  grow() {
    this.reader.skipNumber();
    this.counts("grow");
    if (this.dead) return;
    this.pay(PRICES.grow);
    this.pieces.growth(this.code, this.scratchI32, this.module.memory.most);
    this.copy();
    this.pieces.refusedGrowth(this.code, this.scratchI32);
  }

  // --- blocks of WebAssembly ---

  // Read the type of a block: how many operands it takes and leaves.
  blockType() {
    const first = this.reader.byte();
    if (first === EMPTY) return [0, 0];
    if (first >= F64 && first <= 0x7f) return [0, 1];
    if (first > EMPTY && first < 0x80) refuse("a block of values that are no numbers");
    this.reader.pos--;
    const { params, results } = this.module.types[this.reader.number()];
    return [params.length, results.length];
  }

  opens(kind) {
    const [params, results] = this.blockType();
    if (!this.dead) this.copy();
    if (!this.dead && kind === IF) {
      this.pay(PRICES.plain);
      this.exchange(1, 0);
    }
    const begin = this.reader.pos;
    this.open.push({ kind, floor: this.operands - params, params, results, begin, alive: !this.dead, named: false });
    within(this.open.length, BOUNDS.nesting, "blocks within one another");
    if (!this.dead && kind !== BLOCK) this.beginBlock();
  }

  else() {
    const block = this.open[this.open.length - 1];
    if (!block.alive) return;
    this.dead = false;
    this.copy();
    this.holds(block.floor + block.params);
    this.beginBlock(this.cold);
  }

  end() {
    const block = this.open.pop();
    if (!block.alive) return;
    const wasDead = this.dead;
    this.dead = false;
    if (block.kind === FUNCTION) return;
    this.copy();
    this.holds(block.floor + block.results);
    if (wasDead || block.kind === IF || (block.kind === BLOCK && block.named)) this.beginBlock(this.cold);
  }

  // Section 6: so many operands there are at this place, whatever was before it.
  holds(operands) {
    this.operands = operands;
    this.most = Math.max(this.most, operands);
  }

  // --- branches ---

  // Read a label and return its block. A branch that cannot be reached names no block.
  label() {
    const block = this.open[this.open.length - 1 - this.reader.number()];
    if (!this.dead) block.named = true;
    return block;
  }

  // Return what a branch to a block pays beside its class: the values that it carries beyond the first, and *cold* far back.
  toLabel(block) {
    const far = block.kind === LOOP && this.reader.pos - block.begin > NEAR;
    return this.carries(block) + (far ? this.cold : 0);
  }

  // Return what the values pay that a branch to a block carries beyond the first. times: to so many labels.
  carries({ kind, params, results }, times = 1) {
    const more = Math.max(0, (kind === LOOP ? params : results) - 1);
    this.heavy += times * more;
    return more;
  }

  // The code behind the instruction cannot be reached.
  leaves(price) {
    if (this.dead) return;
    this.copy();
    this.pay(price);
    this.dead = true;
  }

  unreachable() {
    this.leaves(PRICES.plain);
  }

  br() {
    const more = this.toLabel(this.label());
    this.leaves(PRICES.plain + more);
  }

  brTable() {
    const entries = within(this.reader.number(), BOUNDS.jumpEntries, "entries of a br_table");
    this.targets += entries + 1;
    let last;
    for (let at = 0; at <= entries; at++) last = this.label();
    this.leaves(this.priceOf("jump") + this.carries(last, entries + 1));
  }

  brIf() {
    const more = this.toLabel(this.label());
    if (this.dead) return;
    this.copy();
    this.pay(PRICES.plain + more);
    this.exchange(1, 0);
    this.beginBlock();
  }

  // A return becomes a branch out of the block around the body, behind which the height is taken off.
  return() {
    const more = this.carries(this.open[0]);
    if (this.dead) return;
    this.pay(PRICES.plain + more);
    this.code.byte(BR).number(this.open.length - 1);
    this.dead = true;
  }

  // --- calls ---

  call() {
    const index = this.reader.number();
    const { params, results } = typeOf(this.module, index);
    this.heavy += Math.max(0, results.length - 1);
    if (this.dead) return;
    const imported = index < this.module.imports.length;
    this.copy();
    this.pay(this.priceOf("call") + (imported ? IMPORTED_CALL : 0));
    this.exchange(params.length, results.length);
    if (imported) this.beginBlock();
  }

  callIndirect() {
    const { params, results } = this.module.types[this.reader.number()];
    this.reader.skipNumber();
    this.counts("indirect");
    this.heavy += Math.max(0, results.length - 1);
    if (this.dead) return;
    this.copy();
    this.pay(this.priceOf("indirect"));
    this.exchange(params.length + 1, results.length);
  }
}

// Behind the prefix 0xfc: how many numbers follow, and how many operands are taken, the length last.
const BULK = {
  8: { follows: 2, pops: 3 }, // memory.init
  9: { follows: 1, pops: 0 }, // data.drop
  10: { follows: 2, pops: 3 }, // memory.copy
  11: { follows: 1, pops: 3 }, // memory.fill
};

const { prototype } = Walk;
const STEPS = {
  0x00: prototype.unreachable,
  0x02() { this.opens(BLOCK); },
  0x03() { this.opens(LOOP); },
  0x04() { this.opens(IF); },
  0x05: prototype.else,
  0x0b: prototype.end,
  0x0c: prototype.br,
  0x0d: prototype.brIf,
  0x0e: prototype.brTable,
  0x0f: prototype.return,
  0x10: prototype.call,
  0x11: prototype.callIndirect,
  0x40: prototype.grow,
  0xfc: prototype.prefixed,
};
