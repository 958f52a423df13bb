## Any legal choice, each equally likely. To make it yours: change the name, and let choose give the index you want.
import std/options
import khiva_kit

var lottery: Option[Lottery]

proc choose(decide, match: JsonNode): int =
  if lottery.isNone:
    lottery = some(initLottery(match["seed"].getInt))
  lottery.get.below(decide["legal"].len)

play("random-nim", choose, version = "1")
