import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { freshDatabase } from '../../support/servers/postgres.js';
import { redisUrl, serverUrl } from '../../support/servers/stores.js';
import { launchInstance, spawnMain } from '../../support/service/running-service.js';

const SCRIPTS = join(import.meta.dirname, '../../../src');

describe('.env in the working directory', function () {
  this.timeout(30_000);
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'oddswire-dotenv-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const write = (settings: Readonly<Record<string, string>>) => {
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
    writeFileSync(join(folder, '.env'), `${lines.join('\n')}\n`);
  };
  const run = async (
    script: string,
    settings: Readonly<Record<string, string>> = {},
    args: readonly string[] = [],
  ) => {
    const child = spawnMain(settings, join(SCRIPTS, script), { args, folder });
    const [output, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    return { output, code };
  };

  for (const script of ['main.js', 'commands/demo.js', 'commands/migrate.js']) {
    it(`is read by ${script}, and the environment wins`, async () => {
      write({ PORT: 'from-the-file', HOT_ITEMS: 'from-the-file' });
      const { output, code } = await run(script, { HOT_ITEMS: 'from-the-environment' });
      expect(code).to.equal(1);
      expect(output).to.include('PORT must be').and.include('is "from-the-file"');
      expect(output).to.include('HOT_ITEMS must be').and.include('is "from-the-environment"');
    });
  }

  it('is read by import.js', async () => {
    write({ PUBLISHER_TOKEN: 'two words' });
    const { output, code } = await run('commands/import.js', {}, ['feed.ndjson']);
    expect(output).to.include('the token in PUBLISHER_TOKEN must be printable ASCII');
    expect(code).to.equal(2);
  });

  it('is read only by the supervisor of several workers, which logs a misspelt name once', async () => {
    write({
      DATABASE_URL: await freshDatabase(serverUrl()),
      REDIS_URL: redisUrl(),
      WEB_CONCURRENCY: '2',
      DATABSE_URL: 'postgres://misspelt/x',
    });
    const launched = launchInstance({}, folder);
    await launched.line('Oddswire listens on');
    expect(await launched.stop()).to.equal(0);
    const output = launched.output.filter((line) => line.includes('DATABSE_URL'));
    expect(output.map((line) => JSON.parse(line))).to.have.length(1);
    expect(output[0])
      .to.include('"level":40')
      .and.include('DATABSE_URL is not a setting. Did you mean DATABASE_URL?');
    expect(launched.output.join('\n')).not.to.include('misspelt');
  });

  it('that cannot be read makes the start fail with one line', async () => {
    mkdirSync(join(folder, '.env'));
    const { output, code } = await run('main.js');
    expect(code).to.equal(1);
    expect(output).to.match(/^oddswire: cannot read \.env: EISDIR.*\n$/);
  });
});
