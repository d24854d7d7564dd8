import { setImmediate } from 'node:timers/promises';
import type { NewDryRun, PublishNews } from '../../../application/feed/publish-news.js';
import { PUBLISH_MODES } from '../../../domain/feed/assign-scored-at.js';
import { type Fault, isRefusal } from '../../../domain/refusal.js';
import { mediaType, parseJson, refuseTooLarge, wholeBody } from '../answer/body.js';
import { answerRefusal } from '../answer/problem.js';
import { values } from '../parameters.js';
import type { Context, Middleware } from '../state.js';
import { BodyLines } from './body-lines.js';
import { Publishing, type PublishingNotes, type PublishingReport } from './publishing.js';

const MEGABYTE = 1_024 * 1_024;
/** In bytes (D30). */
const LIMITS = { jsonBytes: 8 * MEGABYTE, ndjsonBytes: 64 * MEGABYTE, lineBytes: MEGABYTE };
/** After this number of lines, or of elements of an array, the event loop serves other requests. Short or invalid lines count too. */
const LINES_PER_TICK = 500;

type Parts = {
  readonly publishNews: PublishNews;
  readonly newDryRun: NewDryRun;
  readonly publicationNotes: PublishingNotes;
};

/** POST /internal/v1/news: valid items are stored even if others are rejected (D30). A dry run stores nothing (D140). */
export const postNews =
  ({ publishNews, newDryRun, publicationNotes }: Parts): Middleware =>
  async (ctx) => {
    const mode = oneOf(ctx.querystring, 'mode', PUBLISH_MODES);
    const dryRun = oneOf(ctx.querystring, 'dry_run', ['false', 'true']);
    const faults = [mode, dryRun].filter((read) => typeof read === 'object');
    if (typeof mode === 'object' || typeof dryRun === 'object')
      return answerRefusal(ctx, { refused: 'invalid_parameter', faults });
    const type = mediaType(ctx, ['application/x-ndjson', 'application/json']);
    if (type === null) return;
    const publishing =
      dryRun === 'true'
        ? new Publishing(newDryRun(), mode, null)
        : new Publishing(publishNews, mode, publicationNotes);
    await (type === 'application/json' ? takeArray(ctx, publishing) : takeLines(ctx, publishing));
  };

/** The value of a parameter; the first known one if it is absent. */
function oneOf<Value extends string>(
  querystring: string,
  parameter: string,
  known: readonly [Value, ...Value[]],
): Value | Fault {
  const [sent = known[0], ...others] = values(querystring, parameter);
  const value = known.find((each) => each === sent);
  if (value !== undefined && others.length === 0) return value;
  return { parameter, code: 'not_allowed', message: `must be one of ${known.join(', ')}, given once` };
}

/** Reads one publication or an array. The report states the position in the array, from 1, as the line. */
async function takeArray(ctx: Context, publishing: Publishing): Promise<void> {
  const bytes = await wholeBody(ctx, LIMITS.jsonBytes);
  if (bytes === null) return;
  const parsed = parseJson(bytes);
  if ('refused' in parsed) return answerRefusal(ctx, parsed);
  const publications = Array.isArray(parsed.json) ? parsed.json : [parsed.json];
  for (const [i, publication] of publications.entries()) {
    await publishing.take(i + 1, publication);
    await afterLine(i + 1);
  }
  answerReport(ctx, await publishing.report());
}

async function takeLines(ctx: Context, publishing: Publishing): Promise<void> {
  if (Number(ctx.get('Content-Length')) > LIMITS.ndjsonBytes) return refuseTooLarge(ctx);
  const lines = new BodyLines(ctx.req, { bytesMax: LIMITS.ndjsonBytes, lineBytesMax: LIMITS.lineBytes });
  for await (const { number, bytes } of lines) {
    await takeLine(publishing, number, bytes);
    await afterLine(number);
  }
  const report = await publishing.report();
  if (!lines.tooLarge) return answerReport(ctx, report);
  const { accepted, rejected, dry_run: isDryRun = false } = report;
  const stored = isDryRun ? 'would have been stored' : 'were stored';
  await refuseTooLarge(
    ctx,
    `A body may have at most 64 MB. Before this limit, ${accepted} items ${stored} and ${rejected.length} lines were rejected.`,
  );
}

/** If the feed has none of the items, the publication failed, and a publisher who looks at the status only must see that (D11). */
function answerReport(ctx: Context, report: PublishingReport): void {
  const isRefused = report.accepted + report.unchanged === 0 && report.rejected.length > 0;
  ctx.status = isRefused ? 422 : 200;
  ctx.body = report;
}

async function takeLine(publishing: Publishing, line: number, bytes: Buffer | null): Promise<void> {
  if (bytes === null) {
    const message = 'a line may have at most 1 MB';
    return publishing.reject(line, null, [{ parameter: '', code: 'line_too_long', message }]);
  }
  if (isBlank(bytes)) return;
  const parsed = parseJson(bytes);
  if (isRefusal(parsed)) publishing.reject(line, null, parsed.faults);
  else if (Array.isArray(parsed.json)) publishing.reject(line, null, [ARRAY_IN_A_LINE]);
  else await publishing.take(line, parsed.json);
}

const afterLine = (number: number) => (number % LINES_PER_TICK === 0 ? setImmediate() : undefined);

const ARRAY_IN_A_LINE: Fault = {
  parameter: '',
  code: 'invalid_type',
  message: 'is an array; send one item a line, or the array as application/json',
};

const isBlank = (bytes: Buffer): boolean => bytes.every((byte) => byte <= 0x20);
