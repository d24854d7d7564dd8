import { ReadFault } from './feed-source.js';
import type { Post } from './internal-post.js';
import { type BatchLimits, type LineBatch, lineBatches } from './line-batches.js';
import type { Progress, Tally } from './progress.js';
import { RejectedLines } from './rejected-lines.js';

/**
 * The result of an import. `failed` is the reason why it stopped early. `nextLine` is the number of the next line, if
 * any line was sent. `isUnavailable`: the service is the reason.
 */
export type ImportOutcome = Tally & {
  readonly failed?: string;
  readonly isUnavailable?: boolean;
  readonly nextLine?: number;
};

export type ImportParts = {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly post: Post;
  readonly progress: Progress;
  readonly limits?: BatchLimits;
};

/** Publishes a file of NDJSON batch by batch, in its order, and prints the first lines that are rejected (D30). */
export async function importFeed(parts: ImportParts): Promise<ImportOutcome> {
  const rejectedLines = new RejectedLines(parts.progress.print);
  const outcome = await publishBatches(parts, rejectedLines);
  rejectedLines.printRest();
  return outcome;
}

const AN_ARRAY =
  'the file is a JSON array, and an import reads NDJSON, one item a line; convert it with jq -c ".[]" and import the result';

const AN_ITEM_ON_SEVERAL_LINES =
  'the file has an item on several lines, and an import reads NDJSON, one item a line; convert it with jq -c . and import the result';

/** The first line begins an object and does not end it. */
const isOnSeveralLines = (body: Buffer): boolean =>
  /^\s*\{([^\n]*[{[,])?\s*\n/.test(body.toString('latin1', 0, 4_096));

/** The first character that is not white space begins an array. An item is an object. */
const isArray = (body: Buffer): boolean => /^\s*\[/.test(body.toString('latin1', 0, 64));

async function* itemBatches(
  chunks: AsyncIterable<Uint8Array>,
  limits: BatchLimits | undefined,
): AsyncGenerator<LineBatch> {
  let isFirst = true;
  for await (const batch of lineBatches(chunks, limits)) {
    if (isFirst && isArray(batch.body)) throw new ReadFault(AN_ARRAY);
    if (isFirst && isOnSeveralLines(batch.body)) throw new ReadFault(AN_ITEM_ON_SEVERAL_LINES);
    isFirst = false;
    yield batch;
  }
}

async function publishBatches(
  { chunks, post, progress, limits }: ImportParts,
  rejectedLines: RejectedLines,
): Promise<ImportOutcome> {
  let tally: Tally = { published: 0, unchanged: 0, rejected: 0, readBytes: 0 };
  let nextLine: number | undefined;
  // The first request is empty, because a refusal during an upload would look like a broken connection.
  const first = await post(Buffer.alloc(0));
  if ('failed' in first) return { ...tally, failed: first.failed, isUnavailable: first.isUnavailable };
  progress.show(tally);
  try {
    for await (const batch of itemBatches(chunks, limits)) {
      const answer = await post(batch.body);
      if ('failed' in answer) {
        const { failed, isUnavailable } = answer;
        return { ...tally, failed, isUnavailable, nextLine: batch.numbers[0] ?? 1 };
      }
      const { accepted, unchanged = 0, rejected } = answer;
      rejectedLines.add(rejected, batch);
      tally = {
        published: tally.published + accepted,
        unchanged: tally.unchanged + unchanged,
        rejected: tally.rejected + rejected.length,
        readBytes: batch.readBytes,
      };
      nextLine = (batch.numbers.at(-1) ?? 0) + 1;
      progress.show(tally);
    }
  } catch (fault) {
    if (!(fault instanceof ReadFault)) throw fault;
    return { ...tally, failed: fault.message, ...(nextLine !== undefined && { nextLine }) };
  }
  return tally;
}
