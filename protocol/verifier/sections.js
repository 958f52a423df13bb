// Reads the sections of a module and refuses what METER.md does not take: sections 1 and 8.
import { Reader } from "./bytes.js";
import { BOUNDS } from "./prices.js";

export class Refused extends Error {}

export function refuse(why) {
  throw new Refused(why);
}

export function within(value, most, what) {
  if (value > most) refuse(`${value} ${what}, at the most ${most}`);
  return value;
}

const I32 = 0x7f;
const I64 = 0x7e;
const [FUNCTION, , MEMORY] = [0, 1, 2];
const MEMORY_SECTION = 5;
const PLACE = "wasi_snapshot_preview1";
const IMPORTS = {
  args_get: [I32, I32],
  args_sizes_get: [I32, I32],
  environ_get: [I32, I32],
  environ_sizes_get: [I32, I32],
  clock_res_get: [I32, I32],
  clock_time_get: [I32, I64, I32],
  fd_read: [I32, I32, I32, I32],
  fd_write: [I32, I32, I32, I32],
  fd_close: [I32],
  fd_seek: [I32, I64, I32, I32],
  fd_fdstat_get: [I32, I32],
  fd_fdstat_set_flags: [I32, I32],
  fd_prestat_get: [I32, I32],
  fd_prestat_dir_name: [I32, I32, I32],
  poll_oneoff: [I32, I32, I32, I32],
  proc_exit: [I32],
  random_get: [I32, I32],
  sched_yield: [],
};

const SECTIONS = {
  1: readTypes,
  2: readImports,
  3: readFunctions,
  4: readTable,
  5: readMemory,
  6: readGlobals,
  7: readExports,
  9: readElements,
  10: readBodies,
  11: readData,
  12: readDataCount,
};

// Read a module that is valid by the specification, or throw Refused.
export function readModule(bytes) {
  within(bytes.length, BOUNDS.moduleBytes, "bytes");
  if (!WebAssembly.validate(bytes)) refuse("not valid, or of a later WebAssembly");
  const module = {
    types: [], imports: [], functions: [], table: null, memory: null, globals: [],
    exports: [], dataCount: null, bodies: [], raw: {},
  };
  const reader = new Reader(bytes, 8);
  for (let count = 1; reader.pos < bytes.length; count++) {
    within(count, BOUNDS.sections, "sections");
    readSection(module, reader);
  }
  checkWhole(module);
  return module;
}

// Return with how many pages of memory a valid module begins.
export function firstPages(bytes) {
  const reader = new Reader(bytes, 8);
  for (;;) {
    const number = reader.byte();
    const content = new Reader(reader.take(reader.number()));
    if (number === MEMORY_SECTION) return content.vector(() => readLimits(content))[0].least;
  }
}

function readSection(module, reader) {
  const number = reader.byte();
  const content = reader.take(reader.number());
  if (number === 0) return;
  if (!(number in SECTIONS)) refuse(`section ${number}`); // 8 is a start function, 13 has tags of exceptions
  module.raw[number] = content;
  SECTIONS[number](module, new Reader(content));
}

function checkWhole(module) {
  if (!module.memory) refuse("no memory of its own");
  if (!module.exports.some(({ name, kind }) => name === "memory" && kind === MEMORY)) refuse("no export memory");
  const start = module.exports.find(({ name, kind }) => name === "_start" && kind === FUNCTION);
  if (!start || start.index < module.imports.length) refuse("no function _start of its own");
  const { params, results } = typeOf(module, start.index);
  if (params.length || results.length) refuse("_start with parameters or results");
}

// Return the type of a function by its index.
export function typeOf(module, index) {
  const { imports, functions, types } = module;
  return types[index < imports.length ? imports[index].type : functions[index - imports.length]];
}

function readNumberType(reader) {
  const type = reader.byte();
  if (type < 0x7c || type > I32) refuse(`values of the type ${type}`);
  return type;
}

function readTypes(module, reader) {
  const count = within(reader.number(), BOUNDS.types, "types");
  for (let at = 0; at < count; at++) {
    if (reader.byte() !== 0x60) refuse("a type that is not of functions");
    const params = reader.vector(() => readNumberType(reader));
    const results = reader.vector(() => readNumberType(reader));
    within(params.length, BOUNDS.params, "parameters");
    within(results.length, BOUNDS.results, "results");
    module.types.push({ params, results });
  }
}

function readImports(module, reader) {
  const count = within(reader.number(), BOUNDS.imports, "imports");
  for (let at = 0; at < count; at++) {
    const [place, name, kind] = [reader.name(), reader.name(), reader.byte()];
    if (kind !== FUNCTION || place !== PLACE || !Object.hasOwn(IMPORTS, name)) refuse(`the import ${place} ${name}`);
    const type = reader.number();
    checkImportType(name, module.types[type]);
    module.imports.push({ name, type });
  }
}

function checkImportType(name, { params, results }) {
  const wanted = name === "proc_exit" ? [] : [I32];
  if (String(params) !== String(IMPORTS[name]) || String(results) !== String(wanted)) refuse(`the type of ${name}`);
}

function readFunctions(module, reader) {
  const count = within(reader.number(), BOUNDS.functions, "functions");
  for (let at = 0; at < count; at++) module.functions.push(reader.number());
}

function readLimits(reader) {
  const flags = reader.byte();
  if (flags > 1) refuse("shared memory, or limits of 64 bits");
  const least = reader.number();
  return { least, most: flags ? reader.number() : null };
}

function readTable(module, reader) {
  const count = within(reader.number(), 1, "tables");
  if (!count) return;
  if (reader.byte() !== 0x70) refuse("a table of other things than functions");
  module.table = readLimits(reader);
  within(module.table.least, BOUNDS.tableEntries, "entries of the table");
}

function readMemory(module, reader) {
  const count = within(reader.number(), 1, "memories");
  if (!count) return;
  const { least, most } = readLimits(reader);
  within(least, BOUNDS.pages, "pages of memory");
  module.memory = { least, most: Math.min(most ?? BOUNDS.pages, BOUNDS.pages) };
}

// Read a constant expression, which has to be one constant, and return its bytes.
function readConstant(reader) {
  const first = reader.pos;
  const opcode = reader.byte();
  if (opcode === 0x41 || opcode === 0x42) reader.skipNumber();
  else if (opcode === 0x43) reader.take(4);
  else if (opcode === 0x44) reader.take(8);
  else refuse("a constant expression of another instruction");
  if (reader.byte() !== 0x0b) refuse("a constant expression of several instructions");
  return reader.bytes.subarray(first, reader.pos);
}

function readGlobals(module, reader) {
  const count = within(reader.number(), BOUNDS.globals, "globals");
  for (let at = 0; at < count; at++) {
    const [type, mutable] = [readNumberType(reader), reader.byte()];
    if (mutable > 1) refuse("shared globals");
    module.globals.push({ type, mutable, value: readConstant(reader) });
  }
}

function readExports(module, reader) {
  const count = within(reader.number(), BOUNDS.exports, "exports");
  for (let at = 0; at < count; at++) {
    const [name, kind, index] = [reader.name(), reader.byte(), reader.number()];
    if (kind > 3) refuse("an export of another kind");
    if (name.startsWith("khiva:")) refuse("an export whose name begins with khiva:");
    module.exports.push({ name, kind, index });
  }
}

function readElements(module, reader) {
  const count = within(reader.number(), BOUNDS.segments, "element segments");
  let entries = 0;
  for (let at = 0; at < count; at++) {
    entries += readElement(module, reader);
    within(entries, BOUNDS.elementEntries, "entries of element segments");
  }
}

// Read a segment and return how many entries it has.
function readElement(module, reader) {
  const flags = reader.number();
  if (flags !== 0 && flags !== 2) refuse("an element segment that is passive, declared, or of expressions");
  if (flags === 2) reader.number();
  readConstant(reader);
  if (flags === 2) reader.byte();
  const functions = reader.vector(() => reader.number());
  if (functions.some((index) => index < module.imports.length)) refuse("an imported function in the table");
  return functions.length;
}

function readDataCount(module, reader) {
  module.dataCount = reader.number();
}

function readData(module, reader) {
  const count = within(reader.number(), BOUNDS.segments, "data segments");
  for (let at = 0; at < count; at++) {
    const flags = reader.number();
    if (flags === 2) reader.number();
    if (flags !== 1) readConstant(reader);
    reader.take(reader.number());
  }
}

function readBodies(module, reader) {
  const count = reader.number();
  for (let at = 0; at < count; at++) {
    const length = within(reader.number(), BOUNDS.bodyBytes, "bytes of a function");
    module.bodies.push(reader.take(length));
  }
}
