// Run modules that pay: a JSON object a line in, one a line out. Calls to the runner fail with 52, but sched_yield.
const lines = require("fs").readFileSync(0, "utf8").split("\n").filter(Boolean);
const crypto = require("crypto");
class Exit extends Error {}
const answers = { proc_exit: () => { throw new Exit(); }, sched_yield: () => 0 };
for (const line of lines) {
  const job = JSON.parse(line);
  const module = new WebAssembly.Module(Buffer.from(job.wasm, "hex"));
  const wasi = {};
  for (const { name } of WebAssembly.Module.imports(module)) wasi[name] = answers[name] || (() => 52);
  const { exports } = new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi });
  exports["khiva:ticks"].value = BigInt(job.ticks);
  let end = "";
  try {
    exports._start();
  } catch (error) {
    end = error instanceof Exit ? "exit" : "trap";
    if (end === "trap" && !(error instanceof WebAssembly.RuntimeError)) end = String(error);
  }
  const sha256 = crypto.createHash("sha256").update(Buffer.from(exports.memory.buffer)).digest("hex");
  const row = { end, ticks: String(exports["khiva:ticks"].value), height: exports["khiva:height"].value, memory: sha256.slice(0, 16) };
  console.log(JSON.stringify(row));
}
