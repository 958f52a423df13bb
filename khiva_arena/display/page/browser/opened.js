// Bots that a reader opens: a zip, or the files of a folder. They are only read here; the arena in the worker checks them.

/** @typedef {[string, File][]} Entries  paths, and what is there; of a zip one */

const MOST = { files: 500, bytes: 2 ** 24, packed: 2 ** 22, listed: 20_000 };
const LEFT_OUT = /(^|\/)(\.[^/]*|node_modules|__pycache__)\//;

/** Whether what was dropped is a bot, and not a bundle. @param {DataTransfer} data */
export function is_bot(data) {
  return data.files[0].name.endsWith(".zip") || Boolean(data.items[0]?.webkitGetAsEntry?.()?.isDirectory);
}

/** What was dropped. @param {DataTransfer} data @returns {Promise<Entries>} */
export async function dropped(data) {
  const first = data.items[0]?.webkitGetAsEntry?.();
  if (!first?.isDirectory) return [[data.files[0].name, data.files[0]]];
  /** @type {Entries} */
  const found = [];
  await walk(/** @type {FileSystemDirectoryEntry} */ (first), found);
  return found;
}

/** @param {FileSystemDirectoryEntry} folder @param {Entries} found */
async function walk(folder, found) {
  const reader = folder.createReader();
  for (;;) {
    const some = /** @type {FileSystemEntry[]} */ (await new Promise((resolve, reject) => reader.readEntries(resolve, reject)));
    if (!some.length || found.length > MOST.listed) return;
    for (const one of some) {
      const path = one.fullPath.replace(/^\//, "");
      if (LEFT_OUT.test(`${path}/`)) continue;
      if (one.isDirectory) await walk(/** @type {FileSystemDirectoryEntry} */ (one), found);
      else found.push([path, await new Promise((resolve, reject) => /** @type {FileSystemFileEntry} */ (one).file(resolve, reject))]);
    }
  }
}

/** The files that were chosen. @param {HTMLInputElement} input @returns {Entries} */
export function chosen(input) {
  return [...(input.files ?? [])].map((file) => /** @type {[string, File]} */ ([file.webkitRelativePath || file.name, file])).filter(([path]) => !LEFT_OUT.test(path));
}

const bytes = async (/** @type {File} */ file) => new Uint8Array(await file.arrayBuffer());

/**
 * What the worker is asked first: to open a zip, or which files of a folder its bot.toml names. Throws an error with a sentence for
 * the reader.
 * @param {Entries} entries
 */
export async function request(entries) {
  if (entries.length === 1 && !entries[0][0].includes("/")) {
    if (entries[0][1].size > MOST.packed) throw new Error("The zip is too large: a page takes 4 MiB.");
    return { workbench: JSON.stringify({ do: "open" }), data: await bytes(entries[0][1]) };
  }
  const files = inside(entries);
  const bot = files.get("bot.toml");
  if (!bot || bot.size > MOST.packed) throw new Error("This folder has no bot.toml of a bot: open the folder in which it lies.");
  return { workbench: JSON.stringify({ do: "look", entries: [...files.keys()] }), data: await bytes(bot) };
}

/**
 * What the worker is asked then: to open the files of a folder that its bot.toml names. No other is read.
 * @param {Entries} entries @param {string[]} names
 */
export async function named(entries, names) {
  const files = inside(entries);
  const wanted = names.flatMap((name) => files.get(name) ?? []);
  const size = wanted.reduce((sum, file) => sum + file.size, 0);
  if (wanted.length > MOST.files || size > MOST.bytes) throw new Error("The bot is too large: a page takes 500 files and 16 MiB.");
  return { workbench: JSON.stringify({ do: "open", entries: names }), data: await Promise.all(wanted.map(bytes)) };
}

/** The files by their paths in the folder. @param {Entries} entries */
function inside(entries) {
  return new Map(entries.map(([path, file]) => [path.replace(/^[^/]*\//, ""), file]));
}
