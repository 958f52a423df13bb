// MessagePack, the part that the protocol uses: nil, booleans, whole numbers, strings, arrays, maps.

// What the arbiter sends is made of these.
export type Plain = null | boolean | number | string | Plain[] | Fields;
export type Fields = { [key: string]: Plain };

// The one value that the bytes hold.
export function decode(bytes: Uint8Array): Plain {
  const numbers = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  const take = (size: number): number => {
    if (at + size > bytes.length) throw new RangeError("a message that ends inside a value");
    at += size;
    return at - size;
  };
  const text = (size: number): string => {
    const from = take(size);
    if (size > SHORT) return utf8.decode(bytes.subarray(from, at));
    let short = "";
    for (let i = from; i < at; i++) {
      if (bytes[i] > 0x7f) return utf8.decode(bytes.subarray(from, at));
      short += String.fromCharCode(bytes[i]);
    }
    return short;
  };
  const array = (size: number): Plain[] => {
    const items: Plain[] = [];
    for (let i = 0; i < size; i++) items.push(value());
    return items;
  };
  const map = (size: number): Fields => {
    const pairs: Fields = {};
    for (let i = 0; i < size; i++) {
      const key = value() as string;
      if (key !== "__proto__") pairs[key] = value();
      else Object.defineProperty(pairs, key, { value: value(), enumerable: true, writable: true, configurable: true });
    }
    return pairs;
  };
  const value = (): Plain => {
    const tag = bytes[take(1)];
    if (tag <= 0x7f) return tag;
    if (tag <= 0x8f) return map(tag - 0x80);
    if (tag <= 0x9f) return array(tag - 0x90);
    if (tag <= 0xbf) return text(tag - 0xa0);
    if (tag >= 0xe0) return tag - 0x100;
    switch (tag) {
      case 0xc0: return null;
      case 0xc2: return false;
      case 0xc3: return true;
      case 0xcc: return bytes[take(1)];
      case 0xcd: return numbers.getUint16(take(2));
      case 0xce: return numbers.getUint32(take(4));
      case 0xcf: return Number(numbers.getBigUint64(take(8))); // exact: the protocol stays within 2**53 - 1
      case 0xd0: return numbers.getInt8(take(1));
      case 0xd1: return numbers.getInt16(take(2));
      case 0xd2: return numbers.getInt32(take(4));
      case 0xd3: return Number(numbers.getBigInt64(take(8)));
      case 0xd9: return text(bytes[take(1)]);
      case 0xda: return text(numbers.getUint16(take(2)));
      case 0xdb: return text(numbers.getUint32(take(4)));
      case 0xdc: return array(numbers.getUint16(take(2)));
      case 0xdd: return array(numbers.getUint32(take(4)));
      case 0xde: return map(numbers.getUint16(take(2)));
      case 0xdf: return map(numbers.getUint32(take(4)));
      default: throw new TypeError(`a value of type 0x${tag.toString(16)}, which the protocol does not have`);
    }
  };
  const whole = value();
  if (at !== bytes.length) throw new RangeError("bytes behind the message");
  return whole;
}

declare const khiva: unknown; // in ticks, where the interpreter decodes and encodes, and has no such decoder
const utf8 = (typeof khiva === "undefined" ? new TextDecoder("utf-8", { ignoreBOM: true }) : null) as TextDecoder;
const SHORT = 24; // letters up to which it is quicker to look at each than to start the decoder

// A flat map of strings and whole numbers is all that a bot has to say.
export function encode(message: { [key: string]: string | number }): Uint8Array {
  const out: number[] = [0x80 + Object.keys(message).length];
  for (const item of Object.entries(message).flat()) {
    if (typeof item === "string") {
      const bytes = new TextEncoder().encode(item);
      out.push(0xda, bytes.length >> 8, bytes.length & 255, ...bytes); // str16
    } else {
      const head = new DataView(new ArrayBuffer(8));
      head.setBigInt64(0, BigInt(item));
      out.push(0xd3, ...new Uint8Array(head.buffer)); // int64
    }
  }
  return Uint8Array.from(out);
}
