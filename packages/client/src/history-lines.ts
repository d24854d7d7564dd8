import type { HistoryChange, HistoryComplete, HistoryPaused, HistoryProgress } from './api.js';
import { invalidResponse, OddswireError, parsed } from './errors.js';
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
      else if (value.type === 'paused') return pausedError(value);
      signal?.throwIfAborted(); // The user gets none of the lines that have already arrived.
    }
    // Also if it looks like the end of a response: after a cut, a proxy can end it as if it were complete.
    throw transport.errors.failed(new Error('the lines ended too early'));
  } finally {
    connection.abort();
    connection.unlink();
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
    const lines = await readLines(reader, parser, timeoutMs).catch((fault: unknown) => {
      signal?.throwIfAborted();
      throw fault instanceof OddswireError ? fault : errors.failed(fault);
    });
    if (lines === null) return;
    yield* lines;
  }
}

/** Null at the end of the connection. Rejects if it was cut or is silent, or if the bytes are not UTF-8. */
async function readLines(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  parser: LineParser,
  timeoutMs: number,
): Promise<readonly string[] | null> {
  const bytes = await readWithin(reader, timeoutMs);
  if (bytes === 'silent') throw new OddswireError('timed_out', 'No further line arrived in time.');
  return bytes === null ? null : parser.push(bytes);
}

type Line = HistoryChange | HistoryProgress | HistoryComplete | HistoryPaused;

const isLine = (value: unknown): value is Line =>
  typeof value === 'object' &&
  value !== null &&
  'position' in value &&
  typeof value.position === 'string' &&
  ('type' in value || ('id' in value && 'kind' in value && 'item' in value));

const isChange = (line: Line): line is HistoryChange => !('type' in line);

/** The service says when to continue; a refusal that does not end by waiting is final by its status. */
function pausedError({ problem, retry_after_seconds }: HistoryPaused): OddswireError {
  const { code = 'unavailable', detail = 'The service needs the connection.', status = 503 } = problem ?? {};
  return new OddswireError(code, detail, { status, retryAfterSeconds: retry_after_seconds, problem });
}
