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

/** Shows a view; without a new entry in the history if ``quietly``. @param {Record<string, string | number | null | undefined>} parts */
export function go(parts, quietly = false) {
  const address = link(parts);
  if (address === location.hash || (address === "#" && location.hash === "")) return;
  if (quietly) {
    history.replaceState(null, "", address);
  } else {
    location.hash = address;
  }
}
