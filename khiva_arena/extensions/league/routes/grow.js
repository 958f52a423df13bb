"use strict";
// Keeps a page up to date while it is looked at, and takes nothing from its reader: no place, no selection, no open part.
{
  const PAUSE = 15_000;
  /** @param {Document} page @param {string} name @returns {Element} */
  const part = (page, name) => {
    const element = page.querySelector(name);
    if (!element) throw new Error(`the page has no ${name}`);
    return element;
  };
  const known = new Map(["main", "footer"].map((name) => [name, part(document, name).innerHTML]));
  const busy = () =>
    document.visibilityState !== "visible" ||
    getSelection()?.isCollapsed === false ||
    part(document, "main").contains(document.activeElement) ||
    document.querySelector("details[open]") !== null;
  const look = async () => {
    if (busy()) return;
    const answer = await fetch(location.href, { cache: "no-cache" });
    if (!answer.ok || busy()) return;
    const newer = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const [name, text] of known) {
      const element = part(newer, name);
      if (element.innerHTML === text) continue;
      known.set(name, element.innerHTML);
      part(document, name).replaceChildren(...document.importNode(element, true).childNodes);
    }
  };
  // A league that cannot be reached now is asked again later.
  setInterval(() => look().catch(() => undefined), PAUSE);
}
