// What the page shows stands behind the # of its address, so that links survive and "back" goes back.

/** @typedef {Record<string, string>} Route */

/** @returns {Route} */
export function route() {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

/** The address of a view. @param {Record<string, string | number | null | undefined>} parts */
export function link(parts) {
  const given = Object.entries(parts).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const text = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
  return "#" + text.replaceAll("%2F", "/").replaceAll("%3A", ":");
}

/** The address of the list of matches. @param {Record<string, string | number | null | undefined>} [filters] */
export function listed(filters) {
  return link({ matches: "all", ...filters });
}

/** Shows a view, as a link to it does. @param {Record<string, string | number | null | undefined>} parts */
export function go(parts) {
  const address = link(parts);
  if (!is_here(address)) location.hash = address;
}

const PAUSE = 150;
let noted = -PAUSE;
let later = 0;

/**
 * Writes the view that is shown into the address, without a new entry in the history. Of several within a short time the last one is
 * written at its end: a key that is held down comes thirty times a second, and browsers take ten to twenty addresses.
 * @param {Record<string, string | number | null | undefined>} parts
 */
export function note(parts) {
  clearTimeout(later);
  const address = link(parts);
  const before = location.hash;
  const write = () => {
    if (location.hash !== before || is_here(address)) return; // the reader has gone elsewhere meanwhile
    noted = performance.now();
    history.replaceState(null, "", address);
  };
  const left = noted + PAUSE - performance.now();
  if (left > 0) later = setTimeout(write, left);
  else write();
}

/** Whether the page is at an address. @param {string} address */
function is_here(address) {
  return address === location.hash || (address === "#" && location.hash === "");
}
