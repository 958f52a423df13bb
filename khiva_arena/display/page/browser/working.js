// The arena in a worker of this page. It is handed the blocks that its work needs, and no others: each costs time and memory.

import { bytes_of } from "./packed.js";

const TO_CHECK = ["pyodide.tgz", "msgspec.whl", "bytecode.zip.gz", "rooms.zip.gz", "rooms.zip", "worker.js"];
const TO_PLAY = [...TO_CHECK, "python.wasm.gz", "javascript.wasm.gz", "opponents"];

/** @typedef {ReturnType<typeof worker_for>} Asked */

/**
 * Starts the arena in a worker. What is asked of it waits until the arena is there.
 * @param {"check" | "play"} work
 * @param {(data: any) => void} hears  what the worker says
 * @param {(why: string) => void} fails
 */
export function worker_for(work, hears, fails) {
  /** @type {Record<string, Uint8Array>} */
  const files = {};
  for (const id of work === "check" ? TO_CHECK : TO_PLAY) {
    const block = document.getElementById(id);
    if (block) files[id] = bytes_of(block);
  }
  const source = new Blob([/** @type {BlobPart} */ (files["worker.js"])], { type: "text/javascript" });
  const worker = new Worker(URL.createObjectURL(source)); // a blob has the policy of the page
  worker.onerror = (event) => fails(event.message);
  const ready = new Promise((resolve) => {
    worker.onmessage = ({ data }) => (data.ready ? resolve(null) : data.failed ? fails(data.failed) : hears(data));
  });
  worker.postMessage({ files }, Object.values(files).map(({ buffer }) => buffer));
  return { ask: (/** @type {any} */ message) => ready.then(() => worker.postMessage(message)), end: () => worker.terminate() };
}
