// Any legal choice, each equally likely; plays every game. To make it yours: return another index into decide.legal.
"use strict";

const { play, lottery } = require("./khiva_kit.js");

let below = null;

function choose(decide, match) {
  below = below || lottery(match.seed); // chance that a replay repeats
  return below(decide.legal.length);
}

play("random-javascript", choose, "1");
