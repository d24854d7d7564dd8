import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { aKey, problem } from '../../support/service/api-calls.js';
import { Client, send } from '../../support/service/client.js';
import { type Service, spawnMain, startService, stopped } from '../../support/service/running-service.js';

const first = ({ instances: [instance] }: Service) => {
  if (instance === undefined) throw new Error('no instance');
  return instance;
};

/** Sends raw bytes, and returns the answer up to the close of the connection. */
async function raw(url: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(bytes, 'latin1');
  return text(socket);
}

describe('The process', () => {
  it('reports all invalid settings at once and exits with 1', async () => {
    const child = spawnMain({
      PORT: 'x',
      TEST_CLOCK: 'maybe',
      DATABASE_URL: 'postgre://u:secret@h/d',
      WEB_CONCURRENCY: '4',
    });
    const [output, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect(code).to.equal(1);
    for (const name of ['PORT', 'TEST_CLOCK', 'DATABASE_URL', 'WEB_CONCURRENCY'])
      expect(output).to.include(name);
    expect(output).not.to.include('secret');
  });

  /** Returns the exit code and standard error of a service that cannot start. */
  const refused = async (settings: Readonly<Record<string, string>>) => {
    const child = spawnMain({
      HOST: '127.0.0.1',
      PORT: '0',
      INTERNAL_PORT: '0',
      OPERATOR_TOKEN: 'operator-token-of-the-tests',
      PUBLISHER_TOKEN: 'publisher-token-of-the-tests',
      ...settings,
    });
    const [output, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    return [code, output];
  };

  for (const setting of ['PORT', 'INTERNAL_PORT']) {
    it(`fails with one line that names ${setting} if that port is taken`, async () => {
      const service = await startService();
      const { port } = new URL(first(service).url);
      expect(await refused({ [setting]: port })).to.deep.equal([
        1,
        `oddswire: cannot start: ${setting} ${port} is taken on 127.0.0.1: another process listens there. End it, or set ${setting} to another port\n`,
      ]);
      await service.stop();
    });
  }

  for (const setting of ['HOST', 'INTERNAL_HOST']) {
    it(`fails with one line that names ${setting} if that is not an address of this machine`, async () => {
      expect(await refused({ [setting]: 'nowhere.invalid' })).to.deep.equal([
        1,
        `oddswire: cannot start: ${setting} nowhere.invalid is unknown: no address was found for this name\n`,
      ]);
      expect(await refused({ [setting]: '192.0.2.1' })).to.deep.equal([
        1,
        `oddswire: cannot start: ${setting} 192.0.2.1 is no address of this machine: set it to one, or to 0.0.0.0 for all of them\n`,
      ]);
    });
  }

  it('generates missing tokens in a file readable only by its owner, and prints only its path', async () => {
    const service = await startService({ OPERATOR_TOKEN: '', PUBLISHER_TOKEN: '' });
    const file = join(service.stateDir, 'tokens.json');
    const tokens = JSON.parse(readFileSync(file, 'utf8')) as { operator: string; publisher: string };
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    for (const setting of ['OPERATOR_TOKEN', 'PUBLISHER_TOKEN'])
      await first(service).line(`${setting} is not set: the token is in ${file}.`);
    const headers = { Authorization: `Bearer ${tokens.operator}` };
    expect((await send(`${first(service).internalUrl}/internal/v1/accounts/x`, { headers })).status).to.equal(
      404,
    );
    await service.stop();
    for (const token of [tokens.operator, tokens.publisher])
      expect(first(service).output.join('\n')).not.to.include(token);
  });

  it('fails if a stored token is too short, and names the file', async () => {
    const stateDir = mkdtempSync(join(tmpdir(), 'oddswire-weak-'));
    const file = join(stateDir, 'tokens.json');
    writeFileSync(file, '{"operator":"nineteen-characters","publisher":"publisher-token-of-the-tests"}');
    const child = spawnMain({ PORT: '0', INTERNAL_PORT: '0', STATE_DIR: stateDir });
    const [output, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect([code, output]).to.deep.equal([
      1,
      `oddswire: cannot start: ${file}: the operator token must have at least 20 characters; delete the file, and new ones are made\n`,
    ]);
    rmSync(stateDir, { recursive: true });
  });

  it('has no test clock by default (D30)', async () => {
    const service = await startService({ TEST_CLOCK: '0' });
    const client = await Client.of(service);
    expect((await client.operate('GET', '/internal/v1/test-clock')).status).to.equal(404);
    await service.stop();
  });

  it('limits guesses by address; valid keys from that address still work (D33)', async () => {
    const service = await startService({ ANONYMOUS_PER_MINUTE: '30' });
    const client = await Client.of(service);
    const now = await client.operate('POST', '/internal/v1/test-clock', { advance_seconds: 0 });
    const second = Number((now.json as { now: string }).now.slice(17, 19));
    await client.operate('POST', '/internal/v1/test-clock', { advance_seconds: 60 - second + 0.5 });
    const { key } = await aKey(client);
    const statuses = [];
    for (let i = 0; i < 32; i += 1) {
      statuses.push(
        (i % 2 === 0 ? await client.ask('/pm/v2/news') : await client.news(`svc_${'A'.repeat(43)}`)).status,
      );
    }
    expect(statuses).to.deep.equal([...Array(30).fill(401), 429, 429]);
    const refused = await client.ask('/pm/v2/news');
    expect(problem(refused).violated_policies).to.deep.equal(['anonymous']);
    expect((await client.news(key)).status).to.equal(200);
    await service.stop();
  });

  describe('gets a malformed request', () => {
    let service: Service;
    before(async () => {
      service = await startService();
    });
    after(() => service.stop());

    const malformed: readonly (readonly [what: string, bytes: string, status: number, code: string])[] = [
      ['two Host headers', 'GET /pm/v2/news HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400, 'bad_request'],
      ['no Host header', 'GET /pm/v2/news HTTP/1.1\r\n\r\n', 400, 'bad_request'],
      ['no HTTP', 'hello\r\n\r\n', 400, 'bad_request'],
      ['an unknown method', 'BREW /pm/v2/news HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'bad_request'],
      [
        'a header of 20 KB',
        `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
        431,
        'header_too_large',
      ],
      ['an invalid target URL', 'GET http://[ HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'bad_request'],
      ['a header without a colon', 'GET / HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n', 400, 'bad_request'],
      [
        'an invalid Content-Length',
        'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n',
        400,
        'bad_request',
      ],
      ['a broken path', 'GET /%zz%ff HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 404, 'not_found'],
      [
        'a broken query',
        'GET /pm/v2/news?%zz=%ff&api_key=%ff HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
        401,
        'key_unknown',
      ],
    ];
    for (const [what, bytes, status, code] of malformed) {
      it(`and answers ${what} with ${status}, with all standard headers (D32, D33)`, async () => {
        const answer = await raw(first(service).url, bytes);
        expect(answer).to.match(new RegExp(`^HTTP/1.1 ${status} `));
        expect(answer).to.include(`"code":"${code}"`);
        expect(answer).to.match(/^Content-Type: application\/problem\+json; charset=utf-8\r$/m);
        expect(answer).to.match(/^RateLimit: "anonymous";r=\d+;t=\d+\r$/m);
        expect(answer).to.match(/^X-Request-Id: .+\r$/m);
      });
    }
  });

  it('shuts down cleanly on SIGTERM: it is not ready, still answers, then exits with 0 (T8)', async () => {
    const service = await startService({ DRAIN_DELAY_MS: '600' });
    const { process, internalUrl, url, line } = first(service);
    const exit = once(process, 'exit');
    process.kill('SIGTERM');
    await line('draining');
    const ready = await send(`${internalUrl}/readyz`, {});
    expect([ready.status, (ready.json as { status: string }).status]).to.deep.equal([503, 'not_ready']);
    const answer = await send(`${url}/pm/v2/news`, {});
    expect([answer.status, answer.headers['connection']]).to.deep.equal([401, 'close']);
    expect(await exit).to.deep.equal([0, null]);
  });

  it('exits immediately with 1 on a second SIGTERM (T8)', async () => {
    const service = await startService({ DRAIN_DELAY_MS: '60000' });
    const { process, line } = first(service);
    process.kill('SIGTERM');
    await line('draining');
    const exit = once(process, 'exit');
    process.kill('SIGTERM');
    expect(await exit).to.deep.equal([1, null]);
    expect(await stopped(process)).to.equal(1);
  });
});
