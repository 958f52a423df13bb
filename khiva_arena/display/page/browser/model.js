// The page's data as its parts work with it.

/** @param {import("./types").Page} page @returns {import("./types").Match[]} */
export function matches_of(page) {
  const events = new Map(page.events.map((event) => [event.number, event]));
  return page.matches.map(([number, ordinal, seed, lineup, rotation, id, bots, ranks, scores, verdicts, faults, rated, seconds, replay]) => {
    const event = /** @type {import("./types").Event} */ (events.get(number));
    const sorted = [...scores].sort((/** @type {number} */ a, /** @type {number} */ b) => b - a);
    return {
      key: `${number}/${ordinal}`,
      event,
      ordinal,
      seed,
      lineup,
      rotation,
      id,
      ids: bots.map((/** @type {number} */ bot) => event.bots[bot].id),
      names: bots.map((/** @type {number} */ bot) => event.bots[bot].name),
      ranks,
      scores,
      verdicts,
      faults,
      rated,
      seconds,
      replay,
      margin: sorted[0] - (sorted[1] ?? 0),
    };
  });
}

/** Each bot's name by its id, as the tables have it. @param {import("./types").Page} page */
export function names_of(page) {
  const found = new Map(page.events.flatMap((event) => event.bots.map((bot) => [bot.id, bot.name])));
  for (const table of page.tables) for (const row of table.table.rows) found.set(row.bot, row.name);
  return found;
}

/**
 * The matches that a view's address asks for.
 * @param {import("./types").Match[]} matches
 * @param {import("./route.js").Route} want
 */
export function chosen(matches, want) {
  return matches.filter(
    (match) =>
      (!want.event || String(match.event.number) === want.event) &&
      (!want.round || in_round(match, Number(want.round))) &&
      (!want.lineup || String(match.lineup) === want.lineup) &&
      (!want.bot || match.ids.includes(want.bot)) &&
      (!want.against || (match.ids.includes(want.against) && (want.against !== want.bot || match.ids.filter((id) => id === want.bot).length > 1))) &&
      (!want.seat || !want.bot || match.ids[Number(want.seat)] === want.bot) &&
      (!want.seed || String(match.seed) === want.seed) &&
      (!want.fault || match.faults.some(([seat, verdict]) => (want.fault === "any" || verdict === want.fault) && (!want.bot || match.ids[seat] === want.bot))) &&
      (!want.close || match.margin <= Number(want.close)) &&
      (!want.place || !want.bot || match.ids.some((id, seat) => id === want.bot && match.ranks[seat] === Number(want.place))),
  );
}

/** @param {import("./types").Match} match @param {number} number */
function in_round(match, number) {
  const found = match.event.rounds.find((one) => one.number === number);
  const next = match.event.rounds.find((one) => one.number === number + 1);
  return Boolean(found) && match.ordinal >= (found?.first ?? 0) && (!next || match.ordinal < next.first);
}
