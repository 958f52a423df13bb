// Numbers and words, as the terminal and the docs have them.

/**
 * A number with so many digits behind the point, n/a without one, and never a minus zero.
 * @param {number | null | undefined} value
 * @param {number} [digits]
 * @returns {string}
 */
export function number(value, digits = 1) {
  if (value === null || value === undefined) return "n/a";
  return (Number(value.toFixed(digits)) + 0).toFixed(digits).replace(/^-(0(\.0*)?)$/, "$1");
}

/** Seconds, for people. @param {number} seconds */
export function duration(seconds) {
  if (seconds < 0.001) return `${number(seconds * 1e6, 0)} µs`;
  if (seconds < 1) return `${number(seconds * 1000, seconds < 0.01 ? 1 : 0)} ms`;
  return seconds < 120 ? `${number(seconds, 1)} s` : `${number(seconds / 60, 1)} min`;
}

/** How many of what. @param {number} n @param {string} one @param {string} [many] */
export function count(n, one, many = `${one}s`) {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}

/** @param {number} n */
export function matches_in(n) {
  return count(n, "match", "matches");
}

/** 1st, 2nd, 3rd. @param {number} n */
export function ordinal(n) {
  const tens = n % 100;
  return n + (tens > 10 && tens < 14 ? "th" : ["th", "st", "nd", "rd"][n % 10] ?? "th");
}

/** Half an interval as the terminal shows it. @param {number | null} low @param {number | null} high @param {number} [digits] */
export function interval(low, high, digits = 1) {
  return low === null || high === null ? "n/a" : `${number(low, digits)} .. ${number(high, digits)}`;
}

/** What each verdict means. */
export const VERDICTS = /** @type {Record<string, string>} */ ({
  ok: "no fault",
  timeout: "it answered too late",
  illegal: "its choice was not among the legal ones",
  protocol: "what it sent is not the protocol",
  crashed: "its process ended, or closed its output",
  flooded: "it sent far more than was asked",
  resource: "it went over a limit of memory, processes, files or CPU time",
  start_failed: "it did not greet in time, or not as the protocol says",
  forfeited: "it is out: the default is played for it",
});
