import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { expect } from 'chai';
import pg from 'pg';
import {
  type PostgresServer,
  startPostgresServer,
} from '../../../src/adapters/postgres-server/postgres-server.js';
import { isAlive } from '../../../src/adapters/postgres-server/supervised-process.js';
import { reservedPort } from '../../support/servers/reserved-port.js';

const MODULE = resolve(import.meta.dirname, '../../../src/adapters/postgres-server/postgres-server.js');

/** A process that starts a server in the given folder, prints its address, and runs until it is killed. */
const STARTER = `
const { startPostgresServer } = await import(process.argv[1]);
const { url, pid } = await startPostgresServer({ folder: process.argv[2], durable: true });
console.log(JSON.stringify({ url, pid }));
process.stdin.resume();
`;

type Started = { readonly url: string; readonly pid: number };

/** The Postgres that `DATABASE_URL=embedded:` starts, tested without the service. */
describe('The embedded Postgres server', function () {
  this.timeout(30_000);
  let parent: string;
  let folder: string;
  const servers: PostgresServer[] = [];
  const starters: ChildProcessByStdio<Writable, Readable, null>[] = [];
  before(() => {
    parent = mkdtempSync(join(tmpdir(), 'oddswire-server-'));
    chmodSync(parent, 0o755);
    folder = join(parent, 'postgres');
  });
  afterEach(async () => {
    for (const starter of starters.splice(0)) starter.kill('SIGKILL');
    await Promise.all(servers.splice(0).map((server) => server.stop()));
  });
  after(() => rmSync(parent, { recursive: true, force: true }));

  const start = async (options: { readonly durable?: boolean; readonly port?: number } = {}) => {
    const server = await startPostgresServer({ folder, durable: true, ...options });
    servers.push(server);
    return server;
  };
  const startElsewhere = async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', STARTER, MODULE, folder], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    starters.push(child);
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    return { child, started: JSON.parse(line as string) as Started };
  };

  it('answers as soon as its start is reported, and keeps its data after a stop', async () => {
    const first = await start();
    await query(first.url, 'create table written (content text)');
    await query(first.url, "insert into written values ('before the stop')");
    await first.stop();
    expect(isAlive(first.pid)).to.equal(false);
    expect(await writtenRows((await start()).url)).to.deep.equal(['before the stop']);
  });

  it('listens only on this machine, on the given port', async () => {
    const port = await reservedPort();
    const { url } = await start({ port });
    expect(new URL(url).port).to.equal(String(port));
    expect(await query(url, 'show listen_addresses')).to.deep.equal([{ listen_addresses: '127.0.0.1' }]);
    expect(await query(url, 'show unix_socket_directories')).to.deep.equal([{ unix_socket_directories: '' }]);
  });

  it('waits for the disk only if its data must be durable', async () => {
    for (const durable of [true, false]) {
      const server = await start({ durable });
      for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes']) {
        const expected = [{ [setting]: durable ? 'on' : 'off' }];
        expect(await query(server.url, `show ${setting}`)).to.deep.equal(expected);
      }
      await server.stop();
    }
  });

  it('refuses clients without the password, which only its owner can read', async () => {
    const { url } = await start();
    expect(statSync(join(folder, 'data', 'oddswire.password')).mode & 0o777).to.equal(0o600);
    expect(statSync(join(folder, 'data')).mode & 0o777).to.equal(0o700);
    for (const password of ['', 'guessed']) {
      const other = new URL(url);
      other.password = password;
      const fault = await query(other.href, 'select 1').catch((thrown: unknown) => thrown);
      expect(String(fault)).to.match(/password/);
    }
  });

  it('stops when its parent is killed, and the next start finds all committed data', async () => {
    const { child, started } = await startElsewhere();
    await query(started.url, "insert into written values ('before the parent was killed')");
    child.kill('SIGKILL');
    const next = await start();
    expect(isAlive(started.pid)).to.equal(false);
    expect(await writtenRows(next.url)).to.deep.equal(['before the stop', 'before the parent was killed']);
  });

  it('makes the next start wait while it shuts down', async () => {
    const { child, started } = await startElsewhere();
    const [row] = await query(
      started.url,
      "select pid from pg_stat_activity where backend_type = 'checkpointer'",
    );
    const checkpointer = Number(row?.['pid']);
    // A server does not end before its checkpointer has.
    process.kill(checkpointer, 'SIGSTOP');
    child.kill('SIGKILL');
    const starting = start();
    setTimeout(() => process.kill(checkpointer, 'SIGCONT'), 500);
    expect((await starting).pid).not.to.equal(started.pid);
    expect(isAlive(started.pid)).to.equal(false);
  });

  it('starts again after it was killed itself, and finds all committed data', async () => {
    const killed = await start();
    await query(killed.url, "insert into written values ('before it was killed')");
    process.kill(killed.pid, 'SIGKILL');
    expect((await writtenRows((await start()).url)).at(-1)).to.equal('before it was killed');
  });

  it('starts again after server and parent were killed at the same time', async () => {
    const { child, started } = await startElsewhere();
    await query(started.url, "insert into written values ('before both were killed')");
    process.kill(started.pid, 'SIGKILL');
    child.kill('SIGKILL');
    expect((await writtenRows((await start()).url)).at(-1)).to.equal('before both were killed');
  });

  it('is created again if the creation of its data was killed', async () => {
    const elsewhere = join(parent, 'unfinished');
    mkdirSync(join(elsewhere, 'data.unfinished', 'base'), { recursive: true });
    const server = await startPostgresServer({ folder: elsewhere, durable: false });
    servers.push(server);
    expect(await query(server.url, 'select 1 as one')).to.deep.equal([{ one: 1 }]);
  });

  it('is created once by two concurrent starts in an empty folder: one starts, the other fails', async () => {
    const elsewhere = join(parent, 'raced');
    const options = { folder: elsewhere, durable: false };
    const both = await Promise.allSettled([startPostgresServer(options), startPostgresServer(options)]);
    for (const one of both) if (one.status === 'fulfilled') servers.push(one.value);
    const refused = both.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
    expect(refused).to.have.length(1);
    expect(refused[0]).to.include('another service is using');
    const [server] = servers;
    expect(await query(server?.url ?? '', 'select 1 as one')).to.deep.equal([{ one: 1 }]);
  });

  it('refuses a folder that contains other files', async () => {
    const folderOfOthers = mkdtempSync(join(parent, 'others-'));
    writeFileSync(join(folderOfOthers, 'thesis.txt'), 'years of work');
    const before = statSync(folderOfOthers).uid;
    const fault = await startPostgresServer({ folder: folderOfOthers, durable: true }).catch(
      (thrown: unknown) => thrown,
    );
    expect(String(fault)).to.include('contains other files (thesis.txt)');
    expect(statSync(folderOfOthers).uid).to.equal(before);
  });

  it('does not inherit the secrets in the environment of the service', async () => {
    process.env['OPERATOR_TOKEN'] = 'hush-hush';
    const { pid } = await start();
    delete process.env['OPERATOR_TOKEN'];
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.to.include('hush');
  });

  it('never runs as root', async () => {
    const { pid } = await start();
    const { stdout } = spawnSync('ps', ['-o', 'uid=', '-p', String(pid)], { encoding: 'utf8' });
    const ours = process.getuid?.();
    if (ours === 0) expect(Number(stdout)).to.be.greaterThan(0);
    else expect(Number(stdout)).to.equal(ours);
    expect(statSync(join(folder, 'data')).uid).to.equal(Number(stdout));
  });

  it('fails with advice if its user cannot reach the folder', async () => {
    if (process.getuid?.() !== 0) return; // Only a service of root runs it as another user.
    const closed = mkdtempSync(join(parent, 'closed-'));
    const options = { folder: join(closed, 'postgres'), durable: true };
    const fault = await startPostgresServer(options).catch((thrown: unknown) => thrown);
    expect(String(fault)).to.match(/cannot reach .*closed-.*: name a folder .* or do not run .* as root$/);
  });
});

async function query(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
  });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function writtenRows(url: string): Promise<readonly unknown[]> {
  return (await query(url, 'select content from written')).map(({ content }) => content);
}
