// Check a bundle in a terminal, by the arena within its page: node check.mjs khiva-arena.html cup.khiva [--json]
// The exit code is 0 if all that is checked is equal, 1 if something differs, 2 if the file is no bundle or a damaged one, 3 if
// something cannot be told here.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import process from "node:process";

const STACK = "--stack-size=1800"; // METER.md, section 6
const CODES = { equal: 0, differs: 1, "cannot be read": 2, "cannot tell here": 3 };
const BLOCK = /<script type="application\/base64" id="([^"]+)">([^<]*)<\/script>/g;

function main(words) {
  const asJson = words.includes("--json");
  const [page, bundle] = words.filter((word) => word !== "--json");
  if (!bundle) misused("usage: node check.mjs khiva-arena.html BUNDLE [--json]");
  const [files, data] = [blocksOf(contentOf(page).toString()), new Uint8Array(contentOf(bundle))];
  const report = asJson ? (event) => console.log(event) : reporter();
  const post = workerOf(files, {
    ready: () => post({ bundle: data }),
    event: (event) => {
      report(event);
      const { kind, verdict } = JSON.parse(event);
      if (kind === "end") ends(CODES[verdict]);
    },
    failed: (why) => {
      console.error(`the runtime within the page has failed: ${why}`);
      ends(70);
    },
  });
  post({ files });
}

// Return the bytes of a file that was named, or end: nothing is started before both are read.
function contentOf(path) {
  try {
    return readFileSync(path);
  } catch (error) {
    misused(`${path} cannot be read: ${error.code}`);
  }
}

function misused(why) {
  console.error(why);
  process.exit(2);
}

// End once all is written: what the runtime waits for never comes.
function ends(code) {
  process.stdout.write("", () => process.exit(code));
}

// Return the contents of a page by name.
function blocksOf(page) {
  const blocks = {};
  for (const [, name, text] of page.matchAll(BLOCK)) blocks[name] = new Uint8Array(Buffer.from(text, "base64"));
  if (!blocks["worker.js"]) misused("this is no khiva-arena.html: `make page` makes one");
  return blocks;
}

// Start the page's worker as in a browser, and return a function that posts to it. It must not take this for Node, whose files
// and programs are none of its.
function workerOf(files, hears) {
  const scope = Object.assign(globalThis, {
    self: globalThis,
    WorkerGlobalScope: class { static [Symbol.hasInstance](value) { return value === globalThis; } },
    location: new URL("http://in.page/"),
    postMessage: (message) => { for (const [kind, value] of Object.entries(message)) hears[kind](value); },
  });
  const source = new TextDecoder().decode(files["worker.js"]);
  Object.defineProperty(globalThis, "process", { value: undefined });
  (0, eval)(source);
  return (data) => scope.onmessage({ data });
}

// Return a function that prints events: what is not checked stands first, so lines wait for the end.
function reporter() {
  const lines = { not_checked: [], match: [], event: [], table: [] };
  return (text) => {
    const event = JSON.parse(text);
    if (event.kind === "read" && process.stderr.isTTY) process.stderr.write(`\r${event.matches} matches read `);
    const words = WORDS[event.kind]?.(event);
    if (words) (lines[event.kind] ??= []).push(...words);
    if (event.kind !== "end") return;
    if (process.stderr.isTTY) process.stderr.write("\r");
    for (const line of Object.values(lines).flat()) console.log(line);
  };
}

const WORDS = {
  not_checked: ({ what }) => [`not checked: ${what}`],
  match: ({ event, match, verdict, why }) => (verdict === "equal" ? [] : [`match ${event}/${match}: ${verdict}: ${why}`]),
  event: ({ event, id, planned, by_the_rules, rerun, differ, cannot_tell, digest }) => [
    `event ${event} (${id}): ${by_the_rules} of ${planned} matches are equal by the rules${rerun === null ? "" : `, ${rerun} with every module run again`}`
    + `${differ ? `, ${differ} differ` : ""}${cannot_tell ? `, ${cannot_tell} cannot be told here` : ""}${digest && `; run digest ${digest}`}`,
  ],
  table: ({ number, differs }) => [differs.length ? `standings ${number}: differs` : `standings ${number}: equal in all that is counted`],
  end: ({ verdict, problems, unknown }) => [...problems.map((line) => `differs: ${line}`), ...unknown.map((line) => `${verdict === "differs" ? "cannot tell here" : verdict}: ${line}`), verdict],
};

if (process.execArgv.includes(STACK)) main(process.argv.slice(2));
else process.exitCode = spawnSync(process.execPath, [STACK, fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: "inherit" }).status ?? 70;
