// Every number of METER.md, price list 2: the prices of sections 3 and 4, the heights of 6, the bounds of 8, the limits of 11.
// Another list is another copy of this file.

export const NUMBER = 2;
export const PAGE_BYTES = 65_536;

// --- section 3: prices of instructions, by class ---

export const PRICES = {
  free: 0,
  plain: 1,
  float: 4,
  divide: 8,
  store: 4,
  call: 8,
  jump: 10,
  indirect: 40,
  bulk: 200,
  grow: 2_000,
};
// Pairs: the memory has at most so many pages, then a load costs so many ticks.
export const LOADS = [[16, 4], [64, 10], [256, 30], [4_096, 50]];
// Pairs: the code section has at most so many bytes, then *cold* is so many ticks.
export const COLD = [[2 ** 18, 0], [2 ** 20, 10], [3 * 2 ** 20, 14], [2 ** 23, 30], [2 ** 25, 50]];
export const COLD_TIMES = { call: 3, indirect: 3, jump: 1 }; // by class, beside its price
export const NEAR = 32; // bytes from a loop to the end of a branch back that is not cold
export const BULK_SHIFT = 3; // a tick for each 8 bytes
export const GROWN_PAGE = 10_000;
export const IMPORTED_CALL = 20_000; // beside the price of `call`

// Rows of instructions without a rule of their own: first and last opcode, kind of what follows them, operands, results, class.
// Kinds: "" nothing, "number" LEB128, "address" two of them, "f32" four bytes, "f64" eight bytes.
export const ROWS = [
  [0x01, 0x01, "", 0, 0, "free"], // nop
  [0x1a, 0x1a, "", 1, 0, "plain"], // drop
  [0x1b, 0x1b, "", 3, 1, "plain"], // select
  [0x20, 0x20, "number", 0, 1, "plain"], // local.get
  [0x21, 0x21, "number", 1, 0, "plain"], // local.set
  [0x22, 0x22, "number", 1, 1, "plain"], // local.tee
  [0x23, 0x23, "number", 0, 1, "plain"], // global.get
  [0x24, 0x24, "number", 1, 0, "plain"], // global.set
  [0x28, 0x35, "address", 1, 1, "load"],
  [0x36, 0x3e, "address", 2, 0, "store"],
  [0x3f, 0x3f, "number", 0, 1, "plain"], // memory.size
  [0x41, 0x42, "number", 0, 1, "plain"], // i32.const, i64.const
  [0x43, 0x43, "f32", 0, 1, "plain"],
  [0x44, 0x44, "f64", 0, 1, "plain"],
  [0x45, 0x45, "", 1, 1, "plain"], // i32.eqz
  [0x46, 0x4f, "", 2, 1, "plain"], // comparisons of i32
  [0x50, 0x50, "", 1, 1, "plain"], // i64.eqz
  [0x51, 0x5a, "", 2, 1, "plain"], // comparisons of i64
  [0x5b, 0x66, "", 2, 1, "float"], // comparisons of floats
  [0x67, 0x69, "", 1, 1, "plain"], // i32.clz, ctz, popcnt
  [0x6a, 0x6c, "", 2, 1, "plain"],
  [0x6d, 0x70, "", 2, 1, "divide"],
  [0x71, 0x78, "", 2, 1, "plain"],
  [0x79, 0x7b, "", 1, 1, "plain"], // i64.clz, ctz, popcnt
  [0x7c, 0x7e, "", 2, 1, "plain"],
  [0x7f, 0x82, "", 2, 1, "divide"],
  [0x83, 0x8a, "", 2, 1, "plain"],
  [0x8b, 0x90, "", 1, 1, "float"], // f32.abs to f32.nearest
  [0x91, 0x91, "", 1, 1, "divide"], // f32.sqrt
  [0x92, 0x94, "", 2, 1, "float"],
  [0x95, 0x95, "", 2, 1, "divide"], // f32.div
  [0x96, 0x98, "", 2, 1, "float"],
  [0x99, 0x9e, "", 1, 1, "float"], // f64.abs to f64.nearest
  [0x9f, 0x9f, "", 1, 1, "divide"], // f64.sqrt
  [0xa0, 0xa2, "", 2, 1, "float"],
  [0xa3, 0xa3, "", 2, 1, "divide"], // f64.div
  [0xa4, 0xa6, "", 2, 1, "float"],
  [0xa7, 0xa7, "", 1, 1, "plain"], // i32.wrap_i64
  [0xa8, 0xab, "", 1, 1, "float"],
  [0xac, 0xad, "", 1, 1, "plain"], // i64.extend_i32
  [0xae, 0xbb, "", 1, 1, "float"],
  [0xbc, 0xbf, "", 1, 1, "plain"], // reinterpretations
  [0xc0, 0xc4, "", 1, 1, "plain"], // sign extensions
];

// --- section 4: what the runner takes ---

export const PAIR = 100;
export const BYTE = 1;
export const SUBSCRIPTION = 1_000;
export const RANDOM_BYTE = 4;
export const TICKS_A_NANOSECOND = 10n;
export const MOST_PAIRS = 1_024; // and subscriptions

// --- section 6: the height of the stack ---

export const FRAME_HEIGHT = 128;
export const SLOT_HEIGHT = 16;
export const HEIGHT_LIMIT = 1_000_000;

// --- section 8: bounds ---

export const BOUNDS = {
  moduleBytes: 32 * 2 ** 20,
  sections: 1_000,
  types: 10_000,
  params: 128,
  results: 16,
  imports: 100,
  functions: 20_000,
  tableEntries: 100_000,
  elementEntries: 100_000,
  globals: 1_000,
  exports: 10_000,
  segments: 50_000,
  heavy: 10_000,
  jumpEntriesOfAll: 500_000,
  pages: 4_096,
  effortOfAll: 50_000_000,
  bodyBytes: 2 ** 20,
  locals: 5_000,
  groups: 5_000,
  operands: 5_000,
  nesting: 5_000,
  jumpEntries: 10_000,
  effort: 1_000_000,
};
export const HEAVY_BYTES = 64; // bytes of the code section for one more
export const HEAVY_CLASSES = ["indirect", "grow", "bulk", "float", "divide"];
export const EFFORT_BASE = 100; // a block that pays weighs so much more than the function's locals

// --- section 11: what the runner keeps ---

export const LARGEST_FRAME = 65_536;
export const KEPT_OUTPUT = 20 * (4 + LARGEST_FRAME);
export const KEPT_NOTES = 65_536; // bytes of stderr in one run
