## Wire protocol 1 for bots in Nim. A bot is one call:
##
##   import khiva_kit
##   play("my-bot", proc (decide, match: JsonNode): int = 0) # an index into decide["legal"]
##
## match is the arbiter's hello: game, rules, seat, seats, seed, time. decide is one request: kind, view, events, legal,
## turn_ms, bank_ms. Both are nodes of std/json. echo goes to stderr, so it can never break the conversation.

import std/[json, posix]
import msgpack

export json

const FrameMostFromArbiter = 1_048_576

type
  Choose* = proc (decide, match: JsonNode): int
  Lottery* = object
    state: uint64

proc note*(words: varargs[string, `$`]) =
  ## Say something to the people who run the bot, on stderr.
  var line = ""
  for i, word in words:
    line.add (if i > 0: " " & word else: word)
  stderr.writeLine line

proc initLottery*(seed: int): Lottery =
  ## Chance that a replay repeats: equal seeds give equal numbers (splitmix64), the same in every kit but Python's.
  Lottery(state: cast[uint64](seed))

proc below*(lottery: var Lottery, n: int): int =
  ## A number from 0 to n - 1, each equally likely.
  if n < 1:
    raise newException(ValueError, "below(" & $n & "): nothing to draw from")
  let
    many = uint64(n)
    rest = (high(uint64) mod many + 1) mod many # 2^64 mod n
  while true:
    lottery.state += 0x9e3779b97f4a7c15'u64
    var z = (lottery.state xor (lottery.state shr 30)) * 0xbf58476d1ce4e5b9'u64
    z = (z xor (z shr 27)) * 0x94d049bb133111eb'u64
    z = z xor (z shr 31)
    # Numbers beyond the last whole multiple of n would favour the small ones.
    if z <= high(uint64) - rest:
      return int(z mod many)

proc readAll(source: cint, size: int): string =
  ## Exactly this many bytes; fewer at the end of input, which a signal is not.
  result = newString(size)
  var at = 0
  while at < size:
    let got = posix.read(source, addr result[at], size - at)
    if got > 0:
      at += got
    elif got == 0 or errno != EINTR:
      result.setLen at
      break

proc readFrame(source: cint): JsonNode =
  ## The next message, or nil at the end of input.
  let header = source.readAll(4)
  if header.len < 4:
    return nil
  var size = 0
  for byte in header:
    size = size shl 8 or ord(byte)
  if size < 1 or size > FrameMostFromArbiter:
    raise newException(ValueError, "a frame of " & $size & " bytes")
  let payload = source.readAll(size)
  if payload.len == size: decode(payload) else: nil

proc writeFrame(sink: cint, message: JsonNode) =
  ## Send one message, at once.
  let payload = encode(message)
  var frame = ""
  for shift in [24, 16, 8, 0]:
    frame.add chr(payload.len shr shift and 0xff)
  frame.add payload
  while posix.write(sink, addr frame[0], frame.len) < 0: # of so few bytes a pipe takes all or none
    if errno != EINTR:
      raise newException(IOError, "the arbiter does not listen any more")

proc guardedPipes(): (cint, cint) =
  ## The conversation on private descriptors. Whatever this process or a child of it prints goes to stderr instead.
  result = (fcntl(0, F_DUPFD_CLOEXEC, 3), fcntl(1, F_DUPFD_CLOEXEC, 3))
  if result[0] < 0 or result[1] < 0 or dup2(2, 1) < 0:
    raise newException(IOError, "stdin or stdout is not open")

proc play*(name: string, choose: Choose, version = "") =
  ## Play one match: shake hands, answer every decide with `choose(decide, match)`, return when the input ends.
  let (source, sink) = guardedPipes()
  var match = newJObject()
  while true:
    let message = source.readFrame
    if message.isNil:
      return
    case message{"type"}.getStr
    of "hello":
      match = message
      if %1 notin match{"protos"}.getElems:
        note "the arbiter speaks protocols", match{"protos"}, "this kit speaks 1"
        return
      let hello = %*{"type": "hello", "proto": 1, "name": name}
      if version != "":
        hello["version"] = %version
      sink.writeFrame hello
    of "decide":
      let req = message["req"].getInt # before the bot can change it
      sink.writeFrame %*{"type": "act", "req": req, "choice": choose(message, match)}
    of "fault":
      note "fault: " & message{"code"}.getStr & ": " & message{"detail"}.getStr & " (strikes: " & $message{"strikes"} & ")"
    else:
      discard # after "end" comes the end of input; anything else is from a later arbiter and is not meant for us
