import { send } from '../service/client.js';
import type { StreamMessage } from './stream-reader.js';

export type ReadBatch = { readonly status: number; readonly messages: readonly StreamMessage[] };

/** Requests one batch of a stream (D58), on a connection of its own. */
export async function batchOf(url: string, key: string, query = ''): Promise<ReadBatch> {
  const headers = { Accept: 'application/json', 'X-API-Key': key };
  const { status, text } = await send(`${url}/pm/v2/stream${query}`, { headers });
  const { messages = [] } = JSON.parse(text) as { readonly messages?: readonly StreamMessage[] };
  return { status, messages };
}
