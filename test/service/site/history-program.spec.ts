import { execFile } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { type Fault, type FaultyProxy, startFaultyProxy } from '../../support/client/faulty-proxy.js';
import { market, publication, subMarket } from '../../support/objects/builders.js';
import { aKey, publishAll } from '../../support/service/api-calls.js';
import { Client, send } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';

/** The table that the chapter *History* makes for a backtest (D61). */
describe('The program of the chapter about the history', function () {
  this.timeout(60_000);
  let service: Service;
  let client: Client;
  let proxy: FaultyProxy;
  let key: string;
  let program: string;
  before(async () => {
    service = await startService();
    client = await Client.of(service);
    const url = service.instances[0]?.url ?? '';
    proxy = await startFaultyProxy(url);
    ({ key } = await aKey(client));
    const { text } = await send(`${url}/docs/history.md`, {});
    program = /^```python\n(.*?)^```$/ms.exec(text)?.[1] ?? expect.fail('the chapter has no program');
    await publish('first', 0.4);
    await publish('second', 0.5);
    await publish('first', 0.6);
    await publish('retracted', 0.7);
    await client.retract('retracted');
    await publish('last', 0.8);
  });
  after(() => Promise.all([proxy.stop(), service.stop()]));

  const publish = async (id: string, yes_ask: number): Promise<void> => {
    const { market_snapshot, ...sub } = subMarket('s');
    const priced = { ...sub, market_snapshot: { ...market_snapshot, yes_ask } };
    await publishAll(client, [publication({ id, related_markets: [market('m', priced)] })]);
    // So that the next item is scored after this one was known.
    await setTimeout(5);
  };

  const table = async (): Promise<readonly (readonly string[])[]> => {
    const environment = { PATH: process.env['PATH'], ODDSWIRE_URL: proxy.url, ODDSWIRE_KEY: key };
    const { stdout } = await promisify(execFile)('python3', ['-c', program], { env: environment });
    return stdout
      .trim()
      .split(/\r?\n/)
      .map((line) => line.split(','));
  };
  /** The first bytes of the answer of the service, and what comes after them. */
  const cut =
    (bytesOf: (body: Buffer) => number, end = ''): Fault =>
    async (response, { url, headers: { accept = '' } }) => {
      const answer = await fetch(`${service.instances[0]?.url}${url}`, {
        headers: { Accept: accept, 'X-API-Key': key },
      });
      const body = Buffer.from(await answer.arrayBuffer());
      response.end(Buffer.concat([body.subarray(0, bytesOf(body)), Buffer.from(end)]));
    };

  it('pairs each signal with the first two later prices of other items, and leaves out none', async () => {
    const [columns, ...rows] = await table();
    expect(columns?.slice(1, 8)).to.deep.equal([
      'kind',
      'revision',
      'news_id',
      'sub_market_id',
      'outcome',
      'effect',
      'price',
    ]);
    const short = rows.map((row) =>
      [row[1], row[2], row[3], row[7], row[9] ?? '-', row[11] ?? '-'].join(' '),
    );
    expect(short.toSorted()).to.deep.equal([
      'published 1 first 0.4 0.5 0.7',
      'published 1 last 0.8 - -',
      'published 1 retracted 0.7 0.8 -',
      'published 1 second 0.5 0.6 0.7',
      'replaced 2 first 0.6 0.7 0.8',
    ]);
  });

  it('continues after a cut, an end without a last line, and a pause', async () => {
    const whole = await table();
    const lineEnd = (body: Buffer) => body.indexOf('\n') + 1;
    const position = JSON.parse((await history()).split('\n')[1] ?? '').position;
    const paused = { type: 'paused', position, retry_after_seconds: 0, problem: null };
    proxy.fail(
      cut((body) => lineEnd(body) + 40),
      cut(lineEnd, `${JSON.stringify(paused)}\n`),
    );
    const before = proxy.requests.length;
    expect(await table()).to.deep.equal(whole);
    expect(proxy.requests.length - before).to.equal(3);
  });

  it('ends with an error when the key is refused', async () => {
    const problem = { code: 'key_revoked' };
    const paused = { type: 'paused', position: 'x', retry_after_seconds: null, problem };
    proxy.fail(cut(() => 0, `${JSON.stringify(paused)}\n`));
    const failed = await table().catch(({ code, stderr }: { code: number; stderr: string }) => [
      code,
      stderr,
    ]);
    expect(failed).to.deep.equal([1, "refused: {'code': 'key_revoked'}\n"]);
  });

  const history = async () =>
    (
      await send(`${proxy.url}/pm/v2/history`, {
        headers: { 'X-API-Key': key, Accept: 'application/x-ndjson' },
      })
    ).text;
});
