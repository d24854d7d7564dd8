import type { HistoryChange, HistoryComplete, HistoryPaused, HistoryProgress } from './api.js';
import { endedByService, invalidResponse, OddswireError } from './errors.js';
import { isObject, parsed } from './json.js';
import { LineParser } from './lines.js';
import type { Resume } from './resume.js';
import type { Transport } from './transport.js';
import { readWithin } from './waiting.js';

const NDJSON = 'application/x-ndjson';

/** One connection. Returns null at the end of the range, or else why the lines end before it. */
export async function* linesOnce(
  transport: Transport,
  resume: Resume,
  signal: AbortSignal | undefined,
): AsyncGenerator<HistoryChange, OddswireError | null> {
  const path = `/pm/v2/history?${resume.queryText()}`;
  const { query } = resume;
  const { response, connection } = await transport.open({ path, query, accept: NDJSON, signal });
  try {
    if (!response.headers.get('Content-Type')?.startsWith(NDJSON) || response.body === null)
      throw invalidResponse('The response is not in lines of JSON.');
    for await (const line of linesOf(response.body, transport, signal)) {
      const value = parsed(line);
      if (!isLine(value)) throw invalidResponse('A line of the response is damaged.');
      resume.moveTo(value.position);
      if (isChange(value)) yield value;
      else if (value.type === 'complete') return null;
      else if (value.type === 'paused') return endedByService(value);
      signal?.throwIfAborted(); // The user gets none of the lines that have already arrived.
    }
    // Also if it looks like the end of a response: after a cut, a proxy can end it as if it were complete.
    throw transport.errors.failed(new Error('the stream ended'));
  } finally {
    connection.abort();
  }
}

async function* linesOf(
  body: ReadableStream<Uint8Array>,
  { timeoutMs, errors }: Transport,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void> {
  const reader = body.getReader();
  const parser = new LineParser();
  for (;;) {
    let lines: readonly string[];
    try {
      const bytes = await readWithin(reader, timeoutMs);
      if (bytes === null) return;
      if (bytes === 'silent') throw errors.timedOut(new Error('the stream is silent'));
      lines = parser.push(bytes);
    } catch (error) {
      signal?.throwIfAborted();
      // The connection was cut, or the bytes are not UTF-8.
      throw error instanceof OddswireError ? error : errors.failed(error);
    }
    yield* lines;
  }
}

type Line = HistoryChange | HistoryProgress | HistoryComplete | HistoryPaused;

const isLine = (value: unknown): value is Line =>
  isObject(value) &&
  typeof value['position'] === 'string' &&
  ('type' in value || ('id' in value && 'kind' in value && 'item' in value));

const isChange = (line: Line): line is HistoryChange => !('type' in line);
