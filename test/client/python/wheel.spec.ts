import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { PROJECT, run } from '../../support/client/packed.js';
import { hasPython, PYTHON_PACKAGE } from '../../support/client/python-client.js';
import { publication } from '../../support/objects/builders.js';
import { aKey, publishAll } from '../../support/service/api-calls.js';
import { Client, send } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';

const textOf = (file: string): string => readFileSync(join(PROJECT, file), 'utf8');

// biome-ignore format: a table is read by its columns
const VERSIONS: readonly (readonly [npm: string, python: string])[] = [
  ['0.2.0',       '0.2.0'],
  ['0.3.0-dev',   '0.3.0.dev0'],
  ['1.0.0-rc.1',  '1.0.0rc1'],
  ['1.0.0-beta2', '1.0.0b2'],
];

const evaluated = async (expression: string): Promise<unknown> => {
  const script = `import * as wheel from './scripts/wheel.mjs'; process.stdout.write(JSON.stringify(${expression}));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], { cwd: PROJECT });
  return JSON.parse(stdout);
};

describe('The wheel of the Python client', function () {
  this.timeout(60_000);
  const folder = mkdtempSync(join(tmpdir(), 'oddswire-wheel-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  const builtNames = () => readdirSync(join(PROJECT, 'dist/clients')).filter((name) => name.endsWith('.whl'));
  const wheel = () => join(PROJECT, 'dist/clients', builtNames()[0] ?? '');

  it('has the version of the service, as Python writes it', async () => {
    const npm = VERSIONS.map(([version]) => version);
    const written = await evaluated(`${JSON.stringify(npm)}.map(wheel.pythonVersion)`);
    expect(written).to.deep.equal(VERSIONS.map(([, version]) => version));
    const own = await evaluated(
      `wheel.pythonVersion(${JSON.stringify(JSON.parse(textOf('package.json')).version)})`,
    );
    expect(builtNames()).to.deep.equal([`oddswire-${own}-py3-none-any.whl`]);
    expect(/^version = "(.*)"$/m.exec(textOf('packages/python/pyproject.toml'))?.[1]).to.equal(own);
  });

  it('has the same bytes in every build', async () => {
    await evaluated(`wheel.writeWheel(${JSON.stringify(folder)})`);
    expect(readFileSync(join(folder, builtNames()[0] ?? ''))).to.deep.equal(readFileSync(wheel()));
  });

  describe('installed by pip from the service into an empty folder, without an index', () => {
    const target = join(folder, 'installed');
    let service: Service;
    let environment: NodeJS.ProcessEnv;

    before(async function () {
      if (!hasPython) this.skip(); // This machine has no command python3.
      const offline = ['--no-index', '--no-deps', '--no-compile', '--disable-pip-version-check'];
      service = await startService();
      const { text } = await send(`${service.instances[0]?.url}/docs/python.md`, {});
      const address = /^pip install (\S+)$/m.exec(text)?.[1] ?? '';
      await run('python3', ['-m', 'pip', 'install', ...offline, '--target', target, address]);
      const client = await Client.of(service);
      await publishAll(client, [publication({ id: 'first' })]);
      environment = {
        PATH: process.env['PATH'],
        PYTHONPATH: target,
        ODDSWIRE_URL: service.instances[0]?.url,
        ODDSWIRE_KEY: (await aKey(client)).key,
      };
    });
    after(() => service?.stop());

    it('has every module with the hash that its record states', () => {
      const info = readdirSync(target).find((name) => name.endsWith('.dist-info')) ?? '';
      const lines = readFileSync(join(target, info, 'RECORD'), 'utf8')
        .trim()
        .split('\n');
      const hashed = lines
        .map((line) => /^([^,]+),sha256=([^,]+),\d+$/.exec(line))
        .filter((match) => match !== null);
      for (const [, file = '', hash] of hashed.filter(([, file = '']) => !file.startsWith('..'))) {
        const path = file.replace(/^oddswire-.*\.data\/scripts/, 'bin');
        expect(
          createHash('sha256')
            .update(readFileSync(join(target, path)))
            .digest('base64url'),
          file,
        ).to.equal(hash);
      }
      const modules = readdirSync(join(PYTHON_PACKAGE, 'oddswire')).filter((name) =>
        /\.py$|^py\.typed$/.test(name),
      );
      expect(readdirSync(join(target, 'oddswire'))).to.have.members(modules);
    });

    it('runs each program of its chapter as it is written, of which the first prints an item in three lines', async () => {
      const { text } = await send(`${environment['ODDSWIRE_URL']}/docs/python.md`, {});
      const programs = [...text.matchAll(/^```python\n(.*?)^```$/gms)].map(([, program = '']) => program);
      expect(programs).to.have.length(7);
      expect(programs[0]?.split('\n').filter((line) => !/^$|^#|^import os$/.test(line))).to.have.length(3);
      const outputs: string[] = [];
      for (const program of programs) {
        const options = { env: environment, cwd: folder };
        outputs.push((await run('python3', ['-W', 'error', '-c', program], options)).stdout);
      }
      expect(outputs[0]?.trim()).to.equal(publication().news_event.headline);
      expect(outputs[1]).to.equal('1 items\n');
    });

    it('has a command, whose name is that of the package', async () => {
      const { stdout: usage } = await run(join(target, 'bin/oddswire'), ['usage'], { env: environment });
      expect(JSON.parse(usage)).to.include({ plan: 'pro' });
      const { stdout: news } = await run('python3', ['-m', 'oddswire', 'news'], { env: environment });
      expect(JSON.parse(news).news_event.id).to.equal('first');
    });
  });
});
