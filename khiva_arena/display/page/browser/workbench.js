// The workbench: a bot's files in an editor, and the matches that it plays in this page against a bot that is in it.

import { h, refill } from "./dom.js";
import { count, matches_in } from "./words.js";
import { chosen, named, request } from "./opened.js";
import { bytes_of } from "./packed.js";
import { results } from "./results.js";
import { route } from "./route.js";
import { worker_for } from "./working.js";
import { SEATED, yourself } from "./yourself.js";

const LANGUAGES = { python: "Python", javascript: "JavaScript" };
const OPPONENTS = { weak: "weak", greedy: "greedy", strong: "strong: thinks for up to a second" };
const SURE = "The text in the editor was not saved, and is lost. Go on?";
const KEPT = "The text in the editor stays. Save the bot first.";
const LEFT = "You have left the match.";
const UNHEARD = `${LEFT} A bot was still busy with it, so the arena starts anew.`;
const GONE = " The records of the last play went with it.";
const FAILED = "The arena could not be run in this browser: ";

/** @param {Record<string, import("./types").Drawing>} drawings */
export function workbench(drawings) {
  const block = (/** @type {string} */ id) => JSON.parse(new TextDecoder().decode(bytes_of(/** @type {Element} */ (document.getElementById(id)))));
  const templates = block("templates");
  const rerun = "rerun" in route(); // as a browser does that cannot halt a module
  /** @type {import("./working.js").Asked | null} */
  let worker = null;
  /** @type {import("./working.js").Asked | null} */
  let spare = null;
  let [has_stopped, is_playing, started] = [false, false, ""];
  let [edits, saved, saving, opening] = [0, 0, -1, 0]; // counts of edits; saving: -1 while nothing is saved
  let [is_opening, has_failed] = [false, false];
  /** @type {Record<string, any> | null} */
  let last = null; // what the last play was asked for
  /** @type {[string, number]} */
  let at_play = ["", 0]; // the file that was shown then, and the count of edits
  /** @type {import("./opened.js").Entries} */
  let chosen_files = [];
  let [planned, begun, seed_of_last] = [0, 0, ""];

  const status = h("output", { class: "status", role: "status" }, "Nothing is started before your first key in the editor.");
  const progress = h("p", { class: "dim" });
  const tabs = h("nav", { class: "files", "aria-label": "Files" });
  const host = h("div", { class: "editor" });
  const select = (/** @type {string} */ key, /** @type {string} */ words, /** @type {[string, string][]} */ options, /** @type {EventListener} */ changed = () => {}) =>
    h("label", {}, words, h("select", { name: key, onchange: changed }, options.map(([value, text]) => h("option", { value }, text))));
  const games = /** @type {{ name: string, title: string, seats: number[] }[]} */ (block("games"));
  const game = select("game", "game", games.map((one) => [one.name, one.title]), () => offer_seats());
  const seats = select("seats", "seats", [], () => offer_places());
  const opponent = select("opponent", "opponent", Object.entries(OPPONENTS));
  const matches = h("label", {}, "matches", h("input", { name: "matches", type: "number", min: 1, max: 10000, value: 20, required: true }));
  const seed = h("label", {}, "seed", h("input", { name: "seed", size: 12, placeholder: "drawn", spellcheck: "false", autocomplete: "off" }));
  const play = h("button", { type: "submit", class: "go" }, "Play ", h("kbd", {}, "Ctrl-Enter"));
  const stop = h("button", { type: "button", disabled: true, onclick: () => end() }, "Stop");
  const form = /** @type {HTMLFormElement} */ (h("form", { class: "filters", "aria-label": "Play", onsubmit: (event) => { event.preventDefault(); begin_play(); } }, game, seats, opponent, matches, seed, play, stop));
  const value = (/** @type {string} */ key, within = form) => /** @type {HTMLInputElement} */ (within.elements.namedItem(key)).value;
  const own = yourself(drawings, (what) => ask(what), (what, one) => take_seat(what, one), (is_unheard) => (is_unheard ? end(UNHEARD + (found.count() ? GONE : "")) : stands_up()));
  const seat = select("seat", "seat", []);
  const sitting = /** @type {HTMLFormElement} */ (h("form", { class: "filters", "aria-label": "Play yourself", onsubmit: (event) => { event.preventDefault(); sits(); } }, seat, select("against", "against", own.against), h("button", { type: "submit" }, "Play yourself")));
  const say = (/** @type {string} */ words) => { status.textContent = words; };
  const say_of_open = (/** @type {string} */ words) => { say(words); own.says(words); }; // a bot may be dropped at a seat, which hides the status

  /** Marks a line of the text that was played, and shows it unless its author has gone on. @param {string} file @param {number} line @param {string} text @param {boolean} [asked] */
  const marks = (file, line, text, asked = false) => {
    const goes_on = edits !== at_play[1] || editor.shown() !== at_play[0];
    if (asked || edits === at_play[1]) editor.mark(file, line, text, asked || !goes_on);
    draw_tabs();
  };
  const found = results(drawings, (what) => ask(what), marks, (one, { step, seat }) => take_seat({ do: "take_over", name: one.key, step, seat, seats: one.names.length, seed: "" }, one));
  const editor = KhivaEditor.editor(host, () => begin_play(), () => { edits += 1; if (!worker && !has_failed) start(); });

  const draw_tabs = () => refill(tabs, ...Object.keys(editor.files()).map((file) => h("button", { type: "button", "aria-pressed": String(file === editor.shown()), onclick: () => { editor.show(file); draw_tabs(); editor.focus(); } }, file)));
  const offer_seats = () => {
    const of_game = games.find((one) => one.name === value("game")) ?? games[0];
    refill(/** @type {Element} */ (seats.querySelector("select")), ...of_game.seats.filter((one) => one <= 5).map((one) => h("option", { value: one }, one)));
    offer_places();
  };
  const offer_places = () => refill(/** @type {Element} */ (seat.querySelector("select")), ...Array.from({ length: Number(value("seats")) }, (_, at) => h("option", { value: at }, at)));
  const load = (/** @type {Record<string, string>} */ files) => {
    const names = Object.keys(files);
    const first = names.find((one) => /^main\.\w+$/.test(one)) ?? names[0];
    editor.open(Object.fromEntries([first, ...names.filter((one) => one !== first)].map((one) => [one, files[one]])), first);
    draw_tabs();
    found.clear();
    [saved, last, seed_of_last] = [edits, null, ""];
  };
  const may_lose = () => saved === edits || confirm(SURE) || (say_of_open(KEPT), false); // no sandbox of a league asks

  const language = () => (/^\s*interpreter\s*=\s*["']javascript\b/m.test(editor.files()["bot.toml"] ?? "") ? "javascript" : "python");

  const fresh = () => {
    const own = worker_for(
      "play",
      ({ workbench, data }) => { if (own === worker) heard(JSON.parse(workbench), data); },
      (why) => {
        if (own === worker) return end(FAILED + why.slice(0, 2_000));
        own.end();
        if (own === spare) spare = null;
      },
    );
    return own;
  };
  const wakes = (/** @type {import("./working.js").Asked} */ one) => one.ask({ workbench: JSON.stringify({ do: "start", language: language(), rerun }) });
  /** Starts the arena with the interpreter of the bot's language, unless it is there. */
  const start = () => {
    if (worker && started === language()) return;
    worker ??= fresh();
    started = language();
    if (!is_playing) say("Starting the arena while you write …");
    wakes(worker);
  };
  const ask = (/** @type {Record<string, any>} */ what) => { start(); worker?.ask({ workbench: JSON.stringify(what) }); };
  const wish = (/** @type {string} */ what) => ({ do: what, files: editor.files(), game: value("game"), seats: Number(value("seats")), matches: Number(value("matches")), seed: value("seed").trim(), opponent: value("opponent") });
  const rests = () => {
    is_playing = false;
    stop.toggleAttribute("disabled", true);
    progress.textContent = "";
  };
  const begin_play = () => {
    if (is_playing || !form.reportValidity()) return;
    [is_playing, last, seed_of_last, at_play] = [true, wish("play"), "", [editor.shown(), edits]];
    stop.toggleAttribute("disabled", false);
    found.clear();
    editor.mark("", 0, "");
    say(worker ? "Playing …" : "Starting the arena …");
    ask(last);
  };
  const sits = () => {
    if (is_playing || !form.reportValidity()) return;
    take_seat({ do: "sit", files: editor.files(), game: value("game"), seats: Number(value("seats")), seed: value("seed").trim(), seat: Number(value("seat", sitting)), opponent: value("against", sitting) }, null);
  };
  const take_seat = (/** @type {import("./yourself.js").Wish} */ what, /** @type {import("./types").Match | null} */ one) => {
    if (is_playing) return say("Stop the play first.");
    [is_playing, at_play] = [true, [editor.shown(), edits]];
    element.classList.add("seated");
    own.begin(what, one);
    ask(what);
  };
  const stands_up = () => {
    own.hide();
    element.classList.remove("seated");
    if (own.is_over_from()) found.to_viewer();
    else editor.focus();
  };
  const end = (why = "Stopped. What was played stays in the table.") => {
    worker?.end();
    if (own.is_open() && (why.startsWith(LEFT) || !own.fails(why))) stands_up();
    found.close();
    rests();
    const lost = saving >= 0 ? " Nothing was saved." : is_opening ? " Nothing was opened." : "";
    [worker, spare, has_stopped, started] = [spare, null, true, ""]; // the spare may have the interpreter of another language
    [saving, is_opening, has_failed] = [-1, false, why.startsWith(FAILED)];
    if (!has_failed) start(); // so that the next play does not wait for it
    say(why + lost);
  };

  const hears = /** @type {Record<string, (found: any, data: any) => void>} */ ({
    started: () => { if (!is_playing && !has_stopped) say("Ready: Ctrl-Enter plays, or Cmd-Enter."); },
    seated: (found) => own.seated(found),
    seat: ({ message }) => own.hears(message),
    stood(found) {
      rests();
      own.stood(found);
    },
    left() {
      rests();
      stands_up();
      say(LEFT);
    },
    refused({ of, why, file, line }) {
      if (of === "save") saving = -1;
      if (of === "look" || of === "open") is_opening = false;
      const is_seat = of === "sit" || of === "take_over";
      if (of === "play" || is_seat) rests();
      if (is_seat && own.fails(why)) return;
      if (is_seat) stands_up();
      if (of !== "go_on") say_of_open(`Refused: ${why}`);
      if ((of === "play" || is_seat) && file && line) marks(file, line, why);
    },
    event({ matches, seed, bots, played }) {
      [planned, begun, seed_of_last] = [matches, performance.now(), seed];
      say(`Playing ${matches_in(matches)} of ${played}: ${bots[0].name} against ${bots[1].name}. Seed ${seed}.`);
    },
    played() {
      const left = ((performance.now() - begun) / found.count()) * (planned - found.count());
      progress.textContent = `${found.count()} of ${matches_in(planned)}, about ${Math.ceil(left / 1000)} s left`;
    },
    over({ digest }) {
      rests();
      say(`${count(found.count(), "match was", "matches were")} played. Run digest ${digest}.`);
      if (has_stopped && !spare) wakes((spare = fresh())); // not before: it would slow down what is waited for
    },
    saved({ name }, data) {
      h("a", { href: URL.createObjectURL(new Blob([data], { type: "application/zip" })), download: name }).click();
      [saved, saving] = [saving, -1];
      say(`Saved as ${name}.`);
    },
    packed({ name, digest }, data) {
      h("a", { href: URL.createObjectURL(new Blob([data])), download: name }).click();
      say(`Saved as ${name}, SHA-256 ${digest}.`);
    },
    async wanted({ entries }) {
      try {
        worker?.ask(await named(chosen_files, entries));
      } catch (error) {
        is_opening = false;
        say_of_open(/** @type {Error} */ (error).message);
      }
    },
    opened({ files }) {
      is_opening = false;
      if (is_playing || (edits !== opening && !may_lose())) return say_of_open("Nothing was opened."); // a key was pressed meanwhile
      load(files);
      if (own.is_shown()) stands_up();
      say("The bot is open. Nothing of it is played before you say so.");
    },
  });
  const heard = (/** @type {import("./results.js").Heard} */ event, /** @type {any} */ data) => {
    found.heard(event);
    hears[event.kind]?.(event, data);
  };
  const open = async (/** @type {import("./opened.js").Entries} */ entries) => {
    if (own.is_open()) return say_of_open(SEATED);
    if (is_playing || is_opening) return say_of_open(is_playing ? "Stop the play first." : "A bot is being opened already.");
    if (!entries.length) return say_of_open("There is no file in it that this browser can read.");
    if (!may_lose()) return;
    [opening, chosen_files, is_opening] = [edits, entries, true];
    try {
      const what = await request(entries);
      start();
      say_of_open("Opening …");
      worker?.ask(what);
    } catch (error) {
      is_opening = false;
      say_of_open(/** @type {Error} */ (error).message);
    }
  };
  const opens = (/** @type {string} */ words, /** @type {Record<string, any>} */ more) => {
    const input = /** @type {HTMLInputElement} */ (h("input", { type: "file", hidden: true, ...more, onchange: () => { open(chosen(input)); input.value = ""; } }));
    return [h("button", { type: "button", onclick: () => input.click() }, words), input];
  };
  const news = Object.entries(LANGUAGES).map(([word, title]) => h("button", { type: "button", onclick: () => begin(word) }, `New in ${title}`));
  const save = () => {
    if (!form.reportValidity()) return;
    saving = edits;
    say("Saving …");
    ask(last ? { ...last, do: "save", files: editor.files(), seed: seed_of_last || last.seed } : wish("save"));
  };
  const pack = () => {
    say("Saving …");
    ask({ do: "pack", files: editor.files() });
  };
  const bar = h("div", { class: "bar", role: "group", "aria-label": "Bot" }, news, opens("Open a zip", { accept: ".zip", "aria-label": "a zip" }), opens("Open a folder", { webkitdirectory: true, "aria-label": "a folder" }), h("button", { type: "button", onclick: save }, "Save"), h("button", { type: "button", onclick: pack }, "Save for a league"));
  const begin = (/** @type {string} */ word) => {
    if (is_playing) return say("Stop the play first.");
    if (!may_lose()) return;
    load(templates[word]);
    editor.focus();
  };
  addEventListener("beforeunload", (event) => { if (saved !== edits || own.is_open()) event.preventDefault(); });
  offer_seats();
  const leave = h("p", { class: "note" }, "Tab indents. ", h("kbd", {}, "Esc"), " and then ", h("kbd", {}, "Tab"), " leave the editor.");
  const element = h("div", { class: "bench" }, bar, h("div", { class: "write" }, tabs, host, leave), h("div", { class: "beside" }, form, sitting, status, progress, found.beside), found.below, own.element);
  load(templates.python);
  return { element, begin, open, sits_down: () => sitting.querySelector("button")?.focus(), keys: (/** @type {string} */ key) => (own.is_shown() ? own.keys(key) : found.keys(key)) };
}
