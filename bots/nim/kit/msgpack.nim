## MessagePack, the part that the protocol uses: nil, booleans, integers, strings, arrays and maps with strings as keys, as
## nodes of std/json.

import std/json

proc decode*(text: string): JsonNode =
  ## The one value that the text holds. ValueError for anything else.
  var at = 0

  proc take(size: int): int =
    if size > text.len - at:
      raise newException(ValueError, "a value beyond the end of the frame")
    result = at
    at += size

  proc number(size: int): uint64 =
    let start = take(size)
    for i in start ..< start + size:
      result = result shl 8 or uint64(ord(text[i]))

  proc unsigned(size: int): int = cast[int](number(size)) # exact: the protocol has no integer beyond 53 bits

  proc signed(size: int): int =
    let unused = 64 - 8 * size
    cast[int](number(size) shl unused) shr unused # shr of a signed number copies its sign

  proc str(size: int): JsonNode =
    let start = take(size)
    newJString(text[start ..< start + size])

  proc value(): JsonNode

  proc list(size: int): JsonNode =
    result = newJArray()
    for _ in 1 .. size:
      result.add value()

  proc map(size: int): JsonNode =
    result = newJObject()
    for _ in 1 .. size:
      let key = value()
      if key.kind != JString:
        raise newException(ValueError, "a key that is no string")
      result[key.str] = value()

  proc value(): JsonNode =
    let tag = unsigned(1)
    case tag
    of 0x00 .. 0x7f: newJInt(tag)
    of 0x80 .. 0x8f: map(tag - 0x80)
    of 0x90 .. 0x9f: list(tag - 0x90)
    of 0xa0 .. 0xbf: str(tag - 0xa0)
    of 0xc0: newJNull()
    of 0xc2: newJBool(false)
    of 0xc3: newJBool(true)
    of 0xcc .. 0xcf: newJInt(unsigned(1 shl (tag - 0xcc)))
    of 0xd0 .. 0xd3: newJInt(signed(1 shl (tag - 0xd0)))
    of 0xd9 .. 0xdb: str(unsigned(1 shl (tag - 0xd9)))
    of 0xdc .. 0xdd: list(unsigned(2 shl (tag - 0xdc)))
    of 0xde .. 0xdf: map(unsigned(2 shl (tag - 0xde)))
    of 0xe0 .. 0xff: newJInt(tag - 0x100)
    else: raise newException(ValueError, "a value of type " & $tag & ", which the protocol does not have")

  result = value()
  if at != text.len:
    raise newException(ValueError, "bytes behind the message")

proc encode*(value: JsonNode): string =
  ## The shortest encoding is not asked for: lengths have 4 bytes, integers 8.
  proc tagged(tag: int, number: BiggestInt, size: int): string =
    result = $chr(tag)
    for i in countdown(size - 1, 0):
      result.add chr(number shr (8 * i) and 0xff)

  case value.kind
  of JNull: result = "\xc0"
  of JBool: result = if value.getBool: "\xc3" else: "\xc2"
  of JInt: result = tagged(0xd3, value.num, 8)
  of JFloat: raise newException(ValueError, $value & " is a float, which the protocol does not have")
  of JString: result = tagged(0xdb, value.str.len, 4) & value.str
  of JArray:
    result = tagged(0xdd, value.len, 4)
    for item in value:
      result.add encode(item)
  of JObject:
    result = tagged(0xdf, value.len, 4)
    for key, item in value:
      result.add encode(newJString(key)) & encode(item)
