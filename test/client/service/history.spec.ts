import { gzipSync } from 'node:zlib';
import { type HistoryChange, Oddswire, OddswireError } from '@oddswire/client';
import { expect } from 'chai';
import { type Fault, type FaultyProxy, startFaultyProxy, status } from '../../support/client/faulty-proxy.js';
import { walked } from '../../support/client/followed.js';
import { publication, timedNow } from '../../support/objects/builders.js';
import { type SilentProxy, startSilentProxy } from '../../support/servers/silent-proxy.js';
import { actOn, aKey, type KeyView, publishAll } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

const ITEMS = 20;

const all = async (changes: AsyncIterable<HistoryChange>): Promise<readonly HistoryChange[]> => {
  const list: HistoryChange[] = [];
  for await (const change of changes) list.push(change);
  return list;
};

const codeOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'it did not fail',
    (error: unknown) => (error instanceof OddswireError ? error.code : String(error)),
  );

describe('The client reads the history', () => {
  let service: Service;
  let client: Client;
  let key: KeyView;
  let direct: Oddswire;
  let proxy: FaultyProxy;
  let oddswire: Oddswire;
  /** The position before the first change. */
  let start: string;
  let whole: readonly HistoryChange[];

  before(async () => {
    service = await startService();
    const url = service.instances[0]?.url ?? '';
    client = await Client.of(service);
    key = await aKey(client);
    direct = new Oddswire({ url, key: key.key });
    proxy = await startFaultyProxy(url);
    oddswire = new Oddswire({ url: proxy.url, key: key.key });
    await publish('before');
    start = (await direct.page()).position;
    await publish(...Array.from({ length: ITEMS }, (_, n) => `h_${n}`));
    await publish('h_0', 'h_1');
    await client.retract('h_1');
    whole = await all(direct.history({ after: start }));
  });
  after(() => Promise.all([proxy.stop(), service.stop()]));

  const publish = (...ids: readonly string[]) =>
    publishAll(
      client,
      ids.map((id) => timedNow(publication({ id }))),
    );

  /** The response of the service, cut after so many bytes: it then looks complete, or has an error, or stays open. */
  const cut =
    (bytes: (body: Buffer) => number, end: 'ends' | 'is cut' | 'is silent', isGzip = false): Fault =>
    async (response, { url, headers: { accept = '', authorization = '' } }) => {
      const answer = await fetch((service.instances[0]?.url ?? '') + url, {
        headers: { Accept: accept, Authorization: authorization },
      });
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

  it('with every version, up to now', async () => {
    const history = oddswire.history({ after: start });
    const listed = (await all(history)).map(({ kind, id, revision }) => [kind, id, revision]);
    expect(listed.slice(ITEMS)).to.deep.equal([
      ['replaced', 'h_0', 2],
      ['replaced', 'h_1', 2],
      ['retracted', 'h_1', 3],
    ]);
    expect(listed.slice(0, ITEMS).map(([, id]) => id)).to.have.members(
      Array.from({ length: ITEMS }, (_, n) => `h_${n}`),
    );
    const { feed, position } = await walked(direct);
    expect(history.position).to.equal(position);
    const held = new Map(whole.map(({ id, item }) => [id, item]));
    for (const [id, item] of feed) if (id !== 'before') expect(held.get(id)).to.deep.equal(item);
  });

  it('of one item, of a time, with a filter that passes nothing, and then what came later', async () => {
    const one = await all(direct.history({ news_id: 'h_1', since: whole[0]?.known_at }));
    expect(one).to.deep.equal(whole.filter(({ id }) => id === 'h_1'));
    const last = whole.at(-1)?.known_at ?? '';
    const known = await all(direct.history({ after: start, until: last }));
    expect(known).to.deep.equal(whole);
    expect(await all(direct.history({ since: new Date(Date.parse(last) + 60_000) }))).to.deep.equal([]);
    const nothing = direct.history({ after: whole.at(-1)?.position, q: 'nowhere' });
    expect(await all(nothing)).to.deep.equal([]);
    await publish('later');
    const later = direct.history({ after: nothing.position });
    expect((await all(later)).map(({ id }) => id)).to.deep.equal(['later']);
    whole = await all(direct.history({ after: start }));
  });

  it('with each change once, over connections that are lost at and in lines, and in compressed blocks', async () => {
    const lineEnd = (body: Buffer) => body.indexOf('\n', body.length / 3) + 1;
    const middle = (body: Buffer) => body.length / 2;
    const faults = [
      cut(lineEnd, 'ends'),
      cut(lineEnd, 'is cut'),
      cut((body) => lineEnd(body) - 1, 'ends'),
      cut(middle, 'is cut'),
      cut(() => 0, 'is cut'),
      cut(middle, 'ends', true),
    ];
    const before = proxy.requests.length;
    proxy.fail(...faults);
    const since = whole[0]?.known_at;
    expect(await all(oddswire.history({ since }))).to.deep.equal(whole);
    const [first = '', ...others] = proxy.requests.slice(before);
    expect(first).to.include('?since=');
    expect(others).to.have.length(faults.length);
    for (const request of others) expect(request).to.include('?after=').and.not.include('since');
  }).timeout(20_000);

  it('again after 429 and 503, and over a connection that has died without a sign', async () => {
    proxy.fail(status(429, { 'Retry-After': '0' }), status(503));
    expect(await all(oddswire.history({ after: start }))).to.deep.equal(whole);
    const silent: SilentProxy = await startSilentProxy(service.instances[0]?.url ?? '');
    const patient = new Oddswire({ url: silent.url, key: key.key, timeoutMs: 500 });
    await patient.usage();
    silent.silence();
    expect(await all(patient.history({ after: start }))).to.deep.equal(whole);
    await silent.stop();
    proxy.fail(cut((body) => body.length / 2, 'is silent'));
    const inTheMiddle = new Oddswire({ url: proxy.url, key: key.key, timeoutMs: 500 });
    expect(await all(inTheMiddle.history({ after: start }))).to.deep.equal(whole);
  });

  it('until it is refused: the position is where to continue', async () => {
    const own = await aKey(client);
    const history = new Oddswire({ url: proxy.url, key: own.key }).history({ after: start });
    proxy.fail(cut((body) => body.indexOf('\n') + 1, 'is cut'));
    const reading = (async () => {
      for await (const _ of history) await actOn(client, own.key_id, 'revoke', { cause: 'manual' });
    })();
    expect(await codeOf(reading)).to.equal('key_revoked');
    expect(history.position).to.equal(whole[0]?.position);
    const tooEarly = all(direct.history({ since: '2001-01-01T00:00:00Z' }));
    const error = await tooEarly.catch((thrown: OddswireError) => thrown);
    expect(error).to.include({ code: 'before_history', status: 410 });
    const { problem = null } = error as OddswireError;
    expect(await all(direct.history({ after: problem?.history_from?.position }))).to.include.deep.members([
      ...whole,
    ]);
  });

  it('until the user leaves the loop or aborts: the connection is then closed', async () => {
    let isClosed = false;
    proxy.fail((response) => {
      response.on('close', () => {
        isClosed = true;
      });
      response.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
      response.write(`${JSON.stringify(whole[0])}\n`);
    });
    for await (const change of oddswire.history({ after: start })) {
      expect(change).to.deep.equal(whole[0]);
      break;
    }
    await until(true, () => isClosed);
    const abort = new AbortController();
    const taken: HistoryChange[] = [];
    const reading = (async () => {
      for await (const change of oddswire.history({ after: start, signal: abort.signal }))
        if (taken.push(change) === 2) abort.abort(new Error('enough'));
    })();
    expect(await reading.catch(({ message }) => message)).to.equal('enough');
    expect(taken).to.deep.equal(whole.slice(0, 2));
    expect(await codeOf(all(oddswire.history({ signal: abort.signal })))).to.equal('Error: enough');
  });
});
