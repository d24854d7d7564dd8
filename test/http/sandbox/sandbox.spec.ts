import { expect } from 'chai';
import sinon from 'sinon';
import { problemCodes, problemTable } from '../../../src/adapters/http/answer/problem.js';
import type { Replacement } from '../../../src/composition/compose.js';
import { HOUR, plus, SECOND } from '../../../src/domain/moment.js';
import { readStream } from '../../support/live/stream-reader.js';
import { type Answer, ask, type Composed, composed, keyHolder } from '../../support/service/composed.js';
import { until } from '../../support/until.js';

type Item = { readonly news_event: { readonly id: string } };
type Page = { readonly items: readonly Item[]; readonly next_cursor: string | null };
type Batch = {
  readonly messages: readonly { readonly type: string; readonly id?: string; readonly item?: Item }[];
  readonly position: string;
};

/** What `slow` waits for. */
const pauses: number[] = [];
const noPause: Replacement = () => ({
  pause: () => async (ms: number) => {
    pauses.push(ms);
  },
});

describe('The sandbox', function () {
  this.timeout(30_000);
  let one: Composed;
  let other: Composed;
  before(async () => {
    [one, other] = await Promise.all([
      composed({ TRUSTED_PROXY_HOPS: '1', PUBLIC_URL: 'http://localhost:8080' }, noPause),
      composed({ TRUSTED_PROXY_HOPS: '1', PUBLIC_URL: 'http://localhost:8080' }, noPause),
    ]);
  });
  after(() => Promise.all([one.stop(), other.stop()]));

  let addresses = 0;
  /** Each test has an address of its own, so that none uses up the limit of another one. */
  let address = '';
  beforeEach(() => {
    addresses += 1;
    address = `192.0.2.${addresses}`;
  });

  const get = (
    { url, parts }: Composed,
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> =>
    ask(`${url}${path}`, {
      headers: { 'X-API-Key': parts.publicSandboxKey, 'X-Forwarded-For': address, ...headers },
    });
  const test = (value: string, path = '/pm/v2/news') => get(one, path, { 'Oddswire-Test': value });

  async function walk(service: Composed, query = ''): Promise<readonly string[]> {
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const path: string = `/pm/v2/news?limit=100${query}${cursor === null ? '' : `&cursor=${cursor}`}`;
      const { items, next_cursor } = (await get(service, path)).json<Page>();
      ids.push(...items.map(({ news_event }) => news_event.id));
      cursor = next_cursor;
    } while (cursor !== null);
    return ids;
  }

  it('has the same bytes in every instance (D77)', async () => {
    for (const path of [
      '/pm/v2/news?limit=500',
      '/pm/v2/news?category=geopolitics&q=freight',
      '/pm/v2/history?limit=50',
      '/pm/v2/changes?since=2026-03-01T11:30:00Z&limit=20',
    ]) {
      const [first, second] = [await get(one, path), await get(other, path)];
      expect(first.status, first.body.toString()).to.equal(200);
      expect(first.body.length).to.be.greaterThan(1_000);
      expect(first.body.equals(second.body), path).to.equal(true);
      for (const name of ['etag', 'feed-head', 'feed-position'])
        expect(first.headers[name]).to.equal(second.headers[name]);
    }
  });

  it('is followed in batches from a walk on, over instances, to the feed that a later walk has', async () => {
    const feed = new Set(await walk(one));
    const start = (await get(one, '/pm/v2/news?limit=1')).headers['feed-position'];
    let position = String(start);
    for (let n = 0; n < 12; n += 1) {
      const service = n % 2 === 0 ? one : other;
      for (const { clock } of [one, other]) clock.at = plus(clock.at, 100 * SECOND);
      const batch = (await get(service, `/pm/v2/changes?after=${position}&limit=500`)).json<Batch>();
      for (const { type, id, item } of batch.messages) {
        if (item !== undefined) feed.add(item.news_event.id);
        if (type === 'retraction' && id !== undefined) feed.delete(id);
      }
      position = batch.position;
    }
    const later = await walk(other);
    expect(later.filter((id) => !feed.has(id))).to.deep.equal([]);
    // What has left the feed because of its age is in no message.
    expect([...feed].filter((id) => !later.includes(id)).length).to.be.lessThan(45);
    expect((await walk(one, `&as_of=${start}`)).length).to.be.greaterThan(140);
  });

  it('shows the feed as it was, and refuses positions that are too old', async () => {
    const before = await get(one, '/pm/v2/news?limit=30');
    const position = String(before.headers['feed-position']);
    one.clock.at = plus(one.clock.at, HOUR);
    const past = await get(one, `/pm/v2/news?limit=30&as_of=${position}`);
    expect(past.body.equals(before.body)).to.equal(true);
    expect(past.headers.etag).to.equal(before.headers.etag);
    one.clock.at = plus(one.clock.at, 2 * HOUR);
    other.clock.at = one.clock.at;
    expect((await get(one, `/pm/v2/news?as_of=${position}`)).json().code).to.equal('before_history');
    expect((await get(one, `/pm/v2/changes?after=${position}`)).json().code).to.equal('position_expired');
    expect((await get(one, `/pm/v2/history?after=${position}`)).json().code).to.equal('before_history');
  });

  it('sends each change to a stream, which resumes at another instance without a gap', async () => {
    const key = one.parts.publicSandboxKey;
    const options = { headers: { 'X-Forwarded-For': address } };
    const stream = await readStream(one.url, key, options);
    await stream.message('ready');
    for (const { clock } of [one, other]) clock.at = plus(clock.at, 150 * SECOND);
    await stream.items(3);
    const position = stream.position();
    stream.close();
    await stream.closed;
    for (const { clock } of [one, other]) clock.at = plus(clock.at, 300 * SECOND);
    const resumed = await readStream(other.url, key, { ...options, lastEventId: position });
    await resumed.items(5);
    const batch = (await get(one, `/pm/v2/changes?after=${position}&limit=5`)).json<Batch>();
    const expected = batch.messages.flatMap(({ item }) => item?.news_event.id ?? []);
    expect(resumed.ids().slice(0, expected.length)).to.deep.equal(expected);
    resumed.close();
    await resumed.closed;
  });

  it('makes every documented error of customers, with its status and headers', async () => {
    const statuses = new Map(problemTable().map(({ code, status }) => [code, status]));
    for (const code of problemCodes('customer')) {
      const { status, headers, json } = await test(code);
      expect(json().code).to.equal(code);
      expect(status).to.equal(statuses.get(code));
      expect(headers['content-type']).to.match(/^application\/problem\+json/);
      expect(headers['retry-after'] !== undefined, code).to.equal(status === 429 || status === 503);
      expect(headers['www-authenticate'] !== undefined, code).to.equal(status === 401);
    }
    expect((await test('key_suspended')).json().causes).to.deep.equal(['payment_failure']);
  });

  it('answers late, and cuts answers off', async () => {
    pauses.length = 0;
    expect((await test('slow')).status).to.equal(200);
    expect(pauses).to.deep.equal([5_000]);
    for (const path of ['/pm/v2/news?limit=50', '/pm/v2/history'])
      expect(await test('cut', path).then(String, ({ code }) => code)).to.equal('ECONNRESET');
    const headers = { 'Oddswire-Test': 'cut', 'X-Forwarded-For': address };
    const stream = await readStream(one.url, one.parts.publicSandboxKey, { headers });
    await stream.closed;
    expect(stream.status).to.equal(200);
  });

  it('lists the values of the header for an unknown one', async () => {
    const { status, json } = await test('broken');
    expect(status).to.equal(400);
    expect(json().errors?.[0]).to.include({ parameter: 'Oddswire-Test', code: 'unknown' });
    expect(json().errors?.[0]?.message).to.include('rate_limited').and.to.include('slow');
  });

  it('is not asked with keys of customers, which ignore the header', async () => {
    const { value } = await keyHolder(one);
    const answer = await ask(`${one.url}/pm/v2/news`, {
      headers: { 'X-API-Key': value, 'Oddswire-Test': 'rate_limited' },
    });
    expect(answer.status).to.equal(200);
    expect(answer.json<Page>().items).to.deep.equal([]);
  });

  it('refuses other paths, unknown keys and too many requests, each address by its own count', async () => {
    const unknown = one.parts.sandboxKeyFormat.compose('A'.repeat(43));
    const closed = ['/pm/v2/markets', '/pm/v2/usage', '/pm/v2/key', '/pm/v2/usage/history'];
    for (const path of closed)
      expect((await get(one, path, { 'Oddswire-Test': 'unavailable' })).json().code).to.equal(
        'insufficient_scope',
      );
    for (const path of ['/pm/v2/news', ...closed])
      expect((await get(one, path, { 'X-API-Key': unknown })).json().code).to.equal('key_unknown');
    const first = await get(one, '/pm/v2/news?limit=1');
    expect(first.headers['ratelimit-policy']).to.equal('"minute";q=60;w=60');
    const answers: Answer[] = [];
    // A path that is not open costs a request, too.
    const left = 60 - closed.length - 1;
    for (let n = 0; n <= left; n += 1) answers.push(await get(one, '/pm/v2/news?limit=1'));
    expect(answers.map(({ status }) => status)).to.deep.equal([...Array(left).fill(200), 429]);
    address = '192.0.2.200';
    expect((await get(one, '/pm/v2/news?limit=1')).status).to.equal(200);
  });

  it('has two streams for each address, and 200 in all (D138)', async () => {
    const key = one.parts.publicSandboxKey;
    const open = (from: string) => readStream(one.url, key, { headers: { 'X-Forwarded-For': from } });
    const streams = await Promise.all([open(address), open(address)]);
    const third = await get(one, '/pm/v2/stream');
    expect([third.status, third.json().code]).to.deep.equal([429, 'too_many_streams']);
    const others = Array.from({ length: 198 }, (_, n) => `10.0.${n}.1`);
    for (const from of others) streams.push(await open(from));
    expect(new Set(streams.map(({ status }) => status))).to.deep.equal(new Set([200]));
    address = '203.0.113.1';
    const beyond = await get(one, '/pm/v2/stream');
    expect([beyond.status, beyond.json().code]).to.deep.equal([503, 'overloaded']);
    for (const stream of streams) stream.close();
    await Promise.all(streams.map(({ closed }) => closed));
  });

  it('is in no usage, request log and mail, and its keys are in no log line', async () => {
    const { usage, recentRequests, quotaMails } = one.parts;
    const notes = [
      sinon.spy(usage, 'note'),
      sinon.spy(recentRequests, 'note'),
      sinon.spy(quotaMails, 'note'),
    ];
    const before = one.lines.length;
    await get(one, '/pm/v2/news');
    await get(one, '/pm/v2/changes');
    await get(one, '/pm/v2/history');
    await get(one, '/pm/v2/news', { 'Oddswire-Test': 'unavailable' });
    await get(one, `/pm/v2/news?api_key=${one.parts.publicSandboxKey}`);
    await until(5, () => one.lines.slice(before).filter(({ msg }) => msg === 'request').length);
    expect(notes.map(({ callCount }) => callCount)).to.deep.equal([0, 0, 0]);
    for (const line of one.lines) expect(JSON.stringify(line)).not.to.include('public_key_that');
  });
});
