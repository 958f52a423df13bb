// A meter of modules, written from protocol/METER.md: it rewrites a module so that it pays ticks for what it runs.
// It runs in Node and in browsers, whose own WebAssembly says whether a module is valid.
import { Writer } from "./bytes.js";
import { F32, F64, Pieces } from "./pieces.js";
import { BOUNDS, FRAME_HEIGHT, HEAVY_BYTES, SLOT_HEIGHT } from "./prices.js";
import { readModule, within } from "./sections.js";
import { Walk } from "./walk.js";

export { Refused } from "./sections.js";

const HEADER = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
const [I32, I64] = [0x7f, 0x7e];
const [BLOCK, END, EMPTY] = [0x02, 0x0b, 0x40];
const TICKS_GLOBAL = [I64, 1, 0x42, 0, END];
const HEIGHT_GLOBAL = [I32, 1, 0x41, 0, END];
const PAGES_GLOBAL = (pages) => new Writer().all([I32, 1, 0x41]).signed(pages).byte(END).done();
const GLOBAL_EXPORT = 3;

// Return the bytes of the rewritten module, or throw Refused.
// mostPages: the pages that an event allows; what growth pays is by the module's own maximum.
// watch: is handed the walk through each function, and may throw.
export function rewritten(bytes, mostPages = BOUNDS.pages, watch = () => {}) {
  const module = readModule(bytes);
  const types = [...module.types]; // those of blocks around functions of several results come behind the module's own
  const bodies = rewrittenBodies(module, types, watch);
  const out = new Writer(2 * bytes.length).all(HEADER);
  const section = (number, content) => out.byte(number).sized(content);
  section(1, vector(types, writeType));
  if (module.raw[2]) section(2, module.raw[2]);
  if (module.raw[3]) section(3, module.raw[3]);
  if (module.raw[4]) section(4, module.raw[4]);
  const pages = Math.max(module.memory.least, Math.min(module.memory.most, mostPages));
  section(5, memorySection(module.memory.least, pages));
  section(6, globalSection(module.globals, pages));
  section(7, vector(exportsOf(module), writeExport));
  if (module.raw[9]) section(9, module.raw[9]);
  if (module.raw[12]) section(12, module.raw[12]);
  section(10, vector(bodies, (writer, body) => writer.sized(body)));
  if (module.raw[11]) section(11, module.raw[11]);
  return out.done().slice();
}

function vector(items, write) {
  const writer = new Writer();
  writer.number(items.length);
  for (const item of items) write(writer, item);
  return writer.done();
}

function writeType(writer, { params, results }) {
  writer.byte(0x60).sized(params).sized(results);
}

function writeExport(writer, { name, kind, index }) {
  writer.name(name).byte(kind).number(index);
}

function memorySection(least, most) {
  return new Writer().byte(1).byte(1).number(least).number(most).done();
}

// Section 5: the pages are set here, to what the runner would set them to at the start.
function globalSection(globals, pages) {
  const own = globals.map(({ type, mutable, value }) => [type, mutable, ...value]);
  return vector([...own, TICKS_GLOBAL, HEIGHT_GLOBAL, PAGES_GLOBAL(pages)], (writer, global) => writer.all(global));
}

// Section 5: the ticks, the height and the pages are exported.
function exportsOf({ exports, globals }) {
  return [
    ...exports,
    { name: "khiva:ticks", kind: GLOBAL_EXPORT, index: globals.length },
    { name: "khiva:height", kind: GLOBAL_EXPORT, index: globals.length + 1 },
    { name: "khiva:pages", kind: GLOBAL_EXPORT, index: globals.length + 2 },
  ];
}

function rewrittenBodies(module, types, watch) {
  const pieces = new Pieces(module.globals.length);
  const mostHeavy = BOUNDS.heavy + Math.floor(module.raw[10].length / HEAVY_BYTES);
  let [targets, effort, heavy] = [0, 0, 0];
  return module.bodies.map((body, at) => {
    const type = module.types[module.functions[at]];
    const walk = new Walk(module, pieces, type, body);
    walk.run();
    watch(walk);
    targets = within(targets + walk.targets, BOUNDS.jumpEntriesOfAll, "entries of all br_tables");
    effort = within(effort + walk.effort, BOUNDS.effortOfAll, "blocks that pay times 100 more than the locals, in all");
    heavy = within(heavy + walk.heavy, mostHeavy, "heavy instructions");
    return rewrittenBody(walk, pieces, blockType(type.results, types));
  });
}

// Return a body: its height is added, the code stands in a block that each return leaves, and the height is taken off.
function rewrittenBody(walk, pieces, type) {
  const height = FRAME_HEIGHT + SLOT_HEIGHT * (walk.locals + walk.most);
  const code = new Writer(2 * walk.code.length + 256);
  writeLocals(code, walk.groups);
  pieces.enter(code, height);
  code.byte(BLOCK).all(type);
  writePaying(code, walk, pieces);
  code.byte(END);
  pieces.leave(code, height);
  return code.byte(END).done();
}

// Write the locals of a function, and those that the added code uses.
function writeLocals(code, groups) {
  const all = [...groups, [1, I32], [1, F32], [1, F64]];
  code.number(all.length);
  for (const [count, type] of all) code.number(count).byte(type);
}

// Section 2: each block pays before its first instruction.
function writePaying(code, { blocks, code: own }, pieces) {
  const bytes = own.done();
  blocks.forEach(({ at, price, more }, number) => {
    code.all(pieces.block(price && price + more));
    code.all(bytes.subarray(at, blocks[number + 1]?.at));
  });
}

// Return the type of a block that leaves these results, as its bytes; a type that is missing is added.
function blockType(results, types) {
  if (results.length < 2) return [results[0] ?? EMPTY];
  const alike = ({ params, results: other }) => !params.length && String(other) === String(results);
  let index = types.findIndex(alike);
  if (index < 0) index = types.push({ params: [], results }) - 1;
  return new Writer().signed(index).done();
}
