// The worker of a page that checks a bundle: the arena's own audit in Python, over the meter and the runner of this folder.
// It runs in a worker of a browser, and in a context of Node that looks like one: see check.mjs. What it needs is handed to it.
import { Machine } from "./machine.js";

const ROOMS = "/lib/python3.14/site-packages";
const CHECKER = "khiva_arena.extensions.checker";
const BYTECODE = "/lib/bytecode.zip";
const BENCH = `${CHECKER}.workbench.in_pyodide`;
const OPPONENTS = ["/workbench", "opponents.json"]; // where BENCH looks for them
const OF_BENCH = ["opponents", "python.wasm.gz", "javascript.wasm.gz"]; // blocks of the page
const OF_OPPONENTS = "python"; // what runs them
const USUAL_PAGES = 16_384; // of memory, where an event says nothing else: a module for them is compiled ahead
const HERE = "http://in.page/"; // nobody's: each fetch is answered from what was handed over
const [RECORD, NAME, SIZE] = [512, [0, 100], [124, 136]]; // of an archive: the length of its records, and places in a header

// Answer messages, one after the other. scope: the worker's global object.
// The first message has the files of the page by name, {files}; then {bundle} is checked. Messages back are {ready}, and the
// events of khiva_arena/extensions/checker/in_page.py as {event: JSON}. To {replay: EVENT/ORDINAL} the answer is {replay: JSON},
// of the last bundle. {going: JSON of a request} puts another choice into a match of it, or without a choice a person at a seat, and
// is answered as the workbench answers. {hear: JSON} is a message of that person.
// {workbench: JSON of a request, data} is answered by events of the workbench, {workbench: JSON, data}.
export function serve(scope) {
  let [python, bench, machine] = [null, null, null];
  const send = (message) => scope.postMessage(message);
  const answer = async (data) => {
    try {
      if (data.files) {
        python = await started(scope, data.files);
        bench = benchOf(python, data.files, send);
        scope.postMessage({ ready: true });
      }
      if (data.bundle) await check(python, data.bundle, (machine = new Machine()), (event) => scope.postMessage({ event }));
      if (data.going) await python.pyimport(`${CHECKER}.in_pyodide`).go_on(pageOf(python, machine, send), data.going);
      if (data.hear) python.pyimport(`${CHECKER}.in_pyodide`).hear(data.hear);
      if (data.replay) scope.postMessage({ replay: python.pyimport(`${CHECKER}.in_pyodide`).replay(data.replay) });
      if (data.workbench) await bench(data.workbench, data.data);
    } catch (error) {
      const why = String(error?.stack ?? error);
      if (data.going) send({ workbench: JSON.stringify({ kind: "refused", of: "go_on", why }) });
      else scope.postMessage(data.replay ? { replay: JSON.stringify({ name: data.replay, why }) } : { failed: why });
    }
  };
  let last = Promise.resolve();
  scope.onmessage = ({ data }) => {
    if (data.hear || (bench && data.workbench && ["replay", "save", "hear"].includes(JSON.parse(data.workbench).do))) answer(data); // between two matches, or while a person is asked
    else last = last.then(() => answer(data));
  };
}

async function started(scope, files) {
  const package_ = filesOf(await unpacked(files["pyodide.tgz"]));
  const bytecode = await unpacked(files["bytecode.zip.gz"]);
  const text = (name) => new TextDecoder().decode(package_[name]).replaceAll("import.meta.url", `"${HERE}"`);
  scope.fetch = async (place) => {
    const name = String(place?.url ?? place).replace(HERE, "");
    if (!package_[name]) throw new Error(`nothing is fetched, and ${name} is not here`);
    const type = name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
    return new Response(package_[name], { headers: { "content-type": type } });
  };
  const run = runnerOf(scope);
  run(text("pyodide.js").replace(/^\/\/# sourceMappingURL=.*$/m, ""));
  run(`self.createPyodide = (() => { ${text("pyodide.asm.mjs").replace(/\bexport default (\w+);?\s*$/, "return $1;")} })();`);
  const python = await scope.loadPyodide({
    indexURL: HERE, createPyodideModule: scope.createPyodide, lockFileContents: text("pyodide-lock.json"),
    env: { PYTHONPATH: BYTECODE }, fsInit: (FS) => FS.writeFile(BYTECODE, bytecode), // to compile Python's own modules takes 3 s
  });
  python.unpackArchive(files["msgspec.whl"], "wheel", { extractDir: ROOMS });
  // a page of other modules than the pinned ones has them without bytecode, and none of the pinned ones is used
  python.unpackArchive(files["rooms.zip"] ?? (await unpacked(files["rooms.zip.gz"])), "zip", { extractDir: ROOMS });
  return python;
}

// Return a function that runs a script, as a worker of a browser or as Node does. Nobody else is to import one: Pyodide tries that
// to learn where it is.
function runnerOf(scope) {
  const takes = scope.importScripts?.bind(scope);
  scope.importScripts = () => { throw new Error("nothing is fetched"); };
  return takes ? (source) => takes(URL.createObjectURL(new Blob([source], { type: "text/javascript" }))) : eval;
}

async function unpacked(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Return the files of an archive, by their names without folders.
function filesOf(tar) {
  const files = {};
  for (let at = 0; tar[at]; ) {
    const [name, size] = [NAME, SIZE].map(([from, to]) => new TextDecoder().decode(tar.subarray(at + from, at + to)).split("\0")[0]);
    const length = Number.parseInt(size, 8);
    files[name.split("/").at(-1)] = tar.subarray(at + RECORD, at + RECORD + length);
    at += RECORD * (1 + Math.ceil(length / RECORD));
  }
  return files;
}

async function check(python, bundle, machine, tell) {
  const toPython = ({ why, results }) => python.toPy([why, results]);
  python.registerJsModule("khiva_page", {
    take: (digest, bytes) => machine.take(digest, bytes.toJs()),
    run: (...words) => toPython(machine.run(...toJavaScript(words))),
    run_apart: async (...words) => toPython(await machine.runApart(...toJavaScript(words))),
    tell,
  });
  python.FS.writeFile("/tmp/bundle", bundle);
  await python.runPythonAsync(`import khiva_page\nfrom ${CHECKER} import in_pyodide\nin_pyodide.check(khiva_page)`);
}

function toJavaScript(words) {
  return words.map((word) => word?.toJs?.() ?? word);
}

// Return a function that does what a request of the workbench asks for. The blocks that only the workbench needs are unpacked when
// the first one comes. send: posts a message.
function benchOf(python, files, send) {
  const own = Object.fromEntries(Object.entries(files).filter(([name]) => OF_BENCH.includes(name)));
  const machine = new Machine();
  let [door, isWarm] = [null, false];
  return async (request, data) => {
    door ??= doorOf(python, own.opponents, pageOf(python, machine, send));
    const { do: what, language, rerun } = JSON.parse(request);
    if (what !== "start") return door.work(door.page, request, data);
    if (rerun) door.page.is_live = () => false;
    const digests = JSON.parse(door.interpreters());
    for (const word of new Set([language, OF_OPPONENTS])) await prepare(machine, digests[word], own, `${word}.wasm.gz`);
    send({ workbench: JSON.stringify({ kind: "started" }) });
    return isWarm || door.work(door.page, JSON.stringify({ do: "warm_up" })).then(() => { isWarm = true; });
  };
}

function doorOf(python, opponents, page) {
  python.FS.mkdirTree(OPPONENTS[0]);
  python.FS.writeFile(OPPONENTS.join("/"), opponents);
  const { work, interpreters } = python.pyimport(BENCH);
  return { work, interpreters, page };
}

// Keep an interpreter and compile it, unless that has been done. Its hash is compared where the page is made.
async function prepare(machine, digest, files, block) {
  if (!files[block]) return;
  machine.take(digest, await unpacked(files[block]));
  delete files[block];
  machine.moduleOf(digest, USUAL_PAGES);
}

// Return what Python's side of the workbench calls.
function pageOf(python, machine, send) {
  return {
    is_live: () => "Suspending" in WebAssembly,
    take: (digest, bytes) => machine.take(digest, bytes.toJs()),
    drop: (digest) => machine.drop(digest),
    live: (...words) => {
      const seat = machine.live(...toJavaScript(words));
      return { ...seat, say: (bytes) => seat.say(bytes.toJs()), ask: (ticks, bytes) => seat.ask(ticks, bytes.toJs()) };
    },
    run_noted: (...words) => {
      const { why, results, notes } = machine.run(...toJavaScript(words));
      return python.toPy([why, results, notes]);
    },
    tell: (event, data) => send({ workbench: event, data: data?.toJs() }),
  };
}
