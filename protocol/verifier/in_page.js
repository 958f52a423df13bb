// The worker of a page that checks a bundle: the arena's own audit in Python, over the meter and the runner of this folder.
// It runs in a worker of a browser, and in a context of Node that looks like one: see check.mjs. What it needs is handed to it.
import { Machine } from "./machine.js";

const ROOMS = "/lib/python3.14/site-packages";
const HERE = "http://in.page/"; // nobody's: each fetch is answered from what was handed over

// Answer messages. scope: the worker's global object. load, create: functions of Pyodide.
// The first message has the files of the runtime by name, {files}; then {bundle} is checked. Messages back are {ready}, and the
// events of khiva_arena/audit/in_page.py as {event: JSON}. To {replay: EVENT/ORDINAL} the answer is {replay: JSON}, of the last bundle.
export function serve(scope, load, create) {
  let python = null;
  scope.onmessage = async ({ data }) => {
    try {
      python ??= await started(scope, load, create, data.files);
      if (data.files) scope.postMessage({ ready: true });
      if (data.bundle) await check(python, data.bundle, (event) => scope.postMessage({ event }));
      if (data.replay) scope.postMessage({ replay: python.pyimport("khiva_arena.audit.in_pyodide").replay(data.replay) });
    } catch (error) {
      const why = String(error?.stack ?? error);
      scope.postMessage(data.replay ? { replay: JSON.stringify({ name: data.replay, why }) } : { failed: why });
    }
  };
}

async function started(scope, load, create, files) {
  scope.fetch = async (place) => {
    const name = String(place?.url ?? place).replace(HERE, "");
    if (!files[name]) throw new Error(`nothing is fetched, and ${name} is not here`);
    const type = name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
    return new Response(files[name], { headers: { "content-type": type } });
  };
  const lockFileContents = new TextDecoder().decode(files["pyodide-lock.json"]);
  const python = await load({ indexURL: HERE, createPyodideModule: create, lockFileContents });
  python.unpackArchive(files["msgspec.whl"], "wheel", { extractDir: ROOMS });
  python.unpackArchive(files["rooms.zip"], "zip", { extractDir: ROOMS });
  return python;
}

async function check(python, bundle, tell) {
  const machine = new Machine();
  const toPython = ({ why, results }) => python.toPy([why, results]);
  const toJavaScript = (words) => words.map((word) => word.toJs?.() ?? word);
  python.registerJsModule("khiva_page", {
    take: (digest, bytes) => machine.take(digest, bytes.toJs()),
    run: (...words) => toPython(machine.run(...toJavaScript(words))),
    run_apart: async (...words) => toPython(await machine.runApart(...toJavaScript(words))),
    tell,
  });
  python.FS.writeFile("/tmp/bundle", bundle);
  await python.runPythonAsync("import khiva_page\nfrom khiva_arena.audit import in_pyodide\nin_pyodide.check(khiva_page)");
}
