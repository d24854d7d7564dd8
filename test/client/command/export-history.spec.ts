import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { exportHistory } from '../../../packages/client/src/command/export-history.js';

const KEY = 'svc_secret-of-the-test';

const changeAt = (n: number) => ({
  position: `p${n}`,
  kind: n === 2 ? 'retracted' : 'published',
  known_at: `2026-11-26T10:00:0${n}.000000Z`,
  scored_at: '2026-11-26T09:00:00.000000Z',
  id: `ne_${n}`,
  revision: 1,
  item: n === 2 ? null : { headline: 'é “€” 🎈 \u2028' },
});

const lineOf = (value: object): string => `${JSON.stringify(value)}\n`;
const LINES = [1, 2, 3].map((n) => lineOf(changeAt(n)));
const WHOLE = LINES.join('');
const COMPLETE = lineOf({ type: 'complete', position: 'p3' });

const ndjson = (body: string, headers = {}): Response =>
  new Response(body, { headers: { 'Content-Type': 'application/x-ndjson', ...headers } });

const refused = (status: number, code: string, headers = {}): Response =>
  new Response(JSON.stringify({ code, detail: 'Not now.\u001b[2J' }), { status, headers });

/** The lines after the position of the request, with the filters that a service of this version honours. */
const served = (query: URLSearchParams): Response => {
  const after = query.get('after');
  const lines = LINES.slice(after === null ? 0 : Number(after.slice(1)));
  const filters = ['source_tier', 'q'].filter((name) => query.has(name));
  return ndjson(lines.join('') + COMPLETE, { 'Feed-Filters': filters.join(', ') });
};

describe('oddswire export', () => {
  let folder: string;
  let file: string;
  let answers: ((query: URLSearchParams) => Response | Promise<never>)[];
  let queries: string[];
  let waits: number[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'oddswire-export-'));
    file = join(folder, 'changes.ndjson');
    [answers, queries, waits] = [[], [], []];
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  async function exporting(
    args: readonly string[] = [],
    { isTTY = false, signal = new AbortController().signal, environment = { ODDSWIRE_KEY: KEY } } = {},
  ) {
    const output = Object.assign(new PassThrough(), { isTTY });
    const code = await exportHistory({
      command: 'oddswire export',
      args: ['--out', file, ...args],
      environment,
      output,
      random: () => 0,
      pause: async (ms) => {
        waits.push(ms);
        signal.throwIfAborted();
      },
      signal,
      fetch: async (address) => {
        const { search, searchParams } = new URL(String(address));
        queries.push(search);
        return (answers.shift() ?? served)(searchParams);
      },
    });
    output.end();
    const printed = await text(output);
    expect(printed).to.not.include(KEY);
    expect(printed).to.not.include('\u001b[2J');
    return { code, printed };
  }
  const content = () => readFileSync(file, 'utf8');

  it('continues a file that was cut at any byte', async () => {
    const bytes = Buffer.from(WHOLE);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      writeFileSync(file, bytes.subarray(0, cut));
      expect((await exporting()).code, `cut at ${cut}`).to.equal(0);
      expect(content(), `cut at ${cut}`).to.equal(WHOLE);
    }
    expect(new Set(queries)).to.deep.equal(new Set(['', '?after=p1', '?after=p2', '?after=p3']));
  }).timeout(20_000);

  it('continues after a lost connection where the lines say that it is, and writes changes only', async () => {
    answers.push(() => ndjson(`${LINES[0]}${lineOf({ type: 'progress', position: 'p1.5' })}`));
    expect((await exporting()).code).to.equal(0);
    expect([content(), queries]).to.deep.equal([WHOLE, ['', '?after=p1.5']]);
  });

  it('continues a file only with the filters that it was made with, whatever its end', async () => {
    answers.push(served);
    expect((await exporting(['--market-id', 'm1', '--until', 'p1'])).code).to.equal(0);
    const before = readFileSync(file);
    for (const other of [[], ['--market-id', 'm2'], ['--market-id', 'm1', '--since', '2026-11-01']]) {
      const { code, printed } = await exporting(other);
      expect(
        [code, printed.includes('it was made with {"market_id":["m1"]}; give the same options')],
        other.join(' '),
      ).to.deep.equal([2, true]);
      expect(readFileSync(file)).to.deep.equal(before);
    }
    answers.push(served);
    expect((await exporting(['--market-id', 'm1', '--until', 'p9'])).code).to.equal(0);
  });

  it('continues a file whatever the order of the filters, and those of the record', async () => {
    await exporting(['--source-tier', 't1', '--q', 'x']);
    expect((await exporting(['--q', 'x', '--source-tier', 't1'])).code).to.equal(0);
    writeFileSync(`${file}.filters.json`, 'no JSON');
    expect((await exporting(['--q', 'x', '--source-tier', 't1'])).code).to.equal(2);
  });

  it('sends all filters, and the position of the file in the place of a time', async () => {
    const filters = [
      '--until',
      'p3',
      '--market-id',
      'a',
      '--market-id',
      'b',
      '--source-tier',
      't1',
      '--q',
      'x',
    ];
    const args = ['--since', '2026-11-26T10:00:00Z', '--news-id', 'n', ...filters];
    await exporting(args);
    await exporting(args);
    const same = 'until=p3&news_id=n&market_id=a&market_id=b&source_tier=t1&q=x';
    expect(queries).to.deep.equal([`?since=2026-11-26T10%3A00%3A00Z&${same}`, `?after=p3&${same}`]);
  });

  it('waits and continues at `paused`, at refusals that end, and after lost connections', async () => {
    const pausedFor = (seconds: number) =>
      lineOf({ type: 'paused', position: 'p2', retry_after_seconds: seconds, problem: null });
    answers.push(
      () => refused(429, 'rate_limited', { 'Retry-After': '7200' }),
      () => ndjson((LINES[0] ?? '') + (LINES[1] ?? '').slice(0, 30)),
      () => ndjson((LINES[1] ?? '') + pausedFor(90)),
      () => Promise.reject(new TypeError('fetch failed')),
    );
    const { code, printed } = await exporting();
    expect(code).to.equal(0);
    expect(content()).to.equal(WHOLE);
    expect(queries).to.deep.equal(['', '', '?after=p1', '?after=p2', '?after=p2']);
    expect(waits).to.deep.equal([7_200_000, 500, 90_000, 1_000]);
    expect(printed).to.include('rate_limited: Not now.').and.include('Continues in 120 min.');
    expect(printed).to.match(/3 changes written to .* \(0\.0 MB\), up to p3\. The range is complete\.\n$/);
  });

  it('gives up after ten failures in a row, and keeps what it has', async () => {
    answers = Array.from({ length: 20 }, () => () => Promise.reject(new TypeError('fetch failed')));
    answers.unshift(() => ndjson(LINES[0] ?? ''));
    writeFileSync(file, '{"pos');
    const { code, printed } = await exporting();
    expect(code).to.equal(1);
    expect(waits).to.have.length(10);
    expect(printed).to.include('1 change written').and.include('The same command continues.');
    expect(content()).to.equal(LINES[0]);
    writeFileSync(file, `${LINES[0]}{"pos`);
    answers = [() => refused(401, 'key_revoked')];
    expect((await exporting()).code).to.equal(2);
    expect(content()).to.equal(LINES[0]);
  });

  const FINAL: readonly (readonly [number, string, string])[] = [
    [401, 'key_revoked', 'will refuse the same command again'],
    [410, 'position_expired', 'Export to a new file'],
    [410, 'before_history', 'leave out --since'],
  ];
  for (const [status, code, advice] of FINAL) {
    it(`ends with 2 at ${code}, and says what to do`, async () => {
      answers.push(() => refused(status, code));
      const { code: exit, printed } = await exporting();
      expect([exit, waits]).to.deep.equal([2, []]);
      expect(printed).to.include(code).and.include(advice);
    });
  }

  it('ends with 1 after a complete line when it is stopped', async () => {
    const stop = new AbortController();
    answers.push(() => ndjson(LINES[0] ?? ''));
    answers.push(() => {
      stop.abort();
      return ndjson(LINES.slice(1).join(''));
    });
    const { code, printed } = await exporting([], { signal: stop.signal });
    expect(code).to.equal(1);
    expect(printed).to.include('Stopped. The same command continues.');
    expect(WHOLE.startsWith(content())).to.equal(true);
  });

  for (const other of [
    'notes',
    'notes\n',
    '{"position":"p1"}\n',
    `notes\n${LINES[0]}x`,
    `${LINES[0]}notes`,
  ]) {
    it(`leaves a file with other content as it is: ${JSON.stringify(other.slice(0, 20))}`, async () => {
      writeFileSync(file, other);
      const { code, printed } = await exporting();
      expect([code, content(), queries]).to.deep.equal([2, other, []]);
      expect(printed).to.include('other content');
    });
  }

  it('ends with 2 for wrong options, and repeats no value of them', async () => {
    const wrong: readonly (readonly [readonly string[], string])[] = [
      [['--key', KEY], 'from ODDSWIRE_KEY only'],
      [[KEY], 'needs the name of an option'],
      [['--url', `http://localhost/?api_key=${KEY}`], 'must be like https://api.example.com'],
      [['--after', 'p1', '--since', 'p1'], 'exclude each other'],
      [['--from', 'p1'], 'no such option: --from'],
      [['--since'], 'has no value'],
      [['--out', ''], 'name the file'],
      [['--out', folder], 'it is a folder'],
      [['--out', '/dev/null'], 'no regular file'],
      [['--out', join(folder, 'no/file')], 'its folder does not exist'],
    ];
    for (const [args, message] of wrong) {
      const { code, printed } = await exporting(args);
      expect(code, message).to.equal(2);
      expect(printed).to.include(message);
    }
    const { code, printed } = await exporting([], { environment: { ODDSWIRE_KEY: '' } });
    expect([code, printed]).to.deep.equal([2, printed]);
    expect(printed).to.include('ODDSWIRE_KEY must be the API key');
    expect(queries).to.deep.equal([]);
  });

  it('shows its progress on a terminal, and only its result elsewhere', async () => {
    const terminal = await exporting([], { isTTY: true });
    expect(terminal.printed).to.include('3 changes, up to 2026-11-26T10:00:03.000000Z, 0.0 MB');
    const pipe = await exporting();
    expect(pipe.printed.split('\n')).to.have.length(2);
    expect(pipe.printed).to.match(/^0 changes written to .*, up to p3\. The range is complete\.\n$/);
  });
});
