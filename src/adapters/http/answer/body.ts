import getRawBody from 'raw-body';
import type { Refusal } from '../../../domain/refusal.js';
import { drain } from '../listener/unread-body.js';
import { validator } from '../schema/validator.js';
import type { Context, RouteContext, RouteHandler } from '../state.js';
import { answerProblem, answerRefusal } from './problem.js';

/** Beyond what a call takes, this much more is read and dropped, so that the sender gets to the answer. */
const DRAINED_MAX = 64 * 1_024 * 1_024;

export type MediaType = 'application/json' | 'application/x-ndjson';

/** The media type of a request, if the call takes it; null when it was answered 415. */
export function mediaType<Taken extends MediaType>(ctx: Context, taken: readonly Taken[]): Taken | null {
  const [sent = ''] = ctx.get('Content-Type').toLowerCase().split(';');
  const type = taken.find((candidate) => candidate === sent.trim());
  const encoding = ctx.get('Content-Encoding').toLowerCase();
  if (type !== undefined && (encoding === '' || encoding === 'identity')) return type;
  ctx.set('Accept', taken.join(', '));
  answerProblem(ctx, 'unsupported_media_type');
  return null;
}

/** The whole body; null when it was larger than the call takes, and answered 413. */
export async function wholeBody(ctx: Context, bytesMax: number): Promise<Buffer | null> {
  try {
    return await getRawBody(ctx.req, { limit: bytesMax });
  } catch (fault) {
    if ((fault as { readonly type?: string }).type !== 'entity.too.large') throw fault;
    await refuseTooLarge(ctx);
    return null;
  }
}

/** Answers 413 and lets go of the connection: what still comes on it is not the next request. */
export async function refuseTooLarge(ctx: Context, detail?: string): Promise<void> {
  await drain(ctx.req, DRAINED_MAX);
  ctx.set('Connection', 'close');
  answerProblem(ctx, 'payload_too_large', detail === undefined ? {} : { detail });
}

/** A handler for requests whose body is JSON of one of the schemas, by name; no body at all is `{}`. */
export function takesJson<Body>(
  schema: string,
  bytesMax: number,
  handle: (ctx: RouteContext, body: Body) => Promise<void>,
): RouteHandler {
  const faultsOf = validator(schema);
  return async (ctx) => {
    const bytes = await wholeBody(ctx, bytesMax);
    if (bytes === null || (bytes.length > 0 && mediaType(ctx, ['application/json']) === null)) return;
    const parsed = bytes.length === 0 ? { json: {} } : parseJson(bytes);
    if ('refused' in parsed) return answerRefusal(ctx, parsed);
    const faults = faultsOf(parsed.json);
    if (faults.length > 0) return answerRefusal(ctx, { refused: 'invalid_body', faults });
    return handle(ctx, parsed.json as Body);
  };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Bytes as JSON, or why they are none. What was sent is not repeated. */
export function parseJson(bytes: Uint8Array): { readonly json: unknown } | Refusal<'invalid_body'> {
  try {
    return { json: JSON.parse(utf8.decode(bytes)) };
  } catch (fault) {
    const [position = ''] = / at position \d+/.exec(String(fault)) ?? [];
    const message = fault instanceof SyntaxError ? `is not valid JSON${position}` : 'is not valid UTF-8';
    return { refused: 'invalid_body', faults: [{ parameter: '', code: 'invalid_json', message }] };
  }
}
