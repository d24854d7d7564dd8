import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** The file of an export, cut after its last complete line. */
export type ExportFile = {
  readonly handle: FileHandle;
  /** The bytes that stay. The next line is written after them. */
  readonly bytes: number;
  /** The position of the last line; null without lines. */
  readonly position: string | null;
};

const LINE_END = 10;
const LINE_START = Buffer.from('{"position":"');
const CHUNK_BYTES = 65_536;
const OTHER_FILE = 'it has other content than an export of the history, and is left as it is';

/** Opens a file, new or of an earlier export that may have been killed. A file with other content is not changed. */
export async function openExportFile(path: string): Promise<ExportFile | { readonly failed: string }> {
  const handle = await open(path, constants.O_RDWR | constants.O_CREAT, 0o666);
  const read = await keptOf(handle).catch(async (fault: unknown) => {
    await handle.close();
    throw fault;
  });
  if ('failed' in read) await handle.close();
  else await handle.truncate(read.bytes);
  return 'failed' in read ? read : { handle, ...read };
}

async function keptOf(
  handle: FileHandle,
): Promise<Pick<ExportFile, 'bytes' | 'position'> | { readonly failed: string }> {
  const stats = await handle.stat();
  if (!stats.isFile()) return { failed: 'it is no regular file' };
  const end = await afterLineEnd(handle, stats.size);
  const start = await afterLineEnd(handle, Math.max(0, end - 1));
  for (const from of [start, end]) {
    const begin = await bytesAt(handle, from, Math.min(stats.size, from + LINE_START.length));
    if (!LINE_START.subarray(0, begin.length).equals(begin)) return { failed: OTHER_FILE };
  }
  if (end === 0) return { bytes: 0, position: null };
  const position = positionIn((await bytesAt(handle, start, end)).toString('utf8'));
  return position === null ? { failed: OTHER_FILE } : { bytes: end, position };
}

/** Where the line that is incomplete at `before` begins: after the last line end, or at 0. */
async function afterLineEnd(handle: FileHandle, before: number): Promise<number> {
  for (let to = before; to > 0; to -= CHUNK_BYTES) {
    const from = Math.max(0, to - CHUNK_BYTES);
    const at = (await bytesAt(handle, from, to)).lastIndexOf(LINE_END);
    if (at !== -1) return from + at + 1;
  }
  return 0;
}

async function bytesAt(handle: FileHandle, from: number, to: number): Promise<Buffer> {
  const buffer = Buffer.alloc(to - from);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, from + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

/** Null if the line is no change of a history. */
function positionIn(line: string): string | null {
  try {
    const change: unknown = JSON.parse(line);
    const isChange =
      typeof change === 'object' &&
      change !== null &&
      'position' in change &&
      typeof change.position === 'string' &&
      ['kind', 'known_at', 'id', 'item'].every((name) => Object.hasOwn(change, name));
    return isChange ? String(change.position) : null;
  } catch {
    return null;
  }
}
