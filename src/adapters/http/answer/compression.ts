import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import type { MaybePromise } from '../../../application/maybe-promise.js';
import { keptBytes } from '../../live/messages/kept-bytes.js';

/** Smaller bodies are not compressed, because they hardly become smaller. */
const BYTES_MIN = 1_024;
/** Memory for cached compressed bodies. */
const CACHE_BYTES_MAX = 32 * 1_024 * 1_024;
/** Values of `Accept-Encoding` that are cached. */
const CHOICES_MAX = 100;
/** A middle level. Higher levels save a few percent more, for several times the CPU time. */
const BROTLI_QUALITY = 4;

/** In order of preference. The order decides if a client gives both the same weight. */
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

/**
 * Compresses bodies as `Accept-Encoding` requests (D36), and caches the results by tag (T13), so that each body is
 * compressed once.
 */
export class Compression {
  readonly #compressed = new LRUCache<string, Buffer>({
    maxSize: CACHE_BYTES_MAX,
    sizeCalculation: ({ length }) => length,
    fetchMethod: (_key, _stale, { context }) => (context as () => Promise<Buffer>)(),
  });
  /** Clients send few different values of `Accept-Encoding`; each is parsed once. */
  readonly #choices = new LRUCache<string, Encoding | 'identity'>({
    max: CHOICES_MAX,
    memoMethod: (accept) => preferred(accept, ENCODINGS),
  });

  /** The cached bodies. */
  get bytes(): number {
    return this.#compressed.calculatedSize;
  }

  /** The encoding for a body. */
  choose(acceptEncoding: string | undefined, body: Buffer): Encoding | 'identity' {
    if (acceptEncoding === undefined || body.length < BYTES_MIN) return 'identity';
    return this.#choices.memo(acceptEncoding);
  }

  /** The compressed body, shared by concurrent calls with the same tag. A body without a tag is not cached. */
  of(encoding: Encoding, tag: string | undefined, body: Buffer): MaybePromise<Buffer> {
    if (tag === undefined) return compressors[encoding](body);
    const name = nameOf(encoding, tag);
    const cached = this.#compressed.get(name);
    if (cached !== undefined) return cached;
    const context = async () => keptBytes([await compressors[encoding](body)]);
    return this.#compressed.forceFetch(name, { context });
  }
}

const nameOf = (encoding: Encoding, tag: string): string => `${encoding} ${tag}`;

/** Whether a stream is compressed: with gzip or not at all (D56). */
export const isGzipChosen = (acceptEncoding: string | undefined): boolean =>
  acceptEncoding !== undefined && preferred(acceptEncoding, ['gzip']) === 'gzip';

/** The encoding that the client prefers. */
function preferred<Name extends Encoding>(
  acceptEncoding: string,
  encodings: readonly Name[],
): Name | 'identity' {
  const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } }) as WithPreference;
  const [best] = negotiator.encodings([...encodings, 'identity'], { preferred: encodings });
  return encodings.find((encoding) => encoding === best) ?? 'identity';
}

/** The published types lack the second argument. */
type WithPreference = {
  encodings(available: readonly string[], options: { readonly preferred: readonly string[] }): string[];
};
