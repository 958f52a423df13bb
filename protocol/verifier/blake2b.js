// BLAKE2b of 64 bytes under a key, for messages of one block: RFC 7693. Section 11 of METER.md makes random bytes of it.

const MASK = (1n << 64n) - 1n;
const START = [
  0x6a09e667f3bcc908n, 0xbb67ae8584caa73bn, 0x3c6ef372fe94f82bn, 0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n, 0x9b05688c2b3e6c1fn, 0x1f83d9abfb41bd6bn, 0x5be0cd19137e2179n,
];
const ORDERS = [
  "0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194", "7931dcbe265a40f8", "9057fe2bc68d3a14",
  "2c6a0b834d75fe19", "c51fed4a0763928b", "db7ec13950f4862a", "6fe9b308c2d714a5", "a2847615fb9e3cd0",
].map((row) => [...row].map((digit) => parseInt(digit, 16)));
const MIXED = [
  [0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15],
  [0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14],
];
const ROUNDS = 12;
const BLOCK_BYTES = 128;

// Return the hash of a message of 1 to 128 bytes, under a key of 1 to 64.
export function blake2b(key, message) {
  const state = [...START];
  state[0] ^= 0x01010000n ^ BigInt(key.length << 8) ^ 64n;
  compress(state, key, BLOCK_BYTES, false);
  compress(state, message, BLOCK_BYTES + message.length, true);
  const view = new DataView(new ArrayBuffer(64));
  state.forEach((word, at) => view.setBigUint64(8 * at, word, true));
  return new Uint8Array(view.buffer);
}

function compress(state, bytes, counted, last) {
  const words = wordsOf(bytes);
  const v = [...state, ...START];
  v[12] ^= BigInt(counted);
  if (last) v[14] ^= MASK;
  for (let round = 0; round < ROUNDS; round++) {
    const order = ORDERS[round % ORDERS.length];
    MIXED.forEach((places, at) => mix(v, places, words[order[2 * at]], words[order[2 * at + 1]]));
  }
  for (let at = 0; at < 8; at++) state[at] ^= v[at] ^ v[at + 8];
}

function wordsOf(bytes) {
  const block = new Uint8Array(BLOCK_BYTES);
  block.set(bytes);
  const view = new DataView(block.buffer);
  return Array.from({ length: 16 }, (_, at) => view.getBigUint64(8 * at, true));
}

function mix(v, [a, b, c, d], x, y) {
  v[a] = (v[a] + v[b] + x) & MASK;
  v[d] = turned(v[d] ^ v[a], 32n);
  v[c] = (v[c] + v[d]) & MASK;
  v[b] = turned(v[b] ^ v[c], 24n);
  v[a] = (v[a] + v[b] + y) & MASK;
  v[d] = turned(v[d] ^ v[a], 16n);
  v[c] = (v[c] + v[d]) & MASK;
  v[b] = turned(v[b] ^ v[c], 63n);
}

function turned(word, by) {
  return ((word >> by) | (word << (64n - by))) & MASK;
}
