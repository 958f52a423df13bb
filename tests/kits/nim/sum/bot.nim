## Sums up the value in the view, so that a test can tell what the kit read.
import std/[math, posix]
import khiva_kit

const M = 2147483647

proc sum(value: JsonNode): int =
  case value.kind
  of JNull: result = 1
  of JBool: result = if value.getBool: 3 else: 2
  of JInt: result = (4 * 31 + floorMod(value.getInt, M)) mod M
  of JString:
    result = 5
    for byte in value.getStr:
      result = (result * 31 + ord(byte)) mod M
  of JArray:
    result = 6
    for item in value:
      result = (result * 31 + sum(item)) mod M
  of JObject:
    result = 6
    for key, item in value:
      result = (result + sum(%key) * 31 + sum(item)) mod M
  of JFloat: raise newException(ValueError, "a float, which the protocol does not have")

proc choose(decide, match: JsonNode): int =
  echo "noise ", decide["req"]
  decide["req"] = %5
  sum(decide["view"]["value"])

proc nothing(signal: cint) {.noconv.} = discard

var action: Sigaction # without SA_RESTART: it cuts a read short
action.sa_handler = nothing
discard sigaction(SIGUSR1, action)
play("süm", choose)
