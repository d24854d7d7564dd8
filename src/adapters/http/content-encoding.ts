import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import type { Middleware } from './state.js';

/** Smaller bodies gain nothing. */
const BYTES_MIN = 1_024;
/** What compressed bodies may hold of memory. */
const CACHE_BYTES_MAX = 32 * 1_024 * 1_024;
/** Ways to write `Accept-Encoding` that are remembered. */
const CHOICES_MAX = 100;
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

/** What a caller weighs highest, unless that is no encoding at all. */
function chosen(acceptEncoding: string): Encoding | undefined {
  const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } }) as WithPreference;
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

  /** There are few ways to say what one accepts, and each is read once. */
  const choices = new LRUCache<string, Encoding | 'identity'>({
    max: CHOICES_MAX,
    memoMethod: (acceptEncoding) => chosen(acceptEncoding) ?? 'identity',
  });

  return async (ctx, next) => {
    await next();
    const varies = ctx.res.getHeader('Vary');
    ctx.set('Vary', varies === undefined ? 'Accept-Encoding' : `${varies}, Accept-Encoding`);
    const { body } = ctx;
    if (!Buffer.isBuffer(body) || body.length < BYTES_MIN) return;
    const acceptEncoding = ctx.headers['accept-encoding'];
    const encoding = acceptEncoding === undefined ? 'identity' : choices.memo(String(acceptEncoding));
    if (encoding === 'identity') return;

    const compress = () => compressors[encoding](body);
    const tag = ctx.res.getHeader('ETag');
    const name = `${encoding} ${tag}`;
    ctx.body =
      tag === undefined
        ? await compress()
        : (compressed.get(name) ?? (await compressed.fetch(name, { context: compress })));
    ctx.set('Content-Encoding', encoding);
  };
}
