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

const LETTER = 7; // pixels of a wide letter, and as much between two labels

/** How wide the label of a mark is, with the space beside it. @param {number} mark @param {string} unit */
function label_width(mark, unit) {
  return LETTER * (`${mark}${unit}`.length + 1);
}

/**
 * Round values for labels in a row: as many as there is room for.
 * @param {number} low
 * @param {number} high
 * @param {number} wide  pixels from ``low`` to ``high``
 * @param {string} [unit]  behind each value
 * @param {number} [most]
 * @returns {number[]}
 */
export function spaced(low, high, wide, unit = "", most = wide / 60) {
  const found = ticks(low, high, most);
  const apart = found.length > 1 ? (wide * (found[1] - found[0])) / (high - low || 1) : wide;
  return most <= 1 || found.every((mark) => label_width(mark, unit) <= apart) ? found : spaced(low, high, wide, unit, most - 0.5);
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
