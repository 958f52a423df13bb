// Any legal choice, each equally likely; plays every game. To make it yours: return another index into decide.legal.
import { Decide, lottery, Match, play } from "./khiva_kit";

let below: ((n: number) => number) | null = null;

function choose(decide: Decide, match: Match): number {
  below = below ?? lottery(match.seed); // chance that a replay repeats
  return below(decide.legal.length);
}

play("random-typescript", choose, "1");
