// The sum of a value: for tests of what the kit makes of bytes.
"use strict";

const { play } = require("./khiva_kit.js");

const M = 2147483647;
const fold = (start, parts) => parts.reduce((sum, part) => (sum * 31 + part) % M, start);

function total(value) {
  if (value === null) return 1;
  if (typeof value === "boolean") return value ? 3 : 2;
  if (Number.isSafeInteger(value)) return fold(4, [((value % M) + M) % M]);
  if (typeof value === "string") return fold(5, [...Buffer.from(value)]);
  if (Array.isArray(value)) return fold(6, value.map(total));
  return Object.entries(value).reduce((sum, [key, item]) => (sum + total(key) * 31 + total(item)) % M, 6);
}

function choose(decide) {
  console.log("noise " + decide.req);
  decide.req = 5;
  process.stdout.write("noise without a line's end");
  return total(decide.view.value);
}

play("süm", choose);
