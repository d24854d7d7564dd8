import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ownValue } from '../../domain/own-value.js';

/** A file to import; `bytes` is null if its length is unknown. */
export type FeedSource = { readonly chunks: AsyncIterable<Uint8Array>; readonly bytes: number | null };

/** A file, by its path from `folder`, or standard input for `-`. The file is opened when it is read. */
export async function feedSource(
  file: string,
  folder: string,
  input: AsyncIterable<Uint8Array>,
): Promise<FeedSource | { readonly failed: string }> {
  if (file === '-') return { chunks: readable('standard input', () => input), bytes: null };
  const path = resolve(folder, file);
  try {
    const stats = await stat(path);
    const chunks = readable(file, () => createReadStream(path));
    return { chunks, bytes: stats.isFile() ? stats.size : null };
  } catch (fault) {
    return { failed: unreadable(file, fault).message };
  }
}

/** Thrown if the file cannot be read to its end. */
export class ReadFault extends Error {}

async function* readable(name: string, open: () => AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* open();
  } catch (fault) {
    throw unreadable(name, fault);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
};

function unreadable(name: string, cause: unknown): ReadFault {
  const { code = String(cause) } = cause as { readonly code?: string };
  return new ReadFault(`cannot read ${name}: ${ownValue(REASONS, code) ?? code}`, { cause });
}
