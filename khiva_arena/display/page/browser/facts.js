// What was played, under which conditions, and how a stranger checks it.

import { count, duration, matches_in } from "./words.js";
import { h, pairs } from "./dom.js";
import { link } from "./route.js";

/** How a stranger checks what the page says. @param {string} verify */
export function check(verify) {
  return h("p", {}, "Check it: ", code(verify), " replays every match and compares what it finds with the commitment and the run digest.");
}

/** What a reader of a league's page can hold its organiser to. @param {string} newest */
export function receipt(newest) {
  return newest && h("p", {}, "Keep this page: when it was made, the newest link of the league's chain was ", code(newest), ". ", code("khiva-arena verify --seen"), " compares the two.");
}

/** What an event is, in a list of facts. @param {import("./types").Event} event */
export function facts(event) {
  const time = event.time;
  const rules = Object.entries(event.changed).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  /** @type {[string, any][]} */
  const rows = [
    ["game", `${event.title}, rules ${event.rules_version}${rules.length ? `; ${rules.join(", ")}` : ""}`],
    ["format", `${event.format}${event.stage ? `, stage ${event.stage}` : ""}: ${count(event.seats, "seat")}, ${count(event.seeds, "seed")}, ${matches_in(event.matches)}`],
    ["recorded", event.over ? "all" : `${matches_in(event.recorded)} of ${event.matches.toLocaleString("en")} so far`],
    ["void attempts", String(event.void)],
    ["time", `${duration(time.turn_ms / 1000)} a decision, ${duration(time.bank_ms / 1000)} in the bank, ${duration(time.startup_ms / 1000)} to start${time.link_ms ? `, up to ${duration(time.link_ms / 1000)} of the round trip to a remote bot given back` : ""}${event.ponder ? "" : "; no pondering"}`],
    ["faults", event.policy],
    ["isolation", event.isolation === "module" ? "module: thinking is paid in ticks" : event.isolation],
    ...event.bots.filter((bot) => had(bot)).map((bot) => /** @type {[string, string]} */ ([bot.name, had(bot)])),
    ["limits", Object.entries(event.limits).map(([key, value]) => `${key} ${value}`).join(", ")],
    ["played by", `khiva-arena ${event.engines.join(", ")}`],
    ["begun", event.begun || "n/a"],
    ["id", code(event.id)],
    ["commitment", code(event.commitment)],
    ["public text", event.public ? event.public : "none"],
    ["run digest", event.digest ? code(event.digest) : "not before all matches are recorded"],
    ["run secret", event.secret ? code(event.secret) : "not before all matches are recorded"],
  ];
  return h(
    "details",
    { class: "facts", "aria-label": `Event ${event.number}` },
    h("summary", {}, `Event ${event.number}: conditions, commitment and digest`),
    h("dl", {}, pairs(rows)),
    bots(event),
  );
}

/** What a bot had that others may lack, "" for nothing. @param {import("./types").Bot} bot */
export function had(bot) {
  const marks = Object.entries(bot.marks).map(([mark, says]) => `${mark}: ${says}`);
  return [...marks, ...(bot.env.length ? [`handed ${bot.env.join(", ")}`] : [])].join("; ");
}

/** @param {string} text */
function code(text) {
  return h("span", { class: "copies" }, h("code", {}, text), h("button", { type: "button", class: "what", "aria-label": "Copy", onclick: () => navigator.clipboard?.writeText(text) }, "copy"));
}

/** @param {import("./types").Event} event */
function bots(event) {
  return h(
    "details",
    {},
    h("summary", {}, `${count(event.bots.length, "bot")} and their identities`),
    h("dl", {}, event.bots.flatMap((bot) => [h("dt", {}, h("a", { href: link({ bot: bot.id }) }, bot.name)), h("dd", {}, code(bot.id), bot.version ? ` version ${bot.version}` : "", bot.complete ? "" : " (a bare command: it may use files that are not in its identity)")])),
  );
}
