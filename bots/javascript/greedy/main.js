// Looks one turn ahead, from the view alone. It chooses as bots/python/greedy does, in every position.
"use strict";

const { play } = require("./khiva_kit.js");
const { choose } = require("./policy.js");

play("greedy-javascript", choose, "1");
