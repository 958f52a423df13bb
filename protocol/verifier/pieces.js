// Pieces of code that the meter adds to a function: payments, heights and canonical NaNs.
import { Writer } from "./bytes.js";
import { BULK_SHIFT, GROWN_PAGE, HEIGHT_LIMIT } from "./prices.js";

export const F32 = 0x7d;
export const F64 = 0x7c;
const [IF, END, SELECT, UNREACHABLE, NO_RESULTS] = [0x04, 0x0b, 0x1b, 0x00, 0x40];
const [LOCAL_GET, LOCAL_SET, LOCAL_TEE, GLOBAL_GET, GLOBAL_SET] = [0x20, 0x21, 0x22, 0x23, 0x24];
const MEMORY_SIZE = [0x3f, 0];
const [I32_CONST, I64_CONST] = [0x41, 0x42];
const [I32_EQ, I32_GT_S, I32_LE_U, I32_ADD, I32_SUB, I32_AND, I32_SHR_U] = [0x46, 0x4a, 0x4d, 0x6a, 0x6b, 0x71, 0x76];
const [I64_LT_S, I64_LE_U, I64_ADD, I64_SUB, I64_MUL, I64_FROM_U32] = [0x53, 0x58, 0x7c, 0x7d, 0x7e, 0xad];
const TRAP_IF = [IF, NO_RESULTS, UNREACHABLE, END];
const NAN = {
  [F32]: { code: [0x43, 0, 0, 0xc0, 0x7f], equal: 0x5b },
  [F64]: { code: [0x44, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f], equal: 0x61 },
};

// The pieces of a module: its ticks, its height and its pages are the three globals behind its own.
export class Pieces {
  constructor(globals) {
    this.ticks = globals;
    this.height = globals + 1;
    this.pages = globals + 2;
    this.payments = new Map();
  }

  // Section 5: take what is on the stack from the ticks, and trap if they become negative.
  taken(code) {
    code.byte(I64_SUB).byte(GLOBAL_SET).number(this.ticks);
    code.byte(GLOBAL_GET).number(this.ticks).byte(I64_CONST).byte(0).byte(I64_LT_S).all(TRAP_IF);
  }

  // Section 2: the payment of a block; one that costs nothing has none.
  block(price) {
    if (!price) return [];
    if (!this.payments.has(price)) {
      const code = new Writer();
      code.byte(GLOBAL_GET).number(this.ticks).byte(I64_CONST).signed(price);
      this.taken(code);
      this.payments.set(price, code.done());
    }
    return this.payments.get(price);
  }

  // Section 3: the payment of a bulk instruction by the length on the stack, which stays there.
  bulk(code, scratch) {
    code.byte(LOCAL_TEE).number(scratch).byte(GLOBAL_GET).number(this.ticks);
    code.byte(LOCAL_GET).number(scratch).byte(I32_CONST).signed(BULK_SHIFT).byte(I32_SHR_U).byte(I64_FROM_U32);
    this.taken(code);
  }

  // Section 3: the payment of growth by the pages on the stack, which are there twice behind it: nothing above the maximum.
  growth(code, scratch, most) {
    code.byte(LOCAL_TEE).number(scratch).byte(I32_CONST).signed(most).byte(I32_LE_U).byte(IF).byte(NO_RESULTS);
    code.byte(GLOBAL_GET).number(this.ticks).byte(LOCAL_GET).number(scratch).byte(I64_FROM_U32);
    code.byte(I64_CONST).signed(GROWN_PAGE).byte(I64_MUL);
    this.taken(code);
    code.byte(END).byte(LOCAL_GET).number(scratch).byte(LOCAL_GET).number(scratch);
  }

  // Section 5: trap behind a growth that the machine refused. Its result stays on the stack; the pages asked for, below it, do not.
  refusedGrowth(code, scratch) {
    code.byte(LOCAL_SET).number(scratch).byte(I64_FROM_U32).all(MEMORY_SIZE).byte(I64_FROM_U32).byte(I64_ADD);
    code.byte(GLOBAL_GET).number(this.pages).byte(I64_FROM_U32).byte(I64_LE_U);
    code.byte(LOCAL_GET).number(scratch).byte(I32_CONST).signed(-1).byte(I32_EQ).byte(I32_AND).byte(IF).byte(NO_RESULTS);
    code.byte(I32_CONST).signed(-1).byte(GLOBAL_SET).number(this.pages).byte(UNREACHABLE).byte(END);
    code.byte(LOCAL_GET).number(scratch);
  }

  // Section 7: make a NaN on the stack canonical.
  canonical(code, scratch, type) {
    code.byte(LOCAL_TEE).number(scratch).all(NAN[type].code);
    code.byte(LOCAL_GET).number(scratch).byte(LOCAL_GET).number(scratch).byte(NAN[type].equal).byte(SELECT);
  }

  // Section 6: add a function's height when it is entered.
  enter(code, height) {
    this.changeHeight(code, height, I32_ADD);
    code.byte(GLOBAL_GET).number(this.height).byte(I32_CONST).signed(HEIGHT_LIMIT).byte(I32_GT_S).all(TRAP_IF);
  }

  // Section 6: take a function's height off when it returns.
  leave(code, height) {
    this.changeHeight(code, height, I32_SUB);
  }

  changeHeight(code, height, operation) {
    code.byte(GLOBAL_GET).number(this.height).byte(I32_CONST).signed(height);
    code.byte(operation).byte(GLOBAL_SET).number(this.height);
  }
}
