// What runs the files of a bot as node does: `require`, `console`, and a trace of what is thrown. main.c calls run, then tell.
({
  files: new Map(), // where the bytes of each file lie in the payload, by its path
  modules: new Map(),

  run(host) {
    "use strict";
    const note = (...words) => host.say(words.map((word) => this.shown(word)).join(" "));
    globalThis.console = { log: note, info: note, debug: note, warn: note, error: note };
    const readFile = (path) => host.payload.slice(...this.place(path));
    const { readFrame, writeFrame, decode, encode } = host;
    globalThis.khiva = { readFrame, writeFrame, decode, encode, readFile };
    this.host = host;
    this.take("", "./" + this.unpack(host.payload));
  },

  // Take up the files. Returns the path of the one to run.
  unpack(payload) {
    "use strict";
    const [head, main, magic] = this.host.text(0, Math.min(payload.length, 300)).split("\n");
    if (head !== "khiva-interpreted-1" || magic !== "khiva-bot-files-1") {
      throw new Error("this payload is none that `interpreter` in bot.toml makes");
    }
    let at = head.length + main.length + magic.length + 3;
    const size = new DataView(payload.buffer).getUint32(at);
    const list = this.host.decode(payload.subarray(at + 4, at + 4 + size));
    at += 4 + size;
    for (const [path, size] of list) {
      this.files.set(path, { start: at, size });
      at += size;
    }
    return main;
  },

  // What a file exports that is asked for in a folder of the payload.
  take(folder, name) {
    "use strict";
    const path = this.find(folder, name);
    if (this.modules.has(path)) return this.modules.get(path).exports;
    const { start, size } = this.files.get(path);
    const module = { exports: {} };
    this.modules.set(path, module);
    if (path.endsWith(".json")) return (module.exports = JSON.parse(this.host.text(start, size)));
    const own = path.slice(0, path.lastIndexOf("/") + 1);
    const require = (other) => this.take(path, String(other));
    this.host.compile(path, start, size).call(module.exports, module.exports, require, module, path, own.slice(0, -1) || ".");
    return module.exports;
  },

  // The path of the file that a name means in a file: "./evaluate" is evaluate.js beside it, "words" is node_modules/words.
  find(asker, name) {
    "use strict";
    const parts = /^\.\.?\//.test(name) ? asker.split("/").slice(0, -1) : ["node_modules"];
    for (const part of name.split("/")) {
      if (part === "..") parts.pop();
      else if (part !== ".") parts.push(part);
    }
    const path = parts.join("/");
    const place = this.files.get(path + "/package.json");
    const main = place && JSON.parse(this.host.text(place.start, place.size)).main;
    const tried = [path, path + ".js", path + ".json", `${path}/${main}`, `${path}/${main}.js`, path + "/index.js"];
    const found = tried.find((one) => this.files.has(one));
    if (found !== undefined) return found;
    if (/khiva_kit\.[jt]s$/.test(asker) && name === "fs") {
      throw new Error("khiva_kit.js is an older copy, which knows node alone: take the one that `khiva-arena new` writes");
    }
    const paths = [...this.files.keys()].filter((one) => one.endsWith(".js")).join(", ").slice(0, 300);
    throw new Error(`Cannot find module '${name}': here are only a bot's own files: ${paths}`);
  },

  // Where the bytes of a file begin and end. khiva.readFile gives them as a Uint8Array.
  place(path) {
    "use strict";
    const file = this.files.get(path);
    if (!file) throw new Error(`a bot has no file '${path}': paths begin in its folder, without "./"`);
    return [file.start, file.start + file.size];
  },

  // What a value looks like in the notes: a string as it is, an error with its trace, another object as JSON.
  shown(value) {
    "use strict";
    try {
      if (value instanceof Error) return `${value}\n${this.own(value.stack)}`.trimEnd();
      if (typeof value === "object") return JSON.stringify(value);
    } catch {} // a circle, a BigInt, or what the author's own object throws: then it is as a string
    return String(value);
  },

  // A stack without the lines of this file, and of what it called.
  own(stack) {
    "use strict";
    return String(stack).replace(/(?:.*\(native\)\n)?.*<interpreter>.*\n?/g, "");
  },

  // Say on stderr what was thrown: the author's line, the trace, and what to do about a thing that is missing here.
  tell(error) {
    "use strict";
    const lines = [this.shown(error)];
    const frames = [...this.own(error?.stack).matchAll(/([^\s(]+):(\d+):\d+\)?$/gm)];
    const [, path, number] = frames.find(([, path]) => this.files.has(path)) ?? [];
    const file = this.files.get(path);
    const line = file && this.host.text(file.start, file.size).split("\n")[number - 1];
    if (file) lines.unshift(`${path}:${number}`, line.slice(0, 200));
    const [name] = /^\w+(?= is not defined$)/.exec(error?.message) ?? /^(?:import|export)\b/.exec(line) ?? [];
    if (this.missing[name]) lines.push(`${name} is not part of JavaScript in ticks: ${this.missing[name]}`);
    this.host.say(lines.join("\n"));
  },

  missing: {
    __proto__: null,
    Intl: "write numbers and dates by functions of your own",
    structuredClone: "JSON.parse(JSON.stringify(value)) copies plain values",
    TextDecoder: "messages arrive decoded, and String.fromCharCode makes a string of numbers",
    TextEncoder: "messages are encoded by the kit, and charCodeAt makes numbers of a string",
    setTimeout: "a bot has no time but its ticks, which performance.now() tells; Promise.resolve().then(f) runs f later",
    setInterval: "a bot has no time but its ticks, which performance.now() tells",
    setImmediate: "Promise.resolve().then(f) runs f later",
    WebAssembly: "a bot that brings a module of its own plays by the wall clock, with `run` in its bot.toml",
    Buffer: "take Uint8Array and DataView",
    import: "files are taken by require, as in node's CommonJS",
    export: "a file gives others what it puts into module.exports",
    process: "a bot in ticks has no arguments, variables and exit",
  },
})
