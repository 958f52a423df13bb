// The sum of a value: for tests of what the kit makes of bytes.
import { Decide, play } from "./khiva_kit";
import { Plain } from "./msgpack";

declare const process: { stdout: { write(text: string): void } };

const M = 2147483647;
const fold = (start: number, parts: Iterable<number>) => [...parts].reduce((sum, part) => (sum * 31 + part) % M, start);

function total(value: Plain): number {
  if (value === null) return 1;
  if (typeof value === "boolean") return value ? 3 : 2;
  if (typeof value === "number") return fold(4, [((value % M) + M) % M]);
  if (typeof value === "string") return fold(5, new TextEncoder().encode(value));
  if (Array.isArray(value)) return fold(6, value.map(total));
  return Object.entries(value).reduce((sum, [key, item]) => (sum + total(key) * 31 + total(item)) % M, 6);
}

function choose(decide: Decide<{ value: Plain }>): number {
  console.log("noise " + decide.req);
  decide.req = 5;
  process.stdout.write("noise without a line's end");
  return total(decide.view.value);
}

play("süm", choose);
