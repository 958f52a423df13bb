// From values to places on an axis.

/**
 * Places between ``from`` and ``to`` of values between ``low`` and ``high``.
 * @param {number} low
 * @param {number} high
 * @param {number} from
 * @param {number} to
 * @returns {(value: number) => number}
 */
export function linear(low, high, from, to) {
  const span = high - low || 1;
  return (value) => from + ((value - low) / span) * (to - from);
}

/**
 * Round values from ``low`` to ``high``, about ``most`` of them.
 * @param {number} low
 * @param {number} high
 * @param {number} most
 * @returns {number[]}
 */
export function ticks(low, high, most) {
  const rough = (high - low || 1) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? power;
  const found = [];
  for (let at = Math.ceil(low / step); at * step <= high + step * 1e-9; at += 1) found.push(Number((at * step).toPrecision(12)));
  return found;
}
