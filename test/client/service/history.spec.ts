import { gzipSync } from 'node:zlib';
import type { HistoryChange } from '@oddswire/client';
import { expect } from 'chai';
import { type Fault, status } from '../../support/client/faulty-proxy.js';
import { walked } from '../../support/client/followed.js';
import { ended, type Outcome } from '../../support/client/tested-client.js';
import { type Case, runCases, type Trial } from '../../support/client/trials.js';
import { actOn, aKey } from '../../support/service/api-calls.js';
import { until } from '../../support/until.js';

const ITEMS = 20;

type Known = {
  /** The position before the first change. */
  readonly start: string;
  /** The changes after it. */
  readonly whole: readonly HistoryChange[];
};

const changesOf = ({ value, failure }: Outcome): readonly HistoryChange[] => {
  expect(failure).to.equal(null);
  return value as readonly HistoryChange[];
};

/** The response of the service, cut after so many bytes: it then looks complete, or has an error, or stays open. */
const cut =
  (
    { url }: Trial,
    bytes: (body: Buffer) => number,
    end: 'ends' | 'is cut' | 'is silent',
    isGzip = false,
  ): Fault =>
  async (response, { url: asked = '', headers: { accept = '', authorization = '' } }) => {
    const answer = await fetch(url + asked, { headers: { Accept: accept, Authorization: authorization } });
    const text = Buffer.from(await answer.arrayBuffer());
    const body = isGzip ? gzipSync(text) : text;
    response.writeHead(answer.status, {
      'Content-Type': answer.headers.get('Content-Type') ?? '',
      ...(isGzip && { 'Content-Encoding': 'gzip' }),
    });
    response.write(body.subarray(0, bytes(body)), () => {
      if (end === 'ends') response.end();
      if (end === 'is cut') response.destroy();
    });
  };

const lineEnd = (body: Buffer) => body.indexOf('\n', body.length / 3) + 1;
const middle = (body: Buffer) => body.length / 2;

const CASES: readonly Case<Known>[] = [
  {
    name: 'with every version, up to now',
    run: async ({ tested, at, direct }, { start, whole }) => {
      const outcome = await tested.call(at, 'history', { after: start });
      const listed = changesOf(outcome).map(({ kind, id, revision }) => [kind, id, revision]);
      expect(listed.slice(ITEMS)).to.deep.equal([
        ['replaced', 'h_0', 2],
        ['replaced', 'h_1', 2],
        ['retracted', 'h_1', 3],
      ]);
      expect(listed.slice(0, ITEMS).map(([, id]) => id)).to.have.members(
        Array.from({ length: ITEMS }, (_, n) => `h_${n}`),
      );
      const { feed, position } = await walked(direct);
      expect(outcome.position).to.equal(position);
      const held = new Map(whole.map(({ id, item }) => [id, item]));
      for (const [id, item] of feed) if (id !== 'before') expect(held.get(id)).to.deep.equal(item);
    },
  },
  {
    name: 'of one item, of a time, with a filter that passes nothing, and then what came later',
    run: async ({ tested, at, publish }, { start, whole }) => {
      const last = whole.at(-1)?.known_at ?? '';
      const one = await tested.call(at, 'history', { news_id: 'h_1', since: whole[0]?.known_at ?? '' });
      expect(changesOf(one)).to.deep.equal(whole.filter(({ id }) => id === 'h_1'));
      expect(changesOf(await tested.call(at, 'history', { after: start, until: last }))).to.deep.equal(whole);
      const future = new Date(Date.parse(last) + 60_000).toISOString();
      expect(changesOf(await tested.call(at, 'history', { since: future }))).to.deep.equal([]);
      const after = whole.at(-1)?.position ?? '';
      const nothing = await tested.call(at, 'history', { after, q: 'nowhere' });
      expect(changesOf(nothing)).to.deep.equal([]);
      await publish('later');
      const later = await tested.call(at, 'history', { after: nothing.position ?? '' });
      expect(changesOf(later).map(({ id }) => id)).to.deep.equal(['later']);
    },
  },
  {
    name: 'with each change once, over connections that are lost at and in lines, and in compressed blocks',
    run: async (trial, { whole }) => {
      const { tested, at, proxy } = trial;
      const faults = [
        cut(trial, lineEnd, 'ends'),
        cut(trial, lineEnd, 'is cut'),
        cut(trial, (body) => lineEnd(body) - 1, 'ends'),
        cut(trial, middle, 'is cut'),
        cut(trial, () => 0, 'is cut'),
        cut(trial, middle, 'ends', true),
      ];
      const before = proxy.requests.length;
      proxy.fail(...faults);
      const query = { since: whole[0]?.known_at ?? '', until: whole.at(-1)?.position ?? '' };
      expect(changesOf(await tested.call(at, 'history', query))).to.deep.equal(whole);
      const [first = '', ...others] = proxy.requests.slice(before);
      expect(first).to.include('?since=');
      expect(others).to.have.length(faults.length);
      for (const request of others) expect(request).to.include('?after=').and.not.include('since');
    },
  },
  {
    name: 'again after 429 and 503, and over a connection that has died without a sign',
    run: async (trial, { start, whole }) => {
      const { tested, at, proxy, silent, key } = trial;
      const query = { after: start, until: whole.at(-1)?.position ?? '' };
      proxy.fail(status(429, { 'Retry-After': '0' }), status(503));
      expect(changesOf(await tested.call(at, 'history', query))).to.deep.equal(whole);
      const patient = { key: key.key, timeoutSeconds: 0.5 };
      expect(ended(await tested.call({ ...patient, url: silent.url }, 'usage'))).to.equal('it did not fail');
      silent.silence();
      const throughSilent = await tested.call({ ...patient, url: silent.url }, 'history', query);
      expect(changesOf(throughSilent)).to.deep.equal(whole);
      proxy.fail(cut(trial, middle, 'is silent'));
      const inTheMiddle = await tested.call({ ...patient, url: proxy.url }, 'history', query);
      expect(changesOf(inTheMiddle)).to.deep.equal(whole);
    },
  },
  {
    name: 'until it is refused: the position is where to continue',
    run: async (trial, { start, whole }) => {
      const { tested, at, proxy, client } = trial;
      const own = await aKey(client);
      proxy.fail(
        cut(trial, (body) => body.indexOf('\n') + 1, 'is cut'),
        async (response, asked) => {
          await actOn(client, own.key_id, 'revoke', { cause: 'manual' });
          return cut(trial, (body) => body.length, 'ends')(response, asked);
        },
      );
      const history = await tested.call({ ...at, key: own.key }, 'history', { after: start });
      expect(ended(history)).to.equal('key_revoked');
      expect(history.value).to.deep.equal(whole.slice(0, 1));
      expect(history.position).to.equal(whole[0]?.position);
      const { failure } = await tested.call(at, 'history', { since: '2001-01-01T00:00:00Z' });
      expect(failure).to.include({ code: 'before_history', status: 410 });
      const after = failure?.problem?.history_from?.position ?? '';
      expect(changesOf(await tested.call(at, 'history', { after }))).to.include.deep.members([...whole]);
    },
  },
  {
    name: 'until the user leaves the loop: the connection is then closed',
    run: async ({ tested, at, proxy }, { start, whole }) => {
      let isClosed = false;
      proxy.fail((response) => {
        response.on('close', () => {
          isClosed = true;
        });
        response.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
        response.write(`${JSON.stringify(whole[0])}\n`);
      });
      const { value } = await tested.call(at, 'history', { after: start }, 1);
      expect(value).to.deep.equal(whole.slice(0, 1));
      await until(true, () => isClosed);
    },
  },
];

runCases<Known>('The clients read the history', {
  prepare: async ({ direct, client, publish }) => {
    await publish('before');
    const start = (await direct.page()).position;
    await publish(...Array.from({ length: ITEMS }, (_, n) => `h_${n}`));
    await publish('h_0', 'h_1');
    await client.retract('h_1');
    const whole: HistoryChange[] = [];
    for await (const change of direct.history({ after: start })) whole.push(change);
    return { start, whole };
  },
  cases: CASES,
});
