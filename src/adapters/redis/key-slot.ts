export const SLOTS = 16_384;

/** CRC-16 (XMODEM) of each byte value. */
const CRC = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021;
  return crc;
});

/** The slot of a key in a cluster. Only the text in the first braces counts, if there is any. */
export function keySlot(key: string): number {
  const from = key.indexOf('{');
  const to = from < 0 ? -1 : key.indexOf('}', from + 1);
  const hashed = to > from + 1 ? key.slice(from + 1, to) : key;
  let crc = 0;
  for (const byte of Buffer.from(hashed)) crc = ((crc << 8) ^ (CRC[(crc >> 8) ^ byte] ?? 0)) & 0xffff;
  return crc % SLOTS;
}
