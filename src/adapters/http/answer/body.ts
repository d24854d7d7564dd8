import getRawBody from 'raw-body';
import type { Refusal } from '../../../domain/refusal.js';
import { drain } from '../listener/unread-body.js';
import { validator } from '../schema/validator.js';
import type { Context, RouteContext, RouteHandler } from '../state.js';
import { answerProblem, answerRefusal } from './problem.js';

/**
 * If a body is too large, up to this number of further bytes are read and discarded. Then the sender can read the
 * response.
 */
const DRAINED_MAX = 64 * 1_024 * 1_024;

export type MediaType = 'application/json' | 'application/x-ndjson';

/** The media type of a request if it is one of `taken`. Otherwise answers 415 and returns null. */
export function mediaType<Taken extends MediaType>(ctx: Context, taken: readonly Taken[]): Taken | null {
  const [sent = ''] = ctx.get('Content-Type').toLowerCase().split(';');
  const type = taken.find((candidate) => candidate === sent.trim());
  const encoding = ctx.get('Content-Encoding').toLowerCase();
  if (type !== undefined && (encoding === '' || encoding === 'identity')) return type;
  ctx.set('Accept', taken.join(', '));
  answerProblem(ctx, 'unsupported_media_type');
  return null;
}

/** The whole body. If it is larger than `bytesMax`, answers 413 and returns null. */
export async function wholeBody(ctx: Context, bytesMax: number): Promise<Buffer | null> {
  try {
    return await getRawBody(ctx.req, { limit: bytesMax });
  } catch (fault) {
    if ((fault as { readonly type?: string }).type !== 'entity.too.large') throw fault;
    await refuseTooLarge(ctx);
    return null;
  }
}

/** Answers 413 and closes the connection, because the next bytes on it are the rest of this body and not a request. */
export async function refuseTooLarge(ctx: Context, detail?: string): Promise<void> {
  await drain(ctx.req, DRAINED_MAX);
  ctx.set('Connection', 'close');
  answerProblem(ctx, 'payload_too_large', detail === undefined ? {} : { detail });
}

/** A handler for JSON bodies of the named schema; an empty body counts as `{}`. */
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

/** Parses bytes as JSON. The message of a fault does not contain the bytes. */
export function parseJson(bytes: Uint8Array): { readonly json: unknown } | Refusal<'invalid_body'> {
  if (bytes.length === 0) {
    const message = 'is empty; send JSON';
    return { refused: 'invalid_body', faults: [{ parameter: '', code: 'invalid_json', message }] };
  }
  try {
    return { json: JSON.parse(utf8.decode(bytes)) };
  } catch (fault) {
    const [position = ''] = / at position \d+/.exec(String(fault)) ?? [];
    const message = fault instanceof SyntaxError ? `is not valid JSON${position}` : 'is not valid UTF-8';
    return { refused: 'invalid_body', faults: [{ parameter: '', code: 'invalid_json', message }] };
  }
}
