const [FIN, MASKED] = [0x80, 0x80];
const [SHORT_MAX, TWO_BYTES, EIGHT_BYTES] = [125, 126, 127];
const MASK = Buffer.from([1, 2, 3, 4]);

export const OPCODE = {
  continuation: 0,
  text: 1,
  binary: 2,
  reserved: 3,
  close: 8,
  ping: 9,
  pong: 10,
} as const;

/** The frame of a client (RFC 6455, 5.2), as wrong as a test wants it. */
export function frame(
  opcode: number,
  payload: Buffer | string = '',
  wrong: {
    readonly isUnmasked?: boolean;
    readonly isFragment?: boolean;
    /** Reserved bits: 0x40, 0x20, 0x10. */
    readonly reserved?: number;
    /** Stated instead of the length of the payload, in eight bytes. */
    readonly length?: bigint;
  } = {},
): Buffer {
  const content = Buffer.from(payload);
  const first = (wrong.isFragment ? 0 : FIN) | (wrong.reserved ?? 0) | opcode;
  const masked = wrong.isUnmasked ? 0 : MASKED;
  const mask = wrong.isUnmasked ? [] : [MASK];
  const bytes = content.map((byte, i) => (wrong.isUnmasked ? byte : byte ^ (MASK[i % MASK.length] ?? 0)));
  return Buffer.concat([
    Buffer.from([first]),
    lengthOf(content.length, wrong.length, masked),
    ...mask,
    bytes,
  ]);
}

function lengthOf(length: number, stated: bigint | undefined, masked: number): Buffer {
  if (stated !== undefined) {
    const eight = Buffer.alloc(9, masked | EIGHT_BYTES);
    eight.writeBigUInt64BE(stated, 1);
    return eight;
  }
  if (length <= SHORT_MAX) return Buffer.from([masked | length]);
  const two = Buffer.alloc(3, masked | TWO_BYTES);
  two.writeUInt16BE(length, 1);
  return two;
}

/** The control frames that a server has sent: their opcodes and contents. Messages are skipped. */
export function controlFrames(
  received: Buffer,
): readonly { readonly opcode: number; readonly content: Buffer }[] {
  const frames = [];
  for (let at = 0; at + 2 <= received.length; ) {
    const [first = 0, second = 0] = received.subarray(at, at + 2);
    const extended = second === TWO_BYTES ? 2 : second === EIGHT_BYTES ? 8 : 0;
    const length =
      extended === 0 ? second : received.readUIntBE(at + (extended === 2 ? 2 : 4), extended === 2 ? 2 : 6);
    const content = received.subarray(at + 2 + extended, at + 2 + extended + length);
    if (content.length < length) break;
    const opcode = first & 0x0f;
    if (opcode >= OPCODE.close) frames.push({ opcode, content });
    at += 2 + extended + length;
  }
  return frames;
}

/** The code in a close frame. */
export const closeFrame = (code: number, reason: Buffer | string = ''): Buffer => {
  const content = Buffer.alloc(2);
  content.writeUInt16BE(code);
  return frame(OPCODE.close, Buffer.concat([content, Buffer.from(reason)]));
};
