/** A deflate block that is not compressed (RFC 1951, 3.2.4), for short text between compressed blocks. */
export function stored(text: Buffer): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 0]);
  header.writeUInt16LE(text.length, 1);
  header.writeUInt16LE(~text.length & 0xffff, 3);
  return Buffer.concat([header, text]);
}
