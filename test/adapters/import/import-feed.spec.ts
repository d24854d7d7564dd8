// Longer than 300 lines: every case reads a file with the same publisher of the test.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect } from 'chai';
import { importCommand } from '../../../src/adapters/import/import-command.js';
import {
  type PublishingCall,
  PublishingStub,
  publishingReport,
} from '../../support/servers/publishing-stub.js';

const TOKEN = 'pub_9b1fe7c2a4secret';

/** Rejects every line that contains `bad`, in the format of the service. */
const report = (call: PublishingCall) =>
  publishingReport(
    call,
    { parameter: '/scored_at', code: 'missing', message: 'must be a time' },
    { parameter: '/extra', code: 'unknown_field', message: 'is not a field of this object' },
  );

class Collected extends Writable {
  readonly isTTY: boolean;
  text = '';

  constructor(isTTY = false) {
    super();
    this.isTTY = isTTY;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk;
    done();
  }

  get lines(): readonly string[] {
    return this.text.trimEnd().split('\n');
  }
}

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `{"n":${i + 1}}`);

describe('npm run import', () => {
  let stub: PublishingStub;
  let folder: string;
  let pauses: number[];

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'import-'));
    pauses = [];
    stub = await PublishingStub.start(report);
  });

  afterEach(async () => {
    rmSync(folder, { recursive: true });
    await stub.stop();
  });

  const fileOf = (lines: readonly string[]): string => {
    const file = join(folder, 'feed.ndjson');
    writeFileSync(file, lines.join('\n'));
    return file;
  };

  async function run(
    args: readonly string[],
    {
      environment = {},
      input = '',
      output = new Collected(),
      stepMs = 0,
    }: {
      readonly environment?: Record<string, string>;
      readonly input?: string;
      readonly output?: Collected;
      readonly stepMs?: number;
    } = {},
  ) {
    let now = 0;
    const code = await importCommand({
      command: 'npm run import --',
      args,
      environment: { INTERNAL_URL: stub.url, PUBLISHER_TOKEN: TOKEN, STATE_DIR: folder, ...environment },
      input: (async function* () {
        yield Buffer.from(input);
      })(),
      output,
      pause: async (ms) => pauses.push(ms),
      now: () => {
        now += stepMs;
        return now;
      },
    });
    expect(output.text).not.to.include(TOKEN);
    return { code, output, last: output.lines.at(-1) };
  }

  describe('publishes', () => {
    it('a file in its order, in batches of at most 500 lines, with the publisher token (D30)', async () => {
      const lines = numbered(1_200);
      const { code, last } = await run([fileOf(lines)]);
      expect(code).to.equal(0);
      expect(last).to.equal('1200 published, 0 rejected in 0.0 s');
      expect(stub.batches.map(({ length }) => length)).to.deep.equal([500, 500, 200]);
      expect(stub.batches.flat()).to.deep.equal(lines);
      for (const { url, headers } of stub.calls) {
        expect(url).to.equal('/internal/v1/news?mode=live');
        expect(headers).to.include({
          'content-type': 'application/x-ndjson',
          authorization: `Bearer ${TOKEN}`,
        });
      }
    });

    it('a file as a backfill with --mode backfill', async () => {
      await run([fileOf(numbered(1)), '--mode', 'backfill']);
      const path = '/internal/v1/news?mode=backfill';
      expect(stub.calls.map(({ url }) => url)).to.deep.equal([path, path]);
    });

    it('to INTERNAL_PORT if no other URL is given', async () => {
      const environment = { INTERNAL_URL: '', INTERNAL_PORT: new URL(stub.url).port };
      const { code } = await run([fileOf(numbered(1))], { environment });
      expect(code).to.equal(0);
      expect(stub.batches).to.have.length(1);
    });

    it('standard input', async () => {
      const { code, last } = await run(['-'], { input: '{"n":1}\r\n\n{"n":2}\n' });
      expect([code, last]).to.deep.equal([0, '2 published, 0 rejected in 0.0 s']);
      expect(stub.batches.flat()).to.deep.equal(['{"n":1}\r', '{"n":2}']);
    });

    it('a file relative to the folder in which npm was called', async () => {
      fileOf(numbered(3));
      const environment = { npm_lifecycle_event: 'import', INIT_CWD: folder };
      expect((await run(['feed.ndjson'], { environment })).code).to.equal(0);
    });
  });

  describe('prints rejected lines and exits with 1', () => {
    it('with their number in the file, across batches and blank lines', async () => {
      const lines = numbered(1_100);
      lines[6] = 'bad 7';
      lines[3] = '';
      lines[499] = '  ';
      lines[502] = 'bad 503';
      lines[1_099] = 'bad 1100';
      const { code, output, last } = await run([fileOf(lines)]);
      const errors = '/scored_at must be a time; /extra is not a field of this object';
      expect(output.lines.slice(0, -1)).to.deep.equal([
        `line 7 (ne_7): ${errors}`,
        `line 503 (ne_503): ${errors}`,
        `line 1100 (ne_1100): ${errors}`,
      ]);
      expect(last).to.equal('1095 published, 3 rejected in 0.0 s');
      expect(code).to.equal(1);
    });

    it('without an id if the service could not read one, and without control characters', async () => {
      const errors = [{ parameter: '', code: 'invalid_json', message: 'is not valid\u001b[2J JSON' }];
      stub.answer = ({ lines }) => ({
        status: 200,
        body: { accepted: 0, rejected: lines.map((_, i) => ({ line: i + 1, id: null, errors })) },
      });
      const { output } = await run([fileOf(['', '{'])]);
      expect(output.lines[0]).to.equal('line 2: is not valid\ufffd[2J JSON');
    });
  });

  describe('prints its progress', () => {
    it('at most once a second if the output is not a terminal', async () => {
      const { output } = await run([fileOf(numbered(2_000))], { stepMs: 300 });
      expect(output.lines.slice(0, -1)).to.deep.equal(['1000 published, 0 rejected (47 %)']);
    });

    it('as a bar on a terminal, with rejected lines above it', async () => {
      const output = new Collected(true);
      const { last } = await run([fileOf(['{"n":1}', 'bad 2'])], { output });
      expect(output.text).to.include('100 % | 1 published, 1 rejected');
      expect(output.text).to.include('line 2 (ne_2): /scored_at must be a time');
      expect(last).to.equal('1 published, 1 rejected in 0.0 s');
    });
  });

  describe('retries', () => {
    it('if the service is busy, and then publishes everything', async () => {
      const busy = [503, 429];
      stub.answer = (call) => {
        const status = call.lines.length > 0 ? busy.shift() : undefined;
        return status === undefined ? report(call) : { status, headers: { 'Retry-After': '7' } };
      };
      const { code, output, last } = await run([fileOf(numbered(3))]);
      expect([code, last]).to.deep.equal([0, '3 published, 0 rejected in 0.0 s']);
      expect(pauses).to.deep.equal([7_000, 7_000]);
      expect(output.lines[0]).to.include('answered 503').and.to.include('retrying in 7 s');
      expect(stub.batches).to.deep.equal([numbered(3), numbered(3), numbered(3)]);
    });

    it('four times, then prints how much was published and how to continue', async () => {
      let good = 2;
      stub.answer = (call) => {
        good -= 1;
        return good < 0 ? { status: 503 } : report(call);
      };
      const lines = numbered(700);
      lines[0] = 'bad 1';
      const file = fileOf(lines);
      const { code, output, last } = await run([file, '--mode=backfill']);
      expect(code).to.equal(3);
      expect(pauses).to.deep.equal([1_000, 2_000, 4_000, 8_000]);
      expect(output.lines.at(-2)).to.match(/^oddswire: gave up after 5 attempts: http.* answered 503/);
      expect(last).to.equal(
        `499 published, 1 rejected; continue with line 501: tail -n +501 ${file} | npm run import -- - --mode backfill`,
      );
    });

    it('four times, then prints to run it again if no line was answered', async () => {
      stub.answer = (call) => (call.lines.length > 0 ? { status: 503 } : report(call));
      const { code, last } = await run([fileOf(numbered(3))]);
      expect([code, last]).to.deep.equal([3, '0 published, 0 rejected; run the same command again.']);
    });

    it('if nothing listens, then prints that the service does not answer', async () => {
      await stub.stop();
      const { code, output, last } = await run([fileOf(numbered(3))]);
      expect(code).to.equal(3);
      expect(output.lines.at(-2)).to.equal(
        `oddswire: gave up after 5 attempts: ${stub.url} does not answer (ECONNREFUSED)`,
      );
      expect(last).to.equal('Nothing was published.');
    });
  });

  describe('stops immediately and prints the cause', () => {
    for (const [status, cause] of [
      [400, 'add it to INTERNAL_HOSTS of the service'],
      [401, 'wrong token in PUBLISHER_TOKEN'],
      [403, 'use the publisher token, not the operator token'],
      [404, 'set INTERNAL_URL to the internal listener'],
      [413, 'batches of 4 MB are refused'],
      [415, 'application/x-ndjson is refused'],
    ] as const) {
      it(`if the service answers ${status}`, async () => {
        stub.answer = () => ({ status, body: { detail: `no ${TOKEN}` } });
        const { code, output } = await run([fileOf(numbered(3))]);
        expect(code).to.equal(2);
        expect(output.lines[0]).to.include(`answered ${status}: `).and.to.include(cause);
        expect(output.lines.slice(1)).to.deep.equal(['Nothing was published.']);
        expect(stub.batches).to.deep.equal([]);
      });
    }

    it('if another program answers', async () => {
      stub.answer = () => ({ status: 200, body: ['hello'] });
      const { code, output } = await run([fileOf(numbered(3))]);
      expect(code).to.equal(2);
      expect(output.lines[0]).to.include('without a publishing report');
    });

    it('if there is no token; it uses the one that the service generated', async () => {
      const environment = { PUBLISHER_TOKEN: '' };
      const none = await run([fileOf(numbered(3))], { environment });
      expect(none.code).to.equal(2);
      expect(none.last).to.include('set PUBLISHER_TOKEN').and.to.include(join(folder, 'tokens.json'));
      expect(stub.calls).to.deep.equal([]);

      writeFileSync(join(folder, 'tokens.json'), JSON.stringify({ operator: 'op_1', publisher: TOKEN }));
      expect((await run([fileOf(numbered(3))], { environment })).code).to.equal(0);
      expect(stub.calls.at(-1)?.headers.authorization).to.equal(`Bearer ${TOKEN}`);
    });

    it('if the token cannot be sent in a header, without showing it', async () => {
      const { code, last } = await run([fileOf([])], { environment: { PUBLISHER_TOKEN: `${TOKEN}\n` } });
      expect([code, last]).to.deep.equal([
        2,
        'oddswire: the token in PUBLISHER_TOKEN must be printable ASCII without spaces',
      ]);
    });

    it('if the file does not exist or is a folder', async () => {
      expect((await run([join(folder, 'none')])).last).to.equal(
        `oddswire: cannot read ${join(folder, 'none')}: the file does not exist`,
      );
      const { code, output } = await run([folder]);
      expect(code).to.equal(2);
      expect(output.lines).to.deep.equal([
        `oddswire: cannot read ${folder}: it is a folder`,
        'Nothing was published.',
      ]);
    });

    it('if there is no such option', async () => {
      expect((await run(['a', '--fast'])).output.lines[0]).to.equal(
        'oddswire: there is no such option: --fast',
      );
      expect((await run(['a', '--dry-run'])).output.lines[0]).to.include('did you mean --check?');
    });

    it('if its arguments or INTERNAL_URL are wrong', async () => {
      for (const args of [[], ['a', 'b'], ['a', '--mode', 'dead'], ['a', '--fast']]) {
        const { code, output } = await run(args);
        expect(code, args.join(' ')).to.equal(2);
        expect(output.text).to.include('Usage: npm run import');
      }
      const { last } = await run(['a'], { environment: { INTERNAL_URL: 'localhost:8081' } });
      expect(last).to.include('INTERNAL_URL must be like');
      expect((await run(['--help'])).code).to.equal(0);
      expect(stub.calls).to.deep.equal([]);
    });
  });
});
