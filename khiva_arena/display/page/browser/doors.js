// The page with two doors: to check a bundle, and to write a bot. Nothing starts before a key or a click.

import { checking } from "./checking.js";
import { h, keyed, refill } from "./dom.js";
import { bytes_of } from "./packed.js";
import { dropped, is_bot } from "./opened.js";
import { route } from "./route.js";
import { workbench } from "./workbench.js";

/** @param {Record<string, import("./types").Drawing>} drawings */
export function start(drawings) {
  const check = checking(drawings, () => { if (back.hidden) go(check.door, check.report); });
  /** @type {ReturnType<typeof workbench> | null} */
  let bench = null;
  const main = h("main", {});
  const back = h("button", { type: "button", hidden: true, onclick: () => { history.replaceState(null, "", "#"); location.reload(); } }, "← both doors");
  const go = (/** @type {HTMLElement[]} */ ...parts) => {
    refill(main, head, ...parts, licences);
    back.hidden = false;
  };
  const write = (/** @type {string} */ language) => {
    if (!bench) {
      check.stop(); // or it would go on unseen
      go((bench = workbench(drawings)).element);
    }
    if (language) bench.begin(language);
    return bench;
  };
  const door = h(
    "section",
    { class: "takes" },
    h("h2", {}, "Write a bot"),
    h("p", {}, "Write a bot in this page and play it against others, by the real rules. Nothing is installed, sent or stored, so save what you want to keep."),
    h("p", {}, h("button", { type: "button", onclick: () => write("python") }, "Write a bot in Python"), " ", h("button", { type: "button", onclick: () => write("javascript") }, "Write a bot in JavaScript")),
    h("p", {}, h("button", { type: "button", onclick: () => write("").sits_down() }, "Play yourself"), " against bots of this page, or against your own."),
    h("p", { class: "dim" }, "Or drop a bot's folder or its zip here. Nothing of it is played before you say so."),
  );
  const head = h("header", { class: "bench-head" }, h("h1", {}, "Khiva Arena"), back);
  const text = h("pre", { class: "report", tabindex: 0 });
  const licences = h("details", { class: "licences", ontoggle: () => { text.textContent ||= licence_texts(); } }, h("summary", {}, "Licences of the editor, CPython, Pyodide and all else that this page has of others"), text);
  addEventListener("dragover", (event) => event.preventDefault()); // below the body as well, or the browser leaves the page
  addEventListener("drop", (event) => {
    event.preventDefault();
    const { dataTransfer } = event;
    if (!dataTransfer?.files.length) return;
    if (!bench && check.is_seated()) return;
    if (bench || is_bot(dataTransfer)) dropped(dataTransfer).then((entries) => write("").open(entries), () => write("").open([]));
    else check.check(dataTransfer.files[0]);
  });
  addEventListener("click", sends);
  keyed((key) => (bench ?? check).keys(key));
  refill(main, head, h("div", { class: "doors" }, check.door, door), check.report, licences);
  document.body.append(main);
  if ("write" in route()) write("python");
}

/** Has a form hear of its button also in the sandbox of a league that serves this page, which lets no form be sent. @param {MouseEvent} event */
function sends(event) {
  const button = /** @type {Element} */ (event.target).closest?.("button[type=submit]");
  const form = /** @type {HTMLButtonElement | null} */ (button)?.form;
  if (!form || event.defaultPrevented) return;
  event.preventDefault();
  if (form.reportValidity()) form.dispatchEvent(new SubmitEvent("submit", { bubbles: true, cancelable: true }));
}

function licence_texts() {
  const block = document.getElementById("licences.txt");
  return block ? new TextDecoder().decode(bytes_of(block)) : "";
}
