import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { importCommand } from '../../../src/adapters/import/import-command.js';
import { PublishingStub, publishingReport } from '../../support/servers/publishing-stub.js';

/** The output for a file with mostly wrong lines, and for an empty file. */
describe('The output of npm run import', () => {
  let stub: PublishingStub;
  let file: string;
  let folder: string;
  /** Calls answered before the service refuses further ones; the first call has no lines. */
  let answeredCalls: number;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'import-output-'));
    file = join(folder, 'feed.ndjson');
    answeredCalls = Number.POSITIVE_INFINITY;
    const error = { parameter: '/id', code: 'missing', message: 'must be a text' };
    stub = await PublishingStub.start((call) => {
      answeredCalls -= 1;
      return answeredCalls < 0 ? { status: 401 } : publishingReport(call, error);
    });
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true });
    await stub.stop();
  });

  async function importing(lines: readonly string[], piped = false) {
    writeFileSync(file, lines.join('\n'));
    const output = new PassThrough();
    const code = await importCommand({
      command: 'npm run import --',
      args: [piped ? '-' : file],
      environment: {
        INTERNAL_URL: stub.url,
        PUBLISHER_TOKEN: 'publisher-token',
      },
      input: (async function* () {
        yield Buffer.from(lines.join('\n'));
      })(),
      output,
      pause: async () => {},
      now: () => 0,
    });
    output.end();
    return { code, lines: (await text(output)).trimEnd().split('\n') };
  }
  const bad = (count: number) => Array.from({ length: count }, () => 'bad');

  it('has the first 20 of 3 000 rejected lines and the number of the others, across batches', async () => {
    const { code, lines } = await importing(bad(3_000));
    expect(code).to.equal(1);
    expect(lines.slice(0, 20)).to.deep.equal(
      Array.from({ length: 20 }, (_, i) => `line ${i + 1}: /id must be a text`),
    );
    expect(lines.slice(20)).to.deep.equal([
      '… and 2 980 more lines were rejected',
      '0 published, 3000 rejected in 0.0 s',
    ]);
  });

  it('has all of 20 rejected lines, and a text in the singular for one more', async () => {
    expect((await importing(bad(20))).lines).to.have.length(21);
    const { lines } = await importing([...bad(5), '{}', ...bad(16)]);
    expect(lines.slice(19)).to.deep.equal([
      'line 21: /id must be a text',
      '… and 1 more line was rejected',
      '1 published, 21 rejected in 0.0 s',
    ]);
  });

  it('has the number of the other rejected lines even if the import stops early', async () => {
    answeredCalls = 2;
    const { code, lines } = await importing(bad(700));
    expect(code).to.equal(2);
    expect(lines.slice(20)).to.have.length(3);
    expect(lines[20]).to.equal('… and 480 more lines were rejected');
    expect(lines[22]).to.match(/^0 published, 500 rejected; continue with line 501/);
  });

  it('reports that a file without lines is empty, with exit code 0', async () => {
    for (const lines of [[], ['', '  ', '']]) {
      expect(await importing(lines)).to.deep.equal({
        code: 0,
        lines: [`${file} is empty: nothing to publish`],
      });
    }
    expect((await importing([], true)).lines).to.deep.equal(['standard input is empty: nothing to publish']);
  });
});
