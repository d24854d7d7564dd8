import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { importCommand } from '../../../src/adapters/import/import-command.js';
import { publication } from '../../support/objects/builders.js';
import { PublishingStub, publishingReport } from '../../support/servers/publishing-stub.js';
import { type Composed, composed } from '../../support/service/composed.js';

describe('oddswire publish --check (D140)', () => {
  let service: Composed;
  let folder: string;
  before(async () => {
    service = await composed();
    folder = mkdtempSync(join(tmpdir(), 'import-check-'));
  });
  after(async () => {
    rmSync(folder, { recursive: true });
    await service.stop();
  });

  async function run(lines: readonly string[], url: string, ...options: readonly string[]) {
    const file = options.includes('-') ? [] : [join(folder, 'feed.ndjson')];
    for (const path of file) writeFileSync(path, lines.join('\n'));
    const output = new PassThrough();
    const code = await importCommand({
      command: 'oddswire publish',
      args: [...file, ...options],
      environment: { INTERNAL_URL: url, PUBLISHER_TOKEN: 'publisher-token-of-the-tests' },
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
  const line = (id: string, more: object = {}) => JSON.stringify({ ...publication({ id }), ...more });
  const inFeed = async (newsId: string) => {
    const range = { before: null, since: null, newsId, marketId: null, terms: [], count: 1 };
    return (await service.parts.feed.page(range)).items.length > 0;
  };

  it('prints the lines that would be rejected, publishes none, and exits with 1', async () => {
    const checked = await run([line('one'), line('two', { color: 'red' })], service.internalUrl, '--check');
    expect(checked).to.deep.equal({
      code: 1,
      lines: [
        'line 2 (two): /color is not a field of this object',
        '1 would be published, 0 are in the feed already, 1 would be rejected in 0.0 s',
      ],
    });
    expect(await inFeed('one')).to.equal(false);
  });

  it('exits with 0 if every line would be published or is in the feed, as the publication itself', async () => {
    expect((await run([line('one')], service.internalUrl)).code).to.equal(0);
    expect(await inFeed('one')).to.equal(true);
    const { code, lines } = await run([line('one'), line('three')], service.internalUrl, '--check');
    expect([code, lines[0]]).to.deep.equal([
      0,
      '1 would be published, 1 are in the feed already, 0 would be rejected in 0.0 s',
    ]);
  });

  it('does not call a file empty whose lines are all in the feed', async () => {
    const moment = '2026-01-31T12:00:00Z';
    const lines = [line('four', { scored_at: moment }), line('five', { scored_at: moment })];
    await run(lines, service.internalUrl, '--mode', 'backfill');
    const published = '0 published, 2 unchanged, 0 rejected in 0.0 s';
    const checked = '0 would be published, 2 are in the feed already, 0 would be rejected in 0.0 s';
    for (const [options, expected] of [
      [[], published],
      [['-'], published],
      [['--mode', 'backfill'], published],
      [['--check'], checked],
    ] as const)
      expect(await run(lines, service.internalUrl, ...options)).to.deep.equal({ code: 0, lines: [expected] });
  });

  it('sends no line to a service that does not know dry runs, and exits with 2', async () => {
    const stub = await PublishingStub.start((call) => publishingReport(call));
    const { code, lines } = await run([line('one')], stub.url, '--check');
    await stub.stop();
    expect([code, stub.batches]).to.deep.equal([2, []]);
    expect(lines[0]).to.include('update the service');
  });
});
