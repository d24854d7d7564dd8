import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { MIGRATIONS } from '../../../src/adapters/postgres/migrations/migrations.js';
import { isAlive } from '../../../src/adapters/postgres-server/supervised-process.js';
import { publication } from '../../support/objects/builders.js';
import { aKey, ids, publishAll } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Instance, type Launched, launchInstance } from '../../support/service/running-service.js';

const TOKENS = { operator: 'operator-token-of-the-tests', publisher: 'publisher-token-of-the-tests' };

/** `DATABASE_URL=embedded:<folder>`: a durable Postgres that the service starts and stops. */
const NEWEST = [...MIGRATIONS.keys()].at(-1);

describe('A service with an embedded Postgres', function () {
  this.timeout(60_000);
  let parent: string;
  let folder: string;
  let launched: Launched;
  before(() => {
    parent = mkdtempSync(join(tmpdir(), 'oddswire-embedded-'));
    chmodSync(parent, 0o755);
    folder = join(parent, 'var', 'postgres'); // As in the README: the parent folder does not exist either.
  });
  after(async () => {
    await launched.stop();
    rmSync(parent, { recursive: true, force: true });
  });

  const start = async () => {
    launched = launchInstance({ DATABASE_URL: `embedded:${folder}` });
    return clientOf(await launched.listening);
  };
  const clientOf = (instance: Instance) =>
    Client.of({ instances: [instance], tokens: TOKENS, stateDir: '', stop: async () => {} });
  const serverPid = () => Number(readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
  const gone = async (pid: number) => {
    while (isAlive(pid)) await new Promise((done) => setTimeout(done, 20));
  };
  let key: string;
  const shown = async (client: Client) => ids(await client.news(key));

  it('starts Postgres with fsync on, and keeps its data across restarts', async () => {
    const client = await start();
    ({ key } = await aKey(client));
    await publishAll(client, [publication({ id: 'first' })]);
    const args = readFileSync(`/proc/${serverPid()}/cmdline`, 'utf8');
    expect(args).not.to.include('fsync');
    const pid = serverPid();
    expect(await launched.stop()).to.equal(0);
    await gone(pid);
    const again = await start();
    expect(await shown(again)).to.deep.equal(['first']);
  });

  it('leaves no Postgres running when it is killed, and has all data at the next start', async () => {
    const client = await clientOf(await launched.listening);
    await publishAll(client, [publication({ id: 'second' })]);
    const pid = serverPid();
    launched.process.kill('SIGKILL');
    await once(launched.process, 'exit');
    const again = await start();
    expect(await shown(again)).to.deep.equal(['second', 'first']);
    await gone(pid);
  });

  it('starts again after both it and Postgres were killed', async () => {
    const pid = serverPid();
    process.kill(pid, 'SIGKILL');
    launched.process.kill('SIGKILL');
    await once(launched.process, 'exit');
    expect(await shown(await start())).to.deep.equal(['second', 'first']);
  });

  it('stores the Postgres password readable only by its owner, and never logs it', () => {
    const file = join(folder, 'data', 'oddswire.password');
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect(launched.output.join('\n')).not.to.include(readFileSync(file, 'utf8'));
  });

  it('makes a second service on the same folder fail with one line', async () => {
    const second = launchInstance({ DATABASE_URL: `embedded:${folder}` });
    const fault = await second.listening.catch((thrown: unknown) => thrown);
    expect(String(fault)).to.include(`another service is using the Postgres in ${folder}`);
  });

  it('can be migrated forward and back with npm run migrate', async () => {
    await launched.stop();
    const migrating = async (...args: readonly string[]) => {
      const child = spawn(
        process.execPath,
        [resolve(import.meta.dirname, '../../../src/commands/migrate.js'), ...args],
        {
          env: { PATH: process.env['PATH'] ?? '', DATABASE_URL: `embedded:${folder}` },
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      );
      const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
      return [code, out.trim()];
    };
    expect(await migrating()).to.deep.equal([0, 'nothing to do: the schema is the newest']);
    expect(await migrating('back')).to.deep.equal([0, `reverted: ${NEWEST}`]);
    expect(await migrating('forward')).to.deep.equal([0, `applied: ${NEWEST}`]);
    const [code] = await migrating('sideways');
    expect(code).to.equal(1);
  });

  it('fails with one line if the user of Postgres cannot reach the folder', async () => {
    if (process.getuid?.() !== 0) return; // Only root runs Postgres as another user.
    const closed = mkdtempSync(join(tmpdir(), 'oddswire-closed-'));
    const refused = launchInstance({ DATABASE_URL: `embedded:${join(closed, 'postgres')}` });
    const fault = await refused.listening.catch((thrown: unknown) => thrown);
    expect(String(fault)).to.match(/cannot start: the user that Postgres runs as cannot reach .*closed/);
    rmSync(closed, { recursive: true, force: true });
  });
});
