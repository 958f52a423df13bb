// A match frame by frame, read from its block: see khiva_arena/records/replay/frames.py for how it is written.

/**
 * What a patch makes of a value.
 * @param {any} old
 * @param {any} change
 * @returns {any}
 */
export function patched(old, change) {
  if (change === 0) return old;
  if (Array.isArray(change)) return change[0];
  if (change.k) {
    const made = { ...old };
    for (const key of change.x ?? []) delete made[key];
    for (const [key, inner] of Object.entries(change.k)) made[key] = patched(old[key], inner);
    return made;
  }
  const made = [...old];
  if (change.i) {
    for (let at = 0; at < change.i.length; at += 2) made[change.i[at]] = patched(made[change.i[at]], change.i[at + 1]);
    return made;
  }
  const [start, gone, ...added] = change.s;
  made.splice(start, gone, ...added);
  return made;
}

/**
 * All frames of one film of a block.
 * @param {any} block
 * @param {number} at     which film
 * @param {any[][]} legal  the page's lists of choices
 * @returns {import("./types").Frame[]}
 */
export function frames(block, at, legal) {
  let event = 0;
  let knows = {};
  return block.knows[at].map((/** @type {any} */ change, /** @type {number} */ step) => {
    knows = patched(knows, change);
    const events = [];
    for (let left = block.count[at][step]; left > 0; left -= 1, event += 1) {
      events.push({ data: block.data[at][event], text: block.text[at][event], to: block.to[at][event] || null });
    }
    const asked = block.asked[at][step].map((/** @type {any[]} */ [seat, kind, list, choice, why], /** @type {number} */ who) => ({ seat, kind, legal: legal[list], choice, why: why ?? "", took: block.times?.[at]?.[step]?.[who] ?? null }));
    return { step, ...knows, asked, events, open: block.public[at], scores: block.scores[at][step], sources: block.sources[at], points: block.points[at][step], sketch: block.sketch[at][step] ?? "" };
  });
}

/**
 * What somebody saw of a frame: all hands, one seat, or only what everybody saw.
 * @param {import("./types").Frame} frame
 * @param {import("./types").Eyes} eyes
 * @returns {import("./types").Frame}
 */
export function seen(frame, eyes) {
  if (eyes === "all") return frame;
  const mine = (/** @type {number} */ seat) => seat === eyes;
  return {
    ...frame,
    own: frame.own.map((own, seat) => (mine(seat) ? own : null)),
    asked: frame.asked.filter((one) => mine(one.seat)),
    events: frame.events.filter((event) => !event.to || event.to.some(mine)),
    sketch: "",
  };
}
