/**
 * Joins pieces into memory of their own, for bytes that a cache keeps and counts. A small result of `Buffer.concat` or `Buffer.from` is
 * a part of a pool of 8 KB, and a result of zlib one of 16 KB: all of that would stay in memory with it (T31).
 */
export function keptBytes(pieces: readonly Uint8Array[]): Buffer {
  const kept = Buffer.allocUnsafeSlow(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    kept.set(piece, at);
    at += piece.length;
  }
  return kept;
}
