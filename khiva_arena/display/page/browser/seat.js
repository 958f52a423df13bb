// A person's seat: the drawn table as this seat knows it, and what can be chosen as things to click and as keys. All of it comes
// from whoever keeps the seat, such as the page's own server: everything when the seat is opened, and then what is new.

import { count, duration, ordinal } from "./words.js";
import { frames } from "./film.js";
import { generic } from "./generic.js";
import { h, keyed, refill, whenever_wide } from "./dom.js";
import { player } from "./viewer.js";
import { sentence } from "./packed.js";
import { story } from "./story.js";

const KEYS = "123456789abcdefghijkmnopqstuvwxyz"; // without l and r, which unfold what is beside the table
const AT_ONCE = 12;
const DAY = 86_400_000;
const BACK = "← back";
const LOST = "The game has ended: the command in the terminal no longer runs.";

/** @typedef {{ req: number, kind: string, legal: any[][], texts: string[], turn_ms: number, bank_ms: number, age_ms?: number, numbers: number[], title: string, about: string, rulings: string[] }} Ask */

/**
 * How a seat hears and speaks: it hands over what is to be called with each message and when no more come, and gets what sends one.
 * @typedef {(heard: (message: any) => void, closed: () => void) => (message: Record<string, any>) => void} Connect
 */

/** The seat of a page of its own. @param {Record<string, import("./types").Drawing>} drawings */
export function start(drawings) {
  const title = h("h1", {}, "Khiva Arena");
  const main = h("main", { id: "main", tabindex: -1 });
  document.body.append(h("header", { class: "top" }, title), main);
  sit({ connect: served, place: main, keys: keyed, title }, drawings);
}

/** @type {Connect} */
function served(heard, closed) {
  const socket = new WebSocket(`${location.href.replace(/^http/, "ws").replace(/#.*$/, "")}seat`);
  socket.onmessage = (event) => heard(JSON.parse(event.data));
  socket.onclose = closed;
  return (message) => socket.send(JSON.stringify(message));
}

/**
 * Takes a seat in a place of a page.
 * @param {{ connect: Connect, place: Element, keys: (act: (key: string) => boolean) => void, title?: HTMLElement }} seat
 * @param {Record<string, import("./types").Drawing>} drawings
 */
export function sit({ connect, place: within, keys, title = h("h2") }, drawings) {
  const status = h("output", { class: "status", "aria-live": "polite" }, "Waiting for the table …");
  const clock = h("span", { class: "clock dim" });
  const said = h("div", { class: "said", role: "status" });
  const place = h("div", { class: "board" });
  const side = h("div", { class: "story" });
  const panel = h("div", { class: "choose", role: "group", "aria-label": "Your choices" });
  const rules = h("details", { class: "rules" });
  const legend = h("details", { class: "legend" });
  const mine = h("div", { class: "mine" });
  const helps = h("div", { class: "help-panels" }, rules, legend);
  const aloud = h("output", { class: "unseen", "aria-live": "polite" });
  const stage = h("div", { class: "stage" }, h("div", {}, panel, said, place), h("div", {}, mine, helps, side));
  within.append(h("section", { class: "viewer seat" }, title.isConnected ? null : title, h("h2", { class: "turn-line" }, status, clock), stage, aloud));
  /** @type {any} */
  let table = null;
  let lines = story([], /** @type {any} */ ({}), () => {});
  /** @type {Ask | null} */
  let ask = null;
  let looking = -1;
  let group = "";
  let hint = -1;
  let until = 0;
  /** What the person looks at before the question: the aim of the game, or what happened; empty once the question is there. */
  let news = /** @type {string[]} */ ([]);
  /** Words of the pieces in the own hand that were clicked: only choices with all of them are listed. */
  let picked = /** @type {string[]} */ ([]);
  /** @type {(key: string) => boolean} */
  let replay_keys = () => false;
  const drawing = () => drawings[table.game] ?? generic;
  /** The question that was answered last, and how; the choice stays marked until the next frame is here. */
  let answered = /** @type {{ asked: Ask, choice: number } | null} */ (null);

  const choose = (/** @type {number} */ choice) => {
    if (!ask) return;
    answered = { asked: ask, choice };
    send({ type: "choose", req: ask.req, choice });
  };
  /** What the newest frame offers to a drawing. @returns {Partial<import("./types").Scene>} */
  const offer = () => {
    const asked = ask ?? answered?.asked;
    if (!asked || looking >= 0) return {};
    const choices = asked.texts.map((words, index) => ({ index, words, kind: asked.kind, piece: asked.legal[index] }));
    return { choices, chosen: ask ? undefined : answered?.choice, hint: hint < 0 ? undefined : hint, choose };
  };
  /** Draws the table. @param {boolean} [again]  the same frame: whatever moved is there already */
  const board = (again = false) => {
    if (!table?.frames.length) return;
    const at = looking < 0 ? table.frames.length - 1 : looking;
    const film = table.frames.slice(0, at + 1);
    const focused = focus_of(place.contains(document.activeElement) || mine.contains(document.activeElement));
    const unfolded = again && ask ? points_of(place.querySelector("details[open] > summary[data-points]")) : "";
    refill(place, drawing().draw({ frame: film[at], before: film[at - 1] ?? null, film, names: table.names, seats: table.names.length, eyes: table.seat, rules: table.rules, scenery: table.scenery, width: place.clientWidth || 700, ...offer() }));
    if (again) for (const motion of place.getAnimations({ subtree: true })) motion.finish();
    if (!drawing().has_hand) refill(mine, /** @type {HTMLElement | null} */ (place.querySelector(`.player[data-seat="${table.seat}"]`))); // beside what it is asked
    hold();
    if (unfolded) place.querySelector(unfolded)?.parentElement?.toggleAttribute("open", true);
    if (focused) /** @type {HTMLElement | null} */ (stage.querySelector(focused))?.focus({ preventScroll: true });
    const told = lines(at, table.seat);
    if (told.parentNode !== side) refill(side, told);
    const now = /** @type {HTMLElement | null} */ (side.querySelector(".now"));
    if (now) side.scrollTop = Math.max(0, now.offsetTop + now.offsetHeight - side.clientHeight + 24);
  };
  const look = (/** @type {number} */ step) => {
    looking = step === table.frames.length - 1 ? -1 : step;
    board();
  };
  /** What there is to choose now: all of it, or where that is much, first its first part. */
  const listed = () => {
    const all = (ask?.texts ?? []).map((text, choice) => ({ hinted: choice === hint, choice, text, press: () => choose(choice) }));
    const digits = (ask?.numbers ?? []).every((number) => number < 10);
    const whole = () => all.map((one, at) => ({ ...one, key: digits ? String(ask?.numbers[at]) : KEYS[at] }));
    if (all.length <= AT_ONCE && !group) return whole();
    const groups = [...new Set(all.map(({ text }) => first(text)))];
    if (!group && (groups.length === all.length || groups.length < 2)) return whole();
    const to = (/** @type {string} */ part) => () => { group = part; picked = []; choices(true); };
    const inside = (/** @type {string} */ part) => all.filter(({ text }) => first(text) === part);
    const parts = (/** @type {string} */ part) => (inside(part).length === 1 ? inside(part)[0] : { hinted: hint >= 0 && first(all[hint].text) === part, text: `${part} …`, press: to(part) });
    const lines = group ? inside(group).map((one) => ({ ...one, text: one.text.slice(group.length + 2) || one.text })) : groups.map(parts);
    const keyed = lines.map((one, at) => ({ ...one, key: KEYS[at] }));
    return group ? [...keyed, { hinted: false, text: BACK, press: to(""), key: KEYS[lines.length] }] : keyed;
  };
  const options = () => {
    if (news.length) return [{ hinted: false, text: "go on", press: go_on, key: "space" }];
    return listed().filter(({ text }) => text === BACK || picked.every((word) => has_words(text, word)));
  };
  const go_on = () => { news = []; asking(); board(true); choices(true); };
  /** Makes the pieces buttons that carry a choice, and those of the own hand that a choice may name. */
  const hold = () => {
    const now = options();
    for (const piece of /** @type {NodeListOf<HTMLElement>} */ (stage.querySelectorAll(".board [data-choice], .mine [data-choice]"))) carry(piece, now);
    for (const piece of /** @type {NodeListOf<HTMLElement>} */ (stage.querySelectorAll("[data-word]"))) {
      const word = piece.dataset.word ?? "";
      piece.replaceWith(h("button", { type: "button", class: `${piece.className} held`, "data-held": word, title: piece.title, onclick: () => pick(word) }, ...piece.childNodes));
    }
    const texts = ask && !news.length ? now.map(({ text }) => text) : [];
    const advice = hint < 0 || !ask ? "" : !group ? first(ask.texts[hint]) : first(ask.texts[hint]) === group ? ask.texts[hint].slice(group.length) : "";
    for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (stage.querySelectorAll("[data-held]"))) {
      const word = button.dataset.held ?? "";
      button.ariaPressed = String(picked.includes(word));
      button.classList.toggle("hinted", has_words(advice, word));
      button.disabled = !picked.includes(word) && !texts.some((text) => has_words(text, word));
    }
  };
  /** Makes a piece that carries a choice a button. @param {HTMLElement} piece @param {ReturnType<typeof options>} now */
  const carry = (piece, now) => {
    const index = Number(piece.dataset.choice);
    const { key = "", text = "" } = now.find((one) => "choice" in one && one.choice === index) ?? {};
    const open = ask !== null && !news.length && looking < 0;
    let button = /** @type {HTMLButtonElement} */ (piece);
    if (piece.tagName !== "BUTTON") {
      const words = piece.textContent?.trim() ? {} : { "aria-label": piece.title || (ask ?? answered?.asked)?.texts[index] };
      button = /** @type {HTMLButtonElement} */ (h("button", { type: "button", class: piece.className, "data-choice": index, title: piece.title || null, ...words, onclick: () => choose(index) }, ...piece.childNodes));
      button.style.cssText = piece.style.cssText;
      piece.replaceWith(button);
    }
    for (const old of button.querySelectorAll("kbd")) old.remove();
    if (open && text && key) button.prepend(h("kbd", {}, key));
    button.disabled = !open;
    button.classList.toggle("hinted", open && index === hint);
    button.classList.toggle("chosen", !ask && index === answered?.choice);
  };
  const pick = (/** @type {string} */ word) => {
    picked = picked.includes(word) ? picked.filter((one) => one !== word) : [...picked, word];
    const meant = options().filter(({ text }) => text !== BACK);
    if (picked.length && meant.length === 1) return (picked = []), meant[0].press();
    // Of a short list that is shown whole, too, the first cards are those of the first part.
    const begun = [...new Set(meant.map(({ text }) => first(text)))].filter((part) => !group && picked.length && picked.every((one) => has_words(part, one)));
    if (begun.length === 1 && meant.some(({ text }) => text !== begun[0] && first(text) === begun[0])) return (group = begun[0]), (picked = []), choices();
    choices();
  };
  /** Whether the drawing has a list of the choices itself, which this question then needs no second time. */
  const lists = () => !news.length && looking < 0 && place.querySelector(".options") !== null;
  const choices = (focus = false) => {
    side.hidden = news.length > 0; // what happened is told in one place
    if (!ask) return refill(panel);
    const list = options();
    const hinted = hint < 0 || news.length ? null : h("p", { class: "hint" }, `${table.hinted} would choose: `, h("b", {}, ask.texts[hint]));
    refill(
      panel,
      news.length ? h("ul", { class: "news", tabindex: 0, "aria-label": "Before the question" }, news.map((line) => h("li", {}, line))) : h("p", { class: "dim" }, group ? `${group}, and then?` : ask.about || "Choose by a click or by its key:"),
      lists() ? null : h("ol", { class: "options" }, list.map((one) => h("li", {}, h("button", { type: "button", class: one.hinted ? "hinted" : null, "data-points": "choice" in one ? `#${one.choice}` : one.text, onclick: one.press }, one.key ? h("kbd", {}, one.key) : null, one.text)))),
      table.hints && !news.length ? h("button", { type: "button", class: "ask-hint", title: "what a bot would play from what you know (?)", onclick: () => send({ type: "hint", req: ask?.req }) }, "hint ", h("kbd", {}, "?")) : null,
      hinted,
    );
    hold();
    if (focus) /** @type {HTMLElement | null} */ (stage.querySelector(".options button"))?.focus({ preventScroll: true });
  };
  /** The rulings that the question rests on, and what is drawn on the table. */
  const explain = () => {
    const numbers = ask?.rulings ?? [];
    rules.hidden = !Object.keys(table?.rulings ?? {}).length;
    legend.hidden = !table?.legend.length;
    const rows = (/** @type {string[][]} */ pairs) => h("dl", {}, pairs.flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, text)]));
    const of = (/** @type {string[]} */ some) => rows(some.filter((number) => table.rulings[number]).map((number) => [number, table.rulings[number]]));
    if (!rules.hidden) refill(rules, h("summary", {}, numbers.length ? "Rules for this question " : "Rules ", h("kbd", {}, "r")), of(numbers), h("details", {}, h("summary", {}, "All rules"), of(Object.keys(table.rulings))));
    if (!legend.hidden) refill(legend, h("summary", {}, "What is on the table ", h("kbd", {}, "l")), rows(table.legend));
  };
  /** What is to be seen before a question: at first what the game is about, then what others did; nothing while a clock runs. */
  const before = () => {
    const frame = table.frames.at(-1);
    if (!ask || until || !frame) return [];
    if (table.frames.length === 1) return table.aim;
    const others = frame.events.some((/** @type {any} */ { data, text }) => text && data.seat !== table.seat);
    return others ? frame.events.map((/** @type {any} */ { text }) => text).filter(Boolean) : [];
  };
  const asking = () => {
    status.textContent = !ask ? "Waiting for the others …" : !news.length ? ask.title : table.frames.length > 1 ? "What happened" : "What the game is about";
  };
  const asked = (/** @type {Ask | null} */ now, /** @type {boolean} */ shows = true) => {
    ask = now;
    if (now) answered = null;
    group = "";
    picked = [];
    hint = -1;
    looking = -1;
    until = ask && ask.turn_ms < DAY ? Date.now() + ask.turn_ms + ask.bank_ms - (ask.age_ms ?? 0) : 0;
    news = shows ? before() : [];
    asking();
    document.title = ask ? "● Your turn - Khiva Arena" : "Khiva Arena";
    tick();
    board(!now);
    choices();
    explain();
  };
  const tick = () => {
    clock.textContent = until && ask ? ` ${duration(Math.max(0, until - Date.now()) / 1000)} left` : "";
  };
  const ticking = setInterval(() => (within.isConnected ? tick() : clearInterval(ticking)), 500);
  const say = (/** @type {string} */ text) => said.append(h("p", { class: "fault-line" }, text));
  const over = (/** @type {any} */ end) => {
    ask = null;
    until = 0;
    refill(panel);
    tick();
    document.title = "Khiva Arena";
    if (!end.match) {
      status.textContent = end.text;
      return;
    }
    const one = end.match;
    status.textContent = `The match is over: you are ${ordinal(one.ranks[table.seat])}, with ${count(one.scores[table.seat], "point")}. All hands are open now.`;
    const result = h("ol", { class: "seats", start: 0 }, one.names.map((/** @type {string} */ name, /** @type {number} */ seat) => h("li", {}, `${seat} ${name}: ${count(one.scores[seat], "point")}, ${ordinal(one.ranks[seat])}${one.verdicts[seat] === "ok" ? "" : ` (${one.verdicts[seat]})`}`)));
    const replay = h("div", { class: "viewer" });
    const again = (end.again ?? []).map((/** @type {string[]} */ [words, command]) => h("p", {}, `${words}: `, h("code", {}, command)));
    stage.replaceWith(said, h("header", { class: "match-head" }, result), replay, ...again);
    const film = frames(end.block, 0, end.legal);
    replay_keys = player(replay, { ...one, event: { rules: table.rules } }, film, drawing(), table.scenery, { match: one.key, step: String(film.length - 1) });
  };
  const heard = /** @type {Record<string, (message: any) => void>} */ ({
    table: (message) => {
      table = message;
      if (drawing().has_hand) {
        stage.classList.add("with-hand");
        refill(stage, h("div", {}, place), h("div", {}, panel, said, helps, side));
      }
      lines = story(table.frames, /** @type {any} */ ({ names: table.names, key: "" }), look, drawing());
      const others = message.names.map((/** @type {string} */ name, /** @type {number} */ seat) => (seat === message.seat || !message.marks[seat].length ? "" : `; ${name}: ${message.marks[seat].join(", ")}`));
      title.textContent = `${message.title || "Khiva Arena"}: you are ${message.names[message.seat] === "you" ? "" : `${message.names[message.seat]}, `}seat ${message.seat}${others.join("")}`;
      refill(said);
      message.said.forEach(say);
      asked(message.ask, message.frames.length === 1); // a page that is loaded again shows the question
      if (!message.frames.length) status.textContent = "Waiting for the table …";
      if (message.over) over(message.over);
    },
    ask: (message) => {
      table.frames.push(message.frame);
      aloud.textContent = message.frame.events.map((/** @type {any} */ { text }) => text).join("; ");
      asked(message.ask);
    },
    chosen: (message) => { if (message.req === ask?.req) asked(null); },
    said: (message) => { say(message.text); if (ask && message.open === false) asked(null); },
    hint: (message) => {
      if (message.req !== ask?.req) return;
      hint = message.choice;
      table.hinted = message.by;
      board(true);
      choices();
    },
    over: (message) => over(message.over),
    refused: (message) => { status.textContent = message.text; },
  });
  const send = connect(
    (message) => {
      try {
        heard[message.type]?.(message);
      } catch (error) {
        say(sentence(error));
      }
    },
    () => {
      if (table) say(LOST);
      refill(panel);
      ask = null;
      tick();
    },
  );
  /** Shows where the choice leads that is pointed at or has the focus: whatever of the table says that it belongs to it. */
  const point = (/** @type {Event} */ event) => {
    const over = event.type === "focusout" || event.type === "pointerleave" ? null : /** @type {HTMLElement} */ (event.target).closest?.("[data-points], [data-choice], [data-held]");
    const { points = "", choice, held } = /** @type {HTMLElement | null} */ (over)?.dataset ?? {};
    const words = choice ? `#${choice}` : held ?? points;
    for (const one of /** @type {NodeListOf<HTMLElement>} */ (place.querySelectorAll("[data-lead]"))) {
      one.classList.toggle("pointed", words !== "" && (one.dataset.lead ?? "").split(" ").some((lead) => lead === words || (!lead.startsWith("#") && has_words(words, lead))));
    }
  };
  for (const kind of ["pointerover", "pointerleave", "focusin", "focusout"]) stage.addEventListener(kind, point);
  whenever_wide(place, () => board(true));
  keys((key) => {
    if (!ask) return replay_keys(key);
    if (key === " " && news.length) return go_on(), true;
    if (key === "?") return go_on(), send({ type: "hint", req: ask.req }), true;
    if (key === "Escape" && (group || picked.length)) return (group = ""), (picked = []), choices(true), true;
    const beside = { r: rules, l: legend }[key];
    if (beside) return beside.toggleAttribute("open"), true;
    const option = options().find((one) => one.key === key || (news.length && key === "1"));
    if (!option) return false;
    option.press();
    return true;
  });
}

/** The selector of a piece that has the focus, to give it back to the piece that is drawn in its place. @param {boolean} inside */
function focus_of(inside) {
  const focused = inside ? /** @type {HTMLElement} */ (document.activeElement) : null;
  const { choice, held } = focused?.dataset ?? {};
  return choice ? `[data-choice="${choice}"]` : held ? `[data-held="${CSS.escape(held)}"]` : focused?.tagName === "INPUT" ? ".board input" : points_of(focused);
}

/** The selector of what points at something, such as what unfolds the choices of a place. @param {Element | null} one */
function points_of(one) {
  const { points } = /** @type {HTMLElement | null} */ (one)?.dataset ?? {};
  return points ? `.board [data-points="${CSS.escape(points)}"]` : "";
}

/** The first part of a choice that has several. @param {string} text */
function first(text) {
  return text.split(", ")[0];
}

/** Whether a text has a word, or words in a row, in it. @param {string} text @param {string} word */
function has_words(text, word) {
  return ` ${text.replace(/[^\p{L}\p{N}]+/gu, " ")} `.includes(` ${word} `);
}
