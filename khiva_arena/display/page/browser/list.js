// The list of matches: filters, and a table that holds only the rows on the screen.

import { chosen } from "./model.js";
import { matches_in, ordinal } from "./words.js";
import { go, link, listed } from "./route.js";
import { h, name, refill, scrolls, whenever_wide } from "./dom.js";

const ROW = 33;
const SPARE = 12;

/**
 * The list with its filters.
 * @param {import("./types").Page} page
 * @param {import("./types").Match[]} matches
 * @param {Map<string, string>} names
 * @param {import("./route.js").Route} want
 */
export function list(page, matches, names, want) {
  const found = chosen(matches, want);
  const seats = Math.max(2, ...page.events.map((event) => event.seats));
  const verdicts = [...new Set(matches.flatMap((match) => match.faults.map((fault) => fault[1])))].sort();
  const select = (/** @type {string} */ key, /** @type {string} */ words, /** @type {[string, string][]} */ options) =>
    h(
      "label",
      {},
      words,
      h(
        "select",
        { name: key, onchange: (event) => go({ ...want, [key]: /** @type {HTMLSelectElement} */ (event.target).value }) },
        h("option", { value: "" }, "any"),
        options.map(([value, text]) => h("option", { value, selected: want[key] === value }, text)),
      ),
    );
  const inside = page.events.filter((event) => !want.event || String(event.number) === want.event);
  const numbers = (/** @type {number} */ many, value = 0, shown = value) => Array.from({ length: many }, (_, at) => /** @type {[string, string]} */ ([String(at + value), String(at + shown)]));
  const rounds = [...new Set(inside.flatMap((event) => event.rounds.map((round) => round.number)))].sort((a, b) => a - b);
  const tables = Math.max(0, ...inside.flatMap((event) => event.rounds.map((round) => round.line_ups.length)));
  const bots = [...names];
  const filters = h(
    "form",
    { class: "filters", onsubmit: (event) => event.preventDefault() },
    page.events.length > 1 ? select("event", "event", page.events.map((event) => [String(event.number), `${event.number}: ${event.format}, ${event.seats} seats`])) : null,
    rounds.length > 1 ? select("round", "round", rounds.map((one) => [String(one), String(one)])) : null,
    want.round && tables > 1 ? select("lineup", "table", numbers(tables, 0, 1)) : null,
    select("bot", "bot", bots),
    want.bot ? select("against", "with", bots) : null,
    want.bot ? select("seat", "in seat", numbers(seats)) : null,
    want.bot ? select("place", "placed", numbers(seats, 1)) : null,
    select("fault", "fault", verdicts.length ? [["any", "any fault"], ...verdicts.map((verdict) => /** @type {[string, string]} */ ([verdict, verdict]))] : []),
    select("close", "finish", [["0", "tied first"], ["1", "within 1 point"], ["3", "within 3 points"]]),
    h("label", {}, "seed", h("input", { name: "seed", inputmode: "numeric", size: 5, value: want.seed ?? "", onchange: (event) => go({ ...want, seed: /** @type {HTMLInputElement} */ (event.target).value.trim() }) })),
    h("a", { class: "button", href: listed() }, "all matches"),
  );
  return h("section", { class: "matches", "aria-label": "Matches" }, h("h2", {}, "Matches ", h("span", { class: "dim" }, `${matches_in(found.length)} of ${matches.length.toLocaleString("en")}`)), filters, rows_of(found));
}

/**
 * Rows of matches; only those near the window stand in the page.
 * @param {import("./types").Match[]} found
 */
export function rows_of(found) {
  if (!found.length) return h("p", { class: "empty" }, "No match fits. Choose “all matches” to see them all.");
  const head = h("tr", {}, ["match", "seed", "seats: bot, points (place)", "faults", "replay"].map((word, at) => h("th", { scope: "col", class: at === 2 || !at ? "left" : null }, word)));
  const body = h("tbody");
  const above = h("tr", { class: "space", "aria-hidden": "true" }, h("td", { colspan: 5 }));
  const below = h("tr", { class: "space", "aria-hidden": "true" }, h("td", { colspan: 5 }));
  const place = scrolls("List of matches", h("table", { class: "list", "aria-rowcount": found.length + 1 }, h("thead", {}, head), body), "scrolls tall");
  const box = /** @type {HTMLElement} */ (place.firstElementChild);
  let first = -1;
  let shown = 0;
  const fill = () => {
    const top = Math.floor(box.scrollTop / ROW);
    const fits = Math.ceil((box.clientHeight || 600) / ROW) + 1;
    if (shown && top >= first && Math.min(top + fits, found.length) <= first + shown) return;
    const from = Math.max(0, top - SPARE);
    const many = Math.min(found.length - from, fits + 2 * SPARE);
    [first, shown] = [from, many];
    /** @type {HTMLElement} */ (above.firstChild).style.height = `${from * ROW}px`;
    /** @type {HTMLElement} */ (below.firstChild).style.height = `${(found.length - from - many) * ROW}px`;
    refill(body, above, ...found.slice(from, from + many).map((match, at) => row(match, from + at)), below);
  };
  box.addEventListener("scroll", fill, { passive: true });
  whenever_wide(box, fill);
  fill();
  return place;
}

/** @param {import("./types").Match} match @param {number} at */
function row(match, at) {
  const order = match.ids.map((_, seat) => seat);
  const faults = match.faults.map(([seat, verdict]) => `${match.names[seat]}: ${verdict}`);
  return h(
    "tr",
    { "aria-rowindex": at + 2, class: match.rated ? null : "unrated" },
    h("th", { scope: "row" }, h("a", { href: link({ match: match.key }) }, match.key)),
    h("td", {}, match.seed),
    h("td", { class: "left seats" }, order.map((seat) => h("span", { class: "seat" }, name(match.names[seat], match.ranks[seat] === 1), ` ${match.scores[seat]} (${ordinal(match.ranks[seat])})`))),
    h("td", { title: faults.join("; ") }, faults.length ? h("span", { class: "badge" }, faults.length) : "0"),
    h("td", {}, match.replay ? h("a", { href: Array.isArray(match.replay) ? link({ match: match.key }) : match.replay + link({ match: match.key, step: 0 }) }, "watch") : h("span", { class: "dim" }, "–")),
  );
}
