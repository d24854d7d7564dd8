import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import type { MaybePromise } from '../../../application/maybe-promise.js';

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

/** Bodies as `Accept-Encoding` asks for them (D36), each compressed once and kept by its tag (T13). */
export class Compression {
  readonly #compressed = new LRUCache<string, Buffer>({
    maxSize: CACHE_BYTES_MAX,
    sizeCalculation: ({ length }) => length,
    fetchMethod: (_key, _stale, { context }) => (context as () => Promise<Buffer>)(),
  });
  /** There are few ways to say what one accepts, and each is read once. */
  readonly #choices = new LRUCache<string, Encoding | 'identity'>({ max: CHOICES_MAX, memoMethod: chosen });

  /** The encoding in which a body goes out. */
  choose(acceptEncoding: string | undefined, body: Buffer): Encoding | 'identity' {
    if (acceptEncoding === undefined || body.length < BYTES_MIN) return 'identity';
    return this.#choices.memo(acceptEncoding);
  }

  /** The compressed body; the same for all who ask while it is made. One without a tag is made for itself. */
  of(encoding: Encoding, tag: string | undefined, body: Buffer): MaybePromise<Buffer> {
    if (tag === undefined) return compressors[encoding](body);
    const name = nameOf(encoding, tag);
    const kept = this.#compressed.get(name);
    if (kept !== undefined) return kept;
    const context = () => compressors[encoding](body);
    return this.#compressed.forceFetch(name, { context });
  }
}

const nameOf = (encoding: Encoding, tag: string): string => `${encoding} ${tag}`;

/** What a caller weighs highest. */
function chosen(acceptEncoding: string): Encoding | 'identity' {
  const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } }) as WithPreference;
  const [best] = negotiator.encodings([...ENCODINGS, 'identity'], { preferred: ENCODINGS });
  return ENCODINGS.find((encoding) => encoding === best) ?? 'identity';
}

/** The published types are older than the second argument. */
type WithPreference = {
  encodings(available: readonly string[], options: { readonly preferred: readonly string[] }): string[];
};
