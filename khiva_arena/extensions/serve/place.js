// Where a reader is in a view, so that the view can be drawn again from newer data and nobody loses their place.

/** Whether drawing now would take something from under a reader's hands: a choice, an explanation, or selected text. */
export function busy() {
  return Boolean(document.activeElement?.closest(".filters, .controls, .eyes") || document.querySelector(":popover-open") || getSelection()?.type === "Range");
}

/**
 * Notes the place: scrolling, sorting, what is unfolded, the focus. Returns what finds it again after the view was drawn again.
 * @param {HTMLElement} main
 */
export function place(main) {
  const [x, y, height] = [scrollX, scrollY, main.offsetHeight];
  const boxes = all(main, ".scrolls").map((box) => [box.scrollLeft, box.scrollTop]);
  const unfolded = all(main, "details").map((one) => /** @type {HTMLDetailsElement} */ (one).open);
  const orders = all(main, ".standings").map(order);
  const focus = path_of(main);
  const scroll = () => {
    all(main, ".scrolls").forEach((box, at) => box.scrollTo(boxes[at]?.[0] ?? 0, boxes[at]?.[1] ?? 0));
    scrollTo(x, y);
  };
  return () => {
    main.style.minHeight = `${height}px`; // charts get their height in the next frame
    all(main, ".standings").forEach((table, at) => sort(table, orders[at]));
    all(main, "details").forEach((one, at) => { /** @type {HTMLDetailsElement} */ (one).open = unfolded[at] ?? false; });
    const found = focus && focus(main);
    if (found) found.focus({ preventScroll: true });
    else if (focus) main.focus({ preventScroll: true });
    else if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    scroll();
    requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => { main.style.minHeight = ""; scroll(); })));
  };
}

/** @param {HTMLElement} main @param {string} selector @returns {HTMLElement[]} */
function all(main, selector) {
  return [...main.querySelectorAll(selector)].map((one) => /** @type {HTMLElement} */ (one));
}

/** By which head a table is sorted, and which way. @param {HTMLElement} table @returns {[number, string | null]} */
function order(table) {
  const heads = [...table.querySelectorAll("th:has(.sort)")];
  const at = heads.findIndex((one) => one.hasAttribute("aria-sort"));
  return [at, heads[at]?.getAttribute("aria-sort")];
}

/** @param {HTMLElement} table @param {[number, string | null] | undefined} wanted */
function sort(table, wanted) {
  for (let clicks = 0; wanted && clicks < 2 && String(order(table)) !== String(wanted); clicks += 1) {
    /** @type {HTMLElement | undefined} */ (table.querySelectorAll(".sort")[wanted[0]])?.click();
  }
}

/**
 * What finds the element that has the focus: by where it leads, or else by its place in the tree. Null without one in here.
 * @param {HTMLElement} main
 * @returns {((main: HTMLElement) => HTMLElement | null) | null}
 */
function path_of(main) {
  const active = document.activeElement;
  if (!active || !main.contains(active)) return null;
  const leads = active.getAttribute("href");
  if (leads) return () => main.querySelector(`a[href="${CSS.escape(leads)}"]`);
  /** @type {number[]} */
  const steps = [];
  for (let one = active; one !== main; one = /** @type {Element} */ (one.parentElement)) steps.unshift([.../** @type {Element} */ (one.parentElement).children].indexOf(one));
  return () => /** @type {HTMLElement | null} */ (steps.reduce((/** @type {Element | null} */ one, at) => one?.children[at] ?? null, main));
}
