import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { transformSync } from 'esbuild';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { PROJECT, packClient, run } from '../../support/client/packed.js';

/** The code is readable, and has its source map. Bundlers of users make it smaller. */
const PACKED_BYTES_MAX = 65_000;
const UNPACKED_BYTES_MAX = 230_000;
/** What a page loads that has the client in a bundle. */
const MINIFIED_BYTES_MAX = 17_000;
const GZIPPED_BYTES_MAX = 6_700;
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

  it(`has at most ${PACKED_BYTES_MAX} bytes compressed and ${UNPACKED_BYTES_MAX} unpacked, with types and sources`, async () => {
    expect(statSync(packed).size).to.be.within(2_000, PACKED_BYTES_MAX);
    const { stdout } = await run('tar', ['-xzOf', packed], { maxBuffer: 10_000_000 });
    expect(Buffer.byteLength(stdout)).to.be.below(UNPACKED_BYTES_MAX);
  });

  it(`adds at most ${MINIFIED_BYTES_MAX} bytes to a minified bundle, ${GZIPPED_BYTES_MAX} compressed`, () => {
    const { code } = transformSync(readFileSync(join(FOLDER, 'dist/index.js'), 'utf8'), { minify: true });
    expect(code.length).to.be.within(5_000, MINIFIED_BYTES_MAX);
    expect(gzipSync(code).length).to.be.below(GZIPPED_BYTES_MAX);
  });

  it('has readable code, with a source map that has the sources', async () => {
    const code = readFileSync(join(FOLDER, 'dist/index.js'), 'utf8');
    expect(code.length / code.split('\n').length).to.be.below(80);
    const { sources, sourcesContent } = JSON.parse(
      readFileSync(join(FOLDER, 'dist/index.js.map'), 'utf8'),
    ) as { readonly sources: readonly string[]; readonly sourcesContent: readonly string[] };
    const at = sources.findIndex((source) => source.endsWith('src/oddswire.ts'));
    expect(sourcesContent[at]).to.equal(readFileSync(join(FOLDER, 'src/oddswire.ts'), 'utf8'));
  });

  it('contains every file that its types import', async () => {
    const { stdout } = await run('tar', ['-xzOf', packed, '--wildcards', '*.d.ts']);
    const imported = [...stdout.matchAll(/'\.\/([\w-]+)\.js'/g)].map(([, name = '']) => name);
    const { stdout: names } = await run('tar', ['-tzf', packed]);
    const types = [...names.matchAll(/dist\/([\w-]+)\.d\.ts/g)].map(([, name = '']) => name);
    expect(types).to.include.members(['index', ...imported]);
  });

  it('has no dependency, nothing that runs when it is installed, and the version and the license of the service', () => {
    const { version, license, dependencies, peerDependencies, scripts } = jsonOf(
      'packages/client/package.json',
    );
    expect([dependencies, peerDependencies]).to.deep.equal([undefined, undefined]);
    expect(Object.keys(scripts as object)).to.deep.equal(['prepack']);
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
