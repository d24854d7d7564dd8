import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { npm, npmPack, PROJECT, run } from '../../support/client/packed.js';
import { publication } from '../../support/objects/builders.js';
import { aKey, publishAll } from '../../support/service/api-calls.js';
import { Client, send } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';

type Listed = { readonly url: string; readonly sha256: string; readonly install: string };

/** No command of these tests can reach a registry. */
const WITHOUT_REGISTRY = ['--registry=http://127.0.0.1:9', '--fetch-retries=0'];

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const versionOf = (file: string): string =>
  (JSON.parse(readFileSync(join(PROJECT, file), 'utf8')) as { version: string }).version;

describe('The clients that the service serves (D132)', function () {
  this.timeout(60_000);
  let folder: string;
  let service: Service;
  let client: Client;
  let url: string;
  let listed: readonly Listed[];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'oddswire-served-'));
    service = await startService();
    client = await Client.of(service);
    url = service.instances[0]?.url ?? '';
    listed = ((await client.ask('/')).json as { clients: readonly Listed[] }).clients;
  });
  after(async () => {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const ofNpm = (): Listed => {
    const [found] = listed.filter((one) => one.install.startsWith('npm install'));
    if (found === undefined) throw new Error('the index lists no package for npm');
    return found;
  };

  it('are all packages of the build, with the version of each in its name', () => {
    const names = listed.map((one) => one.url.slice(`${url}/clients/`.length));
    expect(names).to.have.members(readdirSync(join(PROJECT, 'dist/clients')));
    expect(names).to.include(`oddswire-client-${versionOf('packages/client/package.json')}.tgz`);
  });

  it('have the SHA-256 that the index states, and are cached by it', async () => {
    for (const { url: address, sha256: stated } of listed) {
      const response = await fetch(address);
      expect(sha256(new Uint8Array(await response.arrayBuffer()))).to.equal(stated);
      const { headers } = response;
      expect(headers.get('ETag')).to.equal(`"${stated}"`);
      const isDev = address.includes('dev');
      expect(headers.get('Cache-Control')).to.equal(
        isDev ? 'public, no-cache' : 'public, max-age=31536000, immutable',
      );
      expect(headers.get('Content-Encoding')).to.equal(null);
      expect(headers.get('Content-Type')).to.match(/^application\/(gzip|zip)$/);
      expect((await send(address, { headers: { 'If-None-Match': `"${stated}"` } })).status).to.equal(304);
      expect(await send(address, { method: 'HEAD' })).to.include({ status: 200, text: '' });
    }
  });

  it('are named by /docs and /llms.txt with their commands and hashes', async () => {
    for (const path of ['/docs', '/docs/quickstart.md', '/llms.txt']) {
      const { text } = await send(`${url}${path}`, {});
      for (const { install, sha256: stated } of listed) {
        expect(text.replaceAll(/<[^>]+>/g, ''), path)
          .to.include(install)
          .and.include(stated);
      }
    }
    expect((await send(`${url}/docs/client.md`, {})).text).to.include(ofNpm().install);
  });

  it('are named by the 404 of a file that this version does not have', async () => {
    for (const name of ['oddswire-client-0.0.1.tgz', 'constructor', 'package.json']) {
      const { status, json } = await client.ask(`/clients/${name}`);
      expect([name, status]).to.deep.equal([name, 404]);
      expect(json).to.have.property('detail').that.includes(new URL(ofNpm().url).pathname);
    }
  });

  it('lead from an empty folder to the first item in three lines, without a registry', async () => {
    await publishAll(client, [publication({ id: 'first' })]);
    const { key } = await aKey(client);
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    const startedAt = performance.now();
    await npm(empty, 'install', ofNpm().url, ...WITHOUT_REGISTRY, `--cache=${join(folder, 'cache')}`);
    const environment = { ...process.env, ODDSWIRE_URL: url, ODDSWIRE_KEY: key };
    const { stdout } = await run('npx', ['--no', 'oddswire', 'news', '--limit', '1'], {
      cwd: empty,
      env: environment,
    });
    console.log(
      `      ${((performance.now() - startedAt) / 1_000).toFixed(1)} s from nothing to the first item`,
    );
    expect(JSON.parse(stdout)).to.have.nested.property('news_event.id', 'first');
  });

  it('are packed with their code by npm pack in a clone that was never built, and are then the same bytes', async () => {
    const clone = join(folder, 'clone');
    const filter = (source: string) => !/\/(dist[.\d]*|node_modules)$/.test(source);
    for (const name of ['packages/client', 'scripts', 'package.json', 'tsconfig.json'])
      cpSync(join(PROJECT, name), join(clone, name), { recursive: true, filter });
    symlinkSync(join(PROJECT, 'node_modules'), join(clone, 'node_modules'));
    const packed = await npmPack(join(clone, 'packages/client'), folder);
    const { stdout } = await run('tar', ['-tzf', packed]);
    const script = `import { packClient } from './scripts/client-package.mjs'; packClient('again');`;
    await run(process.execPath, ['--input-type=module', '--eval', script], { cwd: clone });
    const again = join(clone, 'again', basename(ofNpm().url));
    const { stdout: served } = await run('tar', ['-tzf', again]);
    expect(stdout.split('\n')).to.include.members([
      'package/dist/index.js',
      'package/dist/command/oddswire.js',
    ]);
    expect(stdout.split('\n')).to.have.members(served.split('\n'));
    expect(sha256(readFileSync(again))).to.equal(ofNpm().sha256);
  });
});
