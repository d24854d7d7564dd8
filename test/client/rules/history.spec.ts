import { Oddswire, OddswireError } from '@oddswire/client';
import { expect } from 'chai';

type Line = { readonly position: string };

/** Characters of two to four bytes, and those that end a line in other formats than JSON. */
const HEADLINE = 'é “€” 🎈 \u2028\u0085';

const CHANGES: readonly Line[] = ['p1', 'p2', 'p3'].map((position, n) => ({
  position,
  kind: n === 1 ? 'retracted' : 'published',
  id: `ne_${n}`,
  item: n === 1 ? null : { headline: HEADLINE },
}));
const COMPLETE = { type: 'complete', position: 'p9' };
const HEADERS = { 'Content-Type': 'application/x-ndjson', 'Feed-Filters': 'q' };

const bytesOf = (lines: readonly Line[]): Uint8Array =>
  Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));

/** A response that has sent these bytes, and then ends as if it were complete, or is cut. */
function response(bytes: Uint8Array, end: 'ends' | 'is cut'): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      if (bytes.length > 0) controller.enqueue(bytes);
      if (end === 'ends') controller.close();
    },
    pull: (controller) => controller.error(new Error('cut')),
  });
  return new Response(body, { headers: HEADERS });
}

/** What the service answers, as far as the changes go. */
const linesFor = (url: string): readonly Line[] => {
  const after = new URL(url).searchParams.get('after');
  const from = CHANGES.findIndex(({ position }) => position === after) + 1;
  return [...(after === COMPLETE.position ? [] : CHANGES.slice(from)), COMPLETE];
};

type Answer = (url: string) => Response;

/** Reads a history whose first requests get these answers. Later ones get all lines. */
async function read(answers: readonly Answer[], query = {}, options = {}) {
  const requests: string[] = [];
  const answered = [...answers];
  const fetch = async (input: unknown): Promise<Response> => {
    const url = String(input);
    requests.push(new URL(url).search);
    return answered.shift()?.(url) ?? response(bytesOf(linesFor(url)), 'ends');
  };
  const history = new Oddswire({ url: 'http://a.example', key: 'k', fetch, ...options }).history(query);
  const taken: Line[] = [];
  const failure = await (async () => {
    for await (const change of history) taken.push(change);
    return null;
  })().catch((error: unknown) => (error instanceof OddswireError ? error.code : Promise.reject(error)));
  return { taken, failure, requests, position: history.position };
}

const paused = (code: string | null, status: number, seconds: number) => ({
  type: 'paused',
  position: 'p2',
  retry_after_seconds: seconds,
  problem: code === null ? null : { code, status, detail: 'Text.' },
});

const fails: Answer = () => new Response('', { status: 503 });

// biome-ignore format: a table is read by its columns
const PAUSES: readonly (readonly [line: Line, failure: string | null])[] = [
  [paused(null, 0, 1),                     null],
  [paused('unavailable', 503, 1),          null],
  [paused('rate_limited', 429, 1),         null],
  [paused('rate_limited', 429, 40_000),    'rate_limited'],
  [paused('key_revoked', 401, 0),          'key_revoked'],
  [paused('payment_required', 402, 0),     'payment_required'],
  [paused('insufficient_scope', 403, 0),   'insufficient_scope'],
];

describe('A history of the client', function () {
  this.timeout(20_000);
  const all = bytesOf([...CHANGES, COMPLETE]);

  for (const end of ['ends', 'is cut'] as const)
    it(`continues where the lines say that it is, and after lines of later versions, if a response ${end}`, async () => {
      const [first, ...others] = CHANGES;
      const sent = [first, { type: 'progress', position: 'p1a' }, { type: 'later', position: 'p1b', x: 1 }];
      const { taken, failure, requests } = await read([
        () => response(bytesOf(sent.slice(0, 2) as Line[]), end),
        () => response(bytesOf(sent.slice(2) as Line[]), end),
        () => response(bytesOf([...others, COMPLETE]), 'ends'),
      ]);
      expect([taken, failure]).to.deep.equal([CHANGES, null]);
      expect(requests).to.deep.equal(['', '?after=p1a', '?after=p1b']);
    });

  for (const end of ['ends', 'is cut'] as const)
    it(`has each change once if the first response ${end} after any byte`, async () => {
      const cuts = Array.from({ length: all.length }, (_, bytes) => bytes);
      const histories = await Promise.all(
        cuts.map((bytes) => read([() => response(all.subarray(0, bytes), end)])),
      );
      for (const [bytes, { taken, failure, requests, position }] of histories.entries()) {
        expect([failure, requests.length, position], `${bytes} bytes`).to.deep.equal([null, 2, 'p9']);
        expect(taken, `${bytes} bytes`).to.deep.equal(CHANGES);
      }
    });

  it('has each change once if a byte of a character or of the JSON is lost in the first response', async () => {
    const isSeen = (byte: number) => byte > 0x7f || '{}":,\n'.includes(String.fromCharCode(byte));
    const torn = [...all.keys()].filter((at) => isSeen(all[at] ?? 0));
    expect(torn.length).to.be.above(100);
    const histories = await Promise.all(
      torn.map((at) => read([() => response(Buffer.from([...all].toSpliced(at, 1)), 'ends')])),
    );
    for (const { taken } of histories) expect(taken).to.deep.equal(CHANGES);
  });

  for (const [line, failure] of PAUSES)
    it(`${failure === null ? 'continues' : `fails with ${failure}`} after ${JSON.stringify(line)}`, async () => {
      const result = await read([() => response(bytesOf([...CHANGES.slice(0, 1), line]), 'ends')]);
      expect(result.failure).to.equal(failure);
      expect(result.requests.slice(1)).to.deep.equal(failure === null ? ['?after=p2'] : []);
      expect(result.position).to.equal(failure === null ? 'p9' : 'p2');
    });

  it('asks for the time again until it has a position, and keeps the rest of its query', async () => {
    const since = new Date('2026-01-31T12:00:00Z');
    const query = { since, until: 'u', news_id: 'n', market_id: ['a', 'b'], q: 'w' };
    const block = response(bytesOf(CHANGES.slice(0, 1)), 'ends');
    const { requests } = await read([() => response(new Uint8Array(), 'ends'), () => block], query);
    const rest = '&until=u&news_id=n&market_id=a&market_id=b&q=w';
    const time = `?since=${encodeURIComponent(since.toISOString())}${rest}`;
    expect(requests).to.deep.equal([time, time, `?after=p1${rest}`]);
  });

  it('gives up after its retries, which begin anew with each change', async () => {
    const one = (url: string) => response(bytesOf(linesFor(url).slice(0, 1)), 'ends');
    const enough = await read([fails, one, fails, one], {}, { retries: 2 });
    expect([enough.failure, enough.taken.length]).to.deep.equal([null, 3]);
    const { failure, taken, position } = await read([one, fails, fails], {}, { retries: 1 });
    expect([failure, taken.length, position]).to.deep.equal(['http_503', 1, 'p1']);
  });

  it('leaves out lines of other types, which a later version can add', async () => {
    const lines = [{ type: 'other', position: 'p0' }, ...CHANGES, COMPLETE];
    const { taken, requests } = await read([() => response(bytesOf(lines), 'ends')]);
    expect([taken, requests.length]).to.deep.equal([CHANGES, 1]);
  });

  it('is not the page of a proxy', async () => {
    const page = () => new Response('<html>', { headers: { 'Content-Type': 'text/html' } });
    expect((await read([page], {}, { retries: 0 })).failure).to.equal('invalid_response');
  });
});
