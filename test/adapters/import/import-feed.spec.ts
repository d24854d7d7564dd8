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

/** Rejects every line that says `bad`, the way the service does. */
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

  describe('publishes a file', () => {
    it('in its order, in batches of at most 500 lines, as the publisher (D30)', async () => {
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

    it('as a backfill where that is asked for', async () => {
      await run([fileOf(numbered(1)), '--mode', 'backfill']);
      const path = '/internal/v1/news?mode=backfill';
      expect(stub.calls.map(({ url }) => url)).to.deep.equal([path, path]);
    });

    it('at the port of the internal listener, where no other address is given', async () => {
      const environment = { INTERNAL_URL: '', INTERNAL_PORT: new URL(stub.url).port };
      const { code } = await run([fileOf(numbered(1))], { environment });
      expect(code).to.equal(0);
      expect(stub.batches).to.have.length(1);
    });

    it('or what is piped in', async () => {
      const { code, last } = await run(['-'], { input: '{"n":1}\r\n\n{"n":2}\n' });
      expect([code, last]).to.deep.equal([0, '2 published, 0 rejected in 0.0 s']);
      expect(stub.batches.flat()).to.deep.equal(['{"n":1}\r', '{"n":2}']);
    });

    it('from the folder in which npm was called', async () => {
      fileOf(numbered(3));
      const environment = { npm_lifecycle_event: 'import', INIT_CWD: folder };
      expect((await run(['feed.ndjson'], { environment })).code).to.equal(0);
    });
  });

  describe('names the lines that are rejected, and ends with 1', () => {
    it('by their place in the file, across batches and blank lines', async () => {
      const lines = numbered(1_100);
      lines[6] = 'bad 7';
      lines[3] = '';
      lines[499] = '  ';
      lines[502] = 'bad 503';
      lines[1_099] = 'bad 1100';
      const { code, output, last } = await run([fileOf(lines)]);
      const what = '/scored_at must be a time; /extra is not a field of this object';
      expect(output.lines.slice(0, -1)).to.deep.equal([
        `line 7 (ne_7): ${what}`,
        `line 503 (ne_503): ${what}`,
        `line 1100 (ne_1100): ${what}`,
      ]);
      expect(last).to.equal('1095 published, 3 rejected in 0.0 s');
      expect(code).to.equal(1);
    });

    it('without an id where the service could read none, and without what steers a terminal', async () => {
      const errors = [{ parameter: '', code: 'invalid_json', message: 'is not valid\u001b[2J JSON' }];
      stub.answer = ({ lines }) => ({
        status: 200,
        body: { accepted: 0, rejected: lines.map((_, i) => ({ line: i + 1, id: null, errors })) },
      });
      const { output } = await run([fileOf(['', '{'])]);
      expect(output.lines[0]).to.equal('line 2: is not valid\ufffd[2J JSON');
    });
  });

  describe('tells how far it is', () => {
    it('at most once a second where nobody watches', async () => {
      const { output } = await run([fileOf(numbered(2_000))], { stepMs: 300 });
      expect(output.lines.slice(0, -1)).to.deep.equal(['1000 published, 0 rejected (47 %)']);
    });

    it('with a bar at a terminal, above which rejected lines stay', async () => {
      const output = new Collected(true);
      const { last } = await run([fileOf(['{"n":1}', 'bad 2'])], { output });
      expect(output.text).to.include('100 % | 1 published, 1 rejected');
      expect(output.text).to.include('line 2 (ne_2): /scored_at must be a time');
      expect(last).to.equal('1 published, 1 rejected in 0.0 s');
    });
  });

  describe('tries again', () => {
    it('when the service is busy, and publishes all the same', async () => {
      const busy = [503, 429];
      stub.answer = (call) => {
        const status = call.lines.length > 0 ? busy.shift() : undefined;
        return status === undefined ? report(call) : { status, headers: { 'Retry-After': '7' } };
      };
      const { code, output, last } = await run([fileOf(numbered(3))]);
      expect([code, last]).to.deep.equal([0, '3 published, 0 rejected in 0.0 s']);
      expect(pauses).to.deep.equal([7_000, 7_000]);
      expect(output.lines[0]).to.include('answered 503').and.to.include('trying again in 7 s');
      expect(stub.batches).to.deep.equal([numbered(3), numbered(3), numbered(3)]);
    });

    it('a few times, then says how much is published and how to go on', async () => {
      let good = 2;
      stub.answer = (call) => {
        good -= 1;
        return good < 0 ? { status: 503 } : report(call);
      };
      const lines = numbered(700);
      lines[0] = 'bad 1';
      const file = fileOf(lines);
      const { code, output, last } = await run([file, '--mode=backfill']);
      expect(code).to.equal(1);
      expect(pauses).to.deep.equal([1_000, 2_000, 4_000, 8_000]);
      expect(output.lines.at(-2)).to.match(/^oddswire: gave up after 5 attempts: http.* answered 503/);
      expect(last).to.equal(
        `499 published, 1 rejected; go on from line 501: tail -n +501 ${file} | npm run import -- - --mode backfill`,
      );
    });

    it('when nothing listens, then says so', async () => {
      await stub.stop();
      const { code, output, last } = await run([fileOf(numbered(3))]);
      expect(code).to.equal(1);
      expect(output.lines.at(-2)).to.equal(
        `oddswire: gave up after 5 attempts: ${stub.url} does not answer (ECONNREFUSED)`,
      );
      expect(last).to.equal('Nothing was published.');
    });
  });

  describe('says at once what is wrong', () => {
    for (const [status, title] of [
      [400, 'add that to its setting INTERNAL_HOSTS'],
      [401, 'it does not know the token of PUBLISHER_TOKEN'],
      [403, 'use the publisher token, not the operator’s'],
      [404, 'INTERNAL_URL must be the address of the internal listener'],
      [413, 'it does not take batches of 4 MB'],
      [415, 'it does not take application/x-ndjson'],
    ] as const) {
      it(`when the service answers ${status}`, async () => {
        stub.answer = () => ({ status, body: { detail: `no ${TOKEN}` } });
        const { code, output } = await run([fileOf(numbered(3))]);
        expect(code).to.equal(1);
        expect(output.lines[0]).to.include(`answered ${status}: `).and.to.include(title);
        expect(output.lines.slice(1)).to.deep.equal(['Nothing was published.']);
        expect(stub.batches).to.deep.equal([]);
      });
    }

    it('when something else answers', async () => {
      stub.answer = () => ({ status: 200, body: ['hello'] });
      const { code, output } = await run([fileOf(numbered(3))]);
      expect(code).to.equal(1);
      expect(output.lines[0]).to.include('no publishing report');
    });

    it('when there is no token, and takes the one that the service made for itself', async () => {
      const environment = { PUBLISHER_TOKEN: '' };
      const none = await run([fileOf(numbered(3))], { environment });
      expect(none.code).to.equal(1);
      expect(none.last).to.include('set PUBLISHER_TOKEN').and.to.include(join(folder, 'tokens.json'));
      expect(stub.calls).to.deep.equal([]);

      writeFileSync(join(folder, 'tokens.json'), JSON.stringify({ operator: 'op_1', publisher: TOKEN }));
      expect((await run([fileOf(numbered(3))], { environment })).code).to.equal(0);
      expect(stub.calls.at(-1)?.headers.authorization).to.equal(`Bearer ${TOKEN}`);
    });

    it('when the token cannot be sent, without showing it', async () => {
      const { code, last } = await run([fileOf([])], { environment: { PUBLISHER_TOKEN: `${TOKEN}\n` } });
      expect([code, last]).to.deep.equal([
        1,
        'oddswire: the token of PUBLISHER_TOKEN must be printable ASCII without spaces',
      ]);
    });

    it('when there is no such file, or it is a folder', async () => {
      expect((await run([join(folder, 'none')])).last).to.equal(
        `oddswire: cannot read ${join(folder, 'none')}: there is no such file`,
      );
      const { code, output } = await run([folder]);
      expect(code).to.equal(1);
      expect(output.lines).to.deep.equal([
        `oddswire: cannot read ${folder}: it is a folder`,
        'Nothing was published.',
      ]);
    });

    it('when it is called the wrong way', async () => {
      for (const args of [[], ['a', 'b'], ['a', '--mode', 'dead'], ['a', '--fast']]) {
        const { code, output } = await run(args);
        expect(code, args.join(' ')).to.equal(1);
        expect(output.text).to.include('Usage: npm run import');
      }
      const { last } = await run(['a'], { environment: { INTERNAL_URL: 'localhost:8081' } });
      expect(last).to.include('INTERNAL_URL must be like');
      expect((await run(['--help'])).code).to.equal(0);
      expect(stub.calls).to.deep.equal([]);
    });
  });
});
