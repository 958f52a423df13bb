// Reads and writes the binary format of WebAssembly.

// A reader is used behind the VM's own validation alone, so it does not look for the end of its bytes.
export class Reader {
  constructor(bytes, pos = 0) {
    this.bytes = bytes;
    this.pos = pos;
  }

  byte() {
    return this.bytes[this.pos++];
  }

  // Read an unsigned number in LEB128.
  number() {
    let value = 0;
    let weight = 1;
    for (;;) {
      const byte = this.byte();
      value += (byte & 127) * weight;
      if (byte < 128) return value;
      weight *= 128;
    }
  }

  skipNumber() {
    while (this.byte() & 128);
  }

  take(length) {
    this.pos += length;
    return this.bytes.subarray(this.pos - length, this.pos);
  }

  name() {
    return new TextDecoder().decode(this.take(this.number()));
  }

  // Call a function for each entry of a vector and return what it gives.
  vector(read) {
    return Array.from({ length: this.number() }, read);
  }
}

export class Writer {
  constructor(room = 64) {
    this.bytes = new Uint8Array(room);
    this.length = 0;
  }

  byte(value) {
    this.room(1);
    this.bytes[this.length++] = value;
    return this;
  }

  all(bytes) {
    this.room(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
    return this;
  }

  // Write a number that is not negative in LEB128.
  number(value) {
    while (value > 127) {
      this.byte((value % 128) | 128);
      value = Math.floor(value / 128);
    }
    return this.byte(value);
  }

  // Write a number in signed LEB128.
  signed(value) {
    while (value < -64 || value > 63) {
      this.byte((((value % 128) + 128) % 128) | 128);
      value = Math.floor(value / 128);
    }
    return this.byte(value & 127);
  }

  // Write bytes behind their length.
  sized(bytes) {
    return this.number(bytes.length).all(bytes);
  }

  name(text) {
    return this.sized(new TextEncoder().encode(text));
  }

  room(length) {
    if (this.length + length <= this.bytes.length) return;
    const longer = new Uint8Array(Math.max(2 * this.bytes.length, this.length + length));
    longer.set(this.bytes.subarray(0, this.length));
    this.bytes = longer;
  }

  done() {
    return this.bytes.subarray(0, this.length);
  }
}
