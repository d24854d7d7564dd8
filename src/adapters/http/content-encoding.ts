import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import type { Middleware } from './state.js';

/** Smaller bodies gain nothing. */
const BYTES_MIN = 1_024;
/** What compressed bodies may hold of memory. */
const CACHE_BYTES_MAX = 32 * 1_024 * 1_024;
/** Middle levels: the last few percent cost several times the work. */
const BROTLI_QUALITY = 4;

/** The better one first: it is taken where a caller weighs both the same. */
const ENCODINGS = ['br', 'gzip'] as const;
type Encoding = (typeof ENCODINGS)[number];

const compressors: Readonly<Record<Encoding, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) =>
    promisify(brotliCompress)(body, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      },
    }),
  gzip: (body) => promisify(gzip)(body),
};

/** What the caller weighs highest, unless that is no encoding at all. */
function chosen(headers: Negotiator.Headers): Encoding | undefined {
  const negotiator = new Negotiator({ headers }) as WithPreference;
  const [best] = negotiator.encodings([...ENCODINGS, 'identity'], { preferred: ENCODINGS });
  return ENCODINGS.find((encoding) => encoding === best);
}

/** The published types are older than the second argument. */
type WithPreference = {
  encodings(available: readonly string[], options: { readonly preferred: readonly string[] }): string[];
};

/** Compresses as `Accept-Encoding` asks (D36), each body once: what has an `ETag` is kept by it (T13). */
export function contentEncoding(): Middleware {
  const compressed = new LRUCache<string, Buffer>({
    maxSize: CACHE_BYTES_MAX,
    sizeCalculation: ({ length }) => length,
    fetchMethod: (_key, _stale, { context }) => (context as () => Promise<Buffer>)(),
  });

  return async (ctx, next) => {
    await next();
    ctx.vary('Accept-Encoding');
    const { body } = ctx;
    if (!Buffer.isBuffer(body) || body.length < BYTES_MIN) return;
    const encoding = chosen(ctx.headers);
    if (encoding === undefined) return;

    const compress = () => compressors[encoding](body);
    const tag = ctx.res.getHeader('ETag');
    ctx.body =
      tag === undefined
        ? await compress()
        : await compressed.fetch(`${encoding} ${tag}`, { context: compress });
    ctx.set('Content-Encoding', encoding);
  };
}
