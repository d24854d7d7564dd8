import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { publication } from '../../support/objects/builders.js';
import { aKey, publishAll } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';

const ODDSWIRE = resolve(import.meta.dirname, '../../../src/commands/oddswire.js');
const ITEMS = 1_500;
const KILLS = 8;

const longItem = (id: string) => {
  const item = publication({ id });
  return { ...item, news_event: { ...item.news_event, long_context: 'Words of an item. '.repeat(500) } };
};

describe('oddswire export of a running service', function () {
  this.timeout(120_000);
  let folder: string;
  let service: Service;
  let url: string;
  let key: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'oddswire-export-'));
    service = await startService();
    url = service.instances[0]?.url ?? '';
    const client = await Client.of(service);
    ({ key } = await aKey(client));
    for (let from = 0; from < ITEMS; from += 100)
      await publishAll(
        client,
        Array.from({ length: 100 }, (_, i) => longItem(`ne_${from + i}`)),
      );
    await publishAll(client, [publication({ id: 'ne_0' }), publication({ id: 'ne_1' })]);
    await client.retract('ne_1');
  });
  after(async () => {
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  const started = (file: string, ...args: readonly string[]): ChildProcess =>
    spawn(process.execPath, [ODDSWIRE, 'export', '--out', file, '--url', url, ...args], {
      env: { PATH: process.env['PATH'] ?? '', ODDSWIRE_KEY: key },
      cwd: folder,
      stdio: 'ignore',
    });

  const ended = async (process: ChildProcess): Promise<number | null> =>
    process.exitCode ?? ((await once(process, 'exit'))[0] as number | null);

  const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

  /** Kills an export when its file has so many bytes. Whether it was killed before its end. */
  async function killedAt(file: string, bytes: number, args: readonly string[]): Promise<boolean> {
    const process = started(file, ...args);
    while (process.exitCode === null && sizeOf(file) < bytes) await setImmediate();
    process.kill('SIGKILL');
    return (await ended(process)) === null;
  }

  it('has the bytes of one download after it was killed at random moments', async () => {
    const { headers } = await fetch(`${url}/pm/v2/news?limit=1`, { headers: { 'X-API-Key': key } });
    const head = headers.get('Feed-Position');
    const range = ['--until', head ?? ''];
    const whole = join(folder, 'whole.ndjson');
    expect(await ended(started(whole, ...range))).to.equal(0);
    const { length } = readFileSync(whole);

    const file = join(folder, 'killed.ndjson');
    let killed = 0;
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const share = (kill - 1 + Math.random()) / KILLS;
      if (await killedAt(file, share * length, range)) killed += 1;
    }
    expect(killed).to.be.at.least(3);
    expect(await ended(started(file, ...range))).to.equal(0);
    expect(readFileSync(file).equals(readFileSync(whole))).to.equal(true);

    const answer = await fetch(`${url}/pm/v2/history?until=${head}`, {
      headers: { 'X-API-Key': key, Accept: 'application/x-ndjson' },
    });
    const downloaded = await answer.text();
    expect(`${readFileSync(file, 'utf8')}{"type":"complete","position":"${head}"}\n`).to.equal(downloaded);
  });
});
