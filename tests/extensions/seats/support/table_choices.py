"""Scripts that compare the choices on a table with those of its question."""

HEARD = """
const parse = JSON.parse;
JSON.parse = (text) => {
  const message = parse(text);
  if (message?.ask) window.heard = message.ask;
  return message;
};
"""
"""Keep each question that the page hears from now on."""
SILK_ROADS_CHOICES = r"""
const pieces = [...document.querySelectorAll('.silk-road [data-choice]:not(:disabled)')];
if (!window.heard || !pieces.length || document.querySelector('.news')) return null;
const { texts, legal, kind } = window.heard;
const wrong = texts.filter((_, index) => !pieces.some((one) =>
  Number(one.dataset.choice) === index)).map((text) => `no ${text}`);
for (const one of pieces.filter((piece) => piece.matches('.card:not(.back)'))) {
  const [words, good] = [texts[one.dataset.choice], Number(one.className.match(/good-(\d)/)[1])];
  const [first, second] = legal[one.dataset.choice];
  const means = { sell: good, robber: second }[kind] ?? first;
  const of_seat = kind !== 'robber' || Number(one.closest('[data-seat]').dataset.seat) === first;
  const says = [one.querySelector('.unseen').textContent, one.title];
  if (says.some((text) => text !== words) || means !== good ||
    !of_seat)
    wrong.push(`${kind} ${good} of ${first}: ${says}`);
}
return [kind, wrong];
"""
"""The kind of the question; what it offers and the table does not, and cards that play
something else than what they show.
"""
EMIRAS_CHOICES = """
const go_on = document.querySelector('.news') && document.querySelector('.choose .options button');
const all = [...document.querySelectorAll('.emira [data-choice]:not(:disabled)')]
  .filter((one) => one.checkVisibility());
const offered = [...document.querySelectorAll('.choose .options [data-points^="#"]')]
  .map((one) => one.dataset.points.slice(1));
const shown = new Set(all.map((one) => one.dataset.choice));
const counts = !go_on && all.length && !document.querySelector('.bid-box');
window.missing = (window.missing ?? 0) + (counts ? offered
  .filter((index) => !shown.has(index)).length : 0);
return go_on || all[(window.taps = (window.taps ?? 0) + 1) % all.length];
"""
"""The next choice on Emira's table, each time another one; what the list offers and the
table does not is counted.
"""
