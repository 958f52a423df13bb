// A drawing of a small game as it was written before a scene could hold choices: a hand of cards, a board, an own window.

import { backs, player, slide } from "../../display/page/browser/pieces.js";
import { h, picture, s } from "../../display/page/browser/dom.js";

/** @type {import("../../../khiva_arena/display/page/browser/types.d.ts").Drawing} */
export const drawing = {
  draw(scene) {
    const { frame, before, names, eyes } = scene;
    const stone = s("circle", { cx: 20 + 20 * frame.all.at, cy: 20, r: 9, class: "token", "data-at": frame.all.at });
    if (before && before.all.at !== frame.all.at) slide(stone, { x: 20 * (before.all.at - frame.all.at), y: 0 }, { x: 0, y: 0 });
    const cards = (/** @type {any} */ own) => own.hand.map((/** @type {string} */ word) => h("span", { class: "card", "data-word": word }, word));
    const windows = names.map((_, seat) => player(scene, seat, [["hand", frame.own[seat] ? cards(frame.own[seat]) : backs(2)]], seat === eyes));
    return h("div", { class: "table" }, picture(200, 40, `The stone is at ${frame.all.at}`, [stone], { class: "board-svg" }), h("div", { class: "players" }, windows));
  },
  choice(_, entry, __, knows) {
    return `play ${knows.hand[entry[0]]}`;
  },
  turn(frame) {
    return frame.step;
  },
};
