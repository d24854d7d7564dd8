import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';

/** The last line of an export that did not break off. */
export type LastLine = {
  readonly type: 'complete' | 'paused';
  readonly position: string;
  readonly retry_after_seconds?: number | null;
  readonly problem?: { readonly code: string } | null;
};

/** What a client got of an export: the lines of changes that are complete, and the last line if it arrived. */
export type Exported = {
  readonly changes: readonly string[];
  readonly last: LastLine | null;
  /** Whether it ends with a line feed. */
  readonly isWhole: boolean;
};

/** An export whose first bytes have arrived. The client reads nothing more until `rest` is called. */
export type BegunExport = { readonly rest: () => Promise<Exported> };

/** Requests an export of plain HTTP. Asks again after 503. */
export async function openExport(url: string, key: string, query: string): Promise<IncomingMessage> {
  const headers = { 'X-API-Key': key, Accept: 'application/x-ndjson', 'Accept-Encoding': 'identity' };
  for (;;) {
    const sending = get(`${url}/pm/v2/history${query}`, { headers, agent: false });
    const [response] = (await once(sending, 'response')) as [IncomingMessage];
    if (response.statusCode === 200) return response;
    if (response.statusCode !== 503) throw new Error(`${response.statusCode}: ${await text(response)}`);
    response.resume();
    await setTimeout(Number(response.headers['retry-after']) * 1_000);
  }
}

export async function begunExport(url: string, key: string, query: string): Promise<BegunExport> {
  const response = await openExport(url, key, query);
  await once(response, 'readable');
  return { rest: async () => exported(await bytesOf(response)) };
}

export const readExport = async (url: string, key: string, query: string): Promise<Exported> =>
  exported(await bytesOf(await openExport(url, key, query)));

/** All bytes that arrive, also if the connection is lost. */
export async function bytesOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => {});
  await new Promise((done) => response.once('close', done));
  return Buffer.concat(chunks);
}

function exported(body: Buffer): Exported {
  const lines = body.toString().split('\n');
  const isWhole = lines.pop() === '';
  const last = JSON.parse(lines.at(-1) ?? '{}') as LastLine;
  return last.type === undefined
    ? { changes: lines, last: null, isWhole }
    : { changes: lines.slice(0, -1), last, isWhole };
}

/** Where to continue: at the last line, or at the last change that is complete. Null if the range is complete. */
export function continuation({ changes, last }: Exported, before: string): string | null {
  if (last?.type === 'complete') return null;
  if (last !== null) return last.position;
  const change = changes.at(-1);
  return change === undefined ? before : (JSON.parse(change) as { readonly position: string }).position;
}
