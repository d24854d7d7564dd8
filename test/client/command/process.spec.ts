import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { PROJECT } from '../../support/client/packed.js';
import { publication } from '../../support/objects/builders.js';
import { aKey, publishAll } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';

/** The program of the packed client, and that of the service, which has the commands of users too (D133). */
const PROGRAMS = {
  client: join(PROJECT, 'packages/client/dist/command/oddswire.js'),
  service: join(PROJECT, 'dist/src/commands/oddswire.js'),
};

describe('The process of oddswire', function () {
  this.timeout(30_000);
  let service: Service;
  let environment: NodeJS.ProcessEnv;
  before(async () => {
    service = await startService();
    const client = await Client.of(service);
    await publishAll(
      client,
      Array.from({ length: 300 }, (_, n) => publication({ id: `ne_${n}` })),
    );
    const { key } = await aKey(client);
    const url = service.instances[0]?.url ?? '';
    environment = { PATH: process.env['PATH'], ODDSWIRE_URL: url, ODDSWIRE_KEY: key };
  });
  after(() => service.stop());

  for (const [name, program] of Object.entries(PROGRAMS)) {
    it(`prints lines of JSON into a pipe: the program of the ${name}`, async () => {
      const { stdout } = await promisify(execFile)(process.execPath, [program, 'news', '--limit', '2'], {
        env: environment,
      });
      const ids = stdout
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line).news_event.id);
      expect(ids).to.deep.equal(['ne_299', 'ne_298']);
    });
  }

  it('ends quietly with 0 when the reader of its pipe ends', async () => {
    const child = spawn(process.execPath, [PROGRAMS.client, 'news', '--limit', '300'], {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.once('data', () => child.stdout.destroy());
    let messages = '';
    child.stderr.on('data', (bytes: Buffer) => {
      messages += bytes.toString();
    });
    expect([...(await once(child, 'close')), messages]).to.deep.equal([0, null, '']);
  });

  it('ends with 130 at Ctrl-C, after complete lines', async () => {
    const child = spawn(process.execPath, [PROGRAMS.client, 'follow'], {
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      if (line.includes('"ready"')) child.kill('SIGINT');
    }
    if (child.exitCode === null) await once(child, 'exit');
    expect(child.exitCode).to.equal(130);
    for (const line of lines) JSON.parse(line);
  });

  it('prints the version of its package', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [PROGRAMS.client, '--version']);
    const { version } = JSON.parse(readFileSync(join(PROJECT, 'packages/client/package.json'), 'utf8'));
    expect(stdout).to.equal(`${version}\n`);
  });
});
