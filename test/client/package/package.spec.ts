import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { PROJECT, packClient, run } from '../../support/client/packed.js';

const PACKED_BYTES_MAX = 13_500;
const FOLDER = join(PROJECT, 'packages/client');

const jsonOf = (file: string): Readonly<Record<string, unknown>> =>
  JSON.parse(readFileSync(join(PROJECT, file), 'utf8')) as Readonly<Record<string, unknown>>;

describe('The package of the client', function () {
  this.timeout(60_000);
  let folder: string;
  let packed: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'oddswire-client-'));
    packed = await packClient(folder);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it(`has at most ${PACKED_BYTES_MAX} bytes, compressed, with its types`, () => {
    expect(statSync(packed).size).to.be.within(2_000, PACKED_BYTES_MAX);
  });

  it('contains every file that its types import, and no other one', async () => {
    const { stdout } = await run('tar', ['-xzOf', packed, '--wildcards', '*.d.ts']);
    const imported = [...stdout.matchAll(/'\.\/([\w-]+)\.js'/g)].map(([, name = '']) => name);
    const { stdout: names } = await run('tar', ['-tzf', packed]);
    const types = [...names.matchAll(/dist\/([\w-]+)\.d\.ts/g)].map(([, name = '']) => name);
    expect(types.length).to.be.above(5);
    expect(new Set(['index', ...imported])).to.deep.equal(new Set(types));
  });

  it('has no dependency, and the version and the license of the service', () => {
    const { version, license, dependencies, peerDependencies, scripts } = jsonOf(
      'packages/client/package.json',
    );
    expect([dependencies, peerDependencies, scripts]).to.deep.equal([undefined, undefined, undefined]);
    const service = jsonOf('package.json');
    expect([version, license]).to.deep.equal([service['version'], service['license']]);
    const licenses = ['LICENSE', 'packages/client/LICENSE'].map((file) =>
      readFileSync(join(PROJECT, file), 'utf8'),
    );
    expect(licenses[1]).to.equal(licenses[0]);
  });

  it('passes publint', async () => {
    const { messages, pkg } = await publint({ pkgDir: FOLDER, level: 'suggestion', strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).to.deep.equal([]);
  });

  it('has types that every resolution of ES modules finds', async () => {
    const bin = join(PROJECT, 'node_modules/@arethetypeswrong/cli/dist/index.js');
    const { stdout } = await run(process.execPath, [
      bin,
      packed,
      '--profile',
      'esm-only',
      '--no-color',
      '--no-emoji',
    ]);
    expect(stdout)
      .to.match(/node16 \(from ESM\) │ OK/)
      .and.match(/bundler +│ OK/);
  });

  it('has the types of the schemas that the service publishes: otherwise run npm run client:types', async () => {
    const script = `import { clientTypes } from './scripts/client-types.mjs'; process.stdout.write(await clientTypes());`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: PROJECT,
    });
    expect(stdout).to.equal(readFileSync(join(FOLDER, 'src/api.ts'), 'utf8'));
  });
});
