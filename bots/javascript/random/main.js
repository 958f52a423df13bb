// Any legal choice, each equally likely. Plays every game; equal seeds give equal choices.
"use strict";

const { play, lottery } = require("./khiva_kit.js");

let below = null;

play("random-js", (decide, match) => {
  below = below || lottery(match.seed);
  return below(decide.legal.length);
});
