import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { USER_COMMANDS } from '../../../packages/client/src/command/command-names.js';
import { runProgram } from '../../../packages/client/src/command/program.js';
import { publication, timedNow } from '../../support/objects/builders.js';
import { reservedPort } from '../../support/servers/reserved-port.js';
import { actOn, aKey, type KeyView, publishAll } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

const SECRET = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;

type Ran = { readonly code: number; readonly printed: string; readonly messages: string };
type Surroundings = {
  readonly isTTY?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Stops the program when this text was printed. */
  readonly until?: string;
};

/** The fields that the tests read. */
type Line = {
  readonly news_event: { readonly id: string };
  readonly type: string;
  readonly market_id: string;
  readonly kind: string;
  readonly id: string;
};

const jsonLines = ({ printed }: Ran): readonly Line[] =>
  printed
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);

describe('oddswire, the program of users,', () => {
  let service: Service;
  let client: Client;
  let key: KeyView;
  let url: string;
  let folder: string;
  const market = publication().related_markets[0]?.sub_markets[0]?.sub_market_id ?? '';

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'oddswire-commands-'));
    service = await startService();
    client = await Client.of(service);
    key = await aKey(client);
    url = service.instances[0]?.url ?? '';
    await publishAll(
      client,
      ['ne_1', 'ne_2', 'ne_3'].map((id) => timedNow(publication({ id }))),
    );
    await client.retract('ne_3');
  });
  after(async () => {
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  async function run(args: readonly string[], given: Surroundings = {}): Promise<Ran> {
    const { isTTY = false, environment = {}, input = '', until } = given;
    const stop = new AbortController();
    const output = Object.assign(new PassThrough(), { isTTY, columns: 120 });
    const errors = Object.assign(new PassThrough(), { isTTY });
    let seen = '';
    for (const stream of [output, errors])
      stream.on('data', (bytes: Buffer) => {
        seen += bytes.toString();
        if (until !== undefined && seen.includes(until)) stop.abort();
      });
    const collected = Promise.all([text(output), text(errors)]);
    const code = await runProgram(args, {
      environment: { ODDSWIRE_URL: url, ODDSWIRE_KEY: key.key, ...environment },
      output,
      errors,
      input: Readable.from([Buffer.from(input)]),
      signal: stop.signal,
      now: () => new Date(),
      random: () => 0,
      pause: (ms, signal) => setTimeout(ms, undefined, { signal }),
    });
    output.end();
    errors.end();
    const [printed, messages] = await collected;
    expect(printed + messages).not.to.include(key.key);
    return { code, printed, messages };
  }

  it('prints the newest items: a table on a terminal, the items of the API in a pipe', async () => {
    const table = await run(['news'], { isTTY: true, environment: { NO_COLOR: '1' } });
    expect([table.code, table.messages]).to.deep.equal([0, '']);
    const [titles, first] = table.printed.split('\n');
    expect(titles).to.match(/^PUBLISHED +ID +RELEVANCE +EFFECT +HEADLINE$/);
    expect(first).to.match(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +ne_2 +\w+ +supports YES [\d.]+ .+/);
    const pipe = await run(['news', '--limit', '1']);
    expect(jsonLines(pipe).map(({ news_event }) => news_event.id)).to.deep.equal(['ne_2']);
    expect(await run(['news', '--limit', '1', '--json'], { isTTY: true })).to.deep.equal(pipe);
    const filtered = await run(['news', '--news_id', 'ne_1', '--q', 'no such words']);
    expect([filtered.code, filtered.printed]).to.deep.equal([0, '']);
  });

  it('prints colors on a terminal only, and none with NO_COLOR', async () => {
    expect((await run(['news'], { isTTY: true })).printed).to.include('\u001b[1m');
    expect((await run(['news'], { isTTY: true, environment: { NO_COLOR: '1' } })).printed).not.to.include(
      '\u001b',
    );
    expect((await run(['news'])).printed).not.to.include('\u001b');
  });

  it('follows the feed until it is stopped, and says where to continue', async () => {
    const since = '2000-01-01T00:00:00Z';
    const position = (await client.news(key.key)).headers['feed-position'];
    await publishAll(client, [timedNow(publication({ id: 'ne_live' }))]);
    const pipe = await run(['follow', '--after', String(position)], { until: '"live"' });
    expect(pipe.code).to.equal(130);
    expect(jsonLines(pipe).map(({ type }) => type)).to.deep.equal(['ready', 'item', 'live']);
    const table = await run(['follow', '--after', String(position)], {
      isTTY: true,
      until: 'all changes',
      environment: { NO_COLOR: '1' },
    });
    expect(table.printed).to.match(/^[\d-]+ [\d:]+ {2}\+ {2}ne_live {2}.+\n$/);
    expect(table.messages).to.match(/to continue: --after [\w.~-]+\n$/);
    const wrong = await run(['follow', '--since', since, '--limit', '5']);
    expect([wrong.code, wrong.messages]).to.deep.equal([
      2,
      'oddswire: there is no such option: --limit (oddswire follow --help)\n',
    ]);
    await client.retract('ne_live');
  });

  it('keeps the position of a follower in a file, and continues there', async () => {
    const file = join(folder, 'position');
    await run(['follow', '--position-file', file], { until: '"ready"' });
    await publishAll(client, [timedNow(publication({ id: 'ne_stored' }))]);
    const again = await run(['follow', '--position-file', file], { until: '"live"' });
    expect(jsonLines(again).map(({ type }) => type)).to.deep.equal(['ready', 'item', 'live']);
    await client.retract('ne_stored');
    for (const [path, fault] of [
      ['no/file', 'ENOENT'],
      ['', 'EISDIR'],
    ] as const) {
      const elsewhere = await run(['follow', '--position-file', join(folder, path)]);
      expect([elsewhere.code, elsewhere.messages.includes(`oddswire: ${fault}: `)]).to.deep.equal([1, true]);
    }
  });

  it('says what a follower waits for', async () => {
    const wrongPort = `http://127.0.0.1:${await reservedPort()}`;
    const { code, messages } = await run(['follow', '--url', wrongPort], { until: 'Tries again' });
    expect(code).to.equal(130);
    expect(messages).to.match(/^oddswire: connection_failed: .*ECONNREFUSED.* Tries again in 1 s\.\n/);
    expect(messages).to.include(wrongPort);
  });

  it('finds markets, and ends with 1 if no item has one of them', async () => {
    const terminal = { isTTY: true, environment: { NO_COLOR: '1' } };
    // The directory follows the feed (D65).
    await until(0, async () => (await run(['markets', market], terminal)).code);
    const table = await run(['markets', market], terminal);
    expect([table.code, table.messages]).to.deep.equal([0, '']);
    expect(table.printed)
      .to.match(/^ID +KIND +YES +ITEMS +NEWEST +TITLE\n/)
      .and.include(market);
    const pipe = await run(['markets', market, '--ref', 'no-such-market']);
    expect(jsonLines(pipe).map(({ market_id }) => market_id)).to.deep.equal([market]);
    expect([pipe.code, pipe.messages]).to.deep.equal([
      1,
      'oddswire: no item has the market "no-such-market"\n',
    ]);
    const all = await run(['markets', '--kind', 'sub', '--limit', '1']);
    expect(jsonLines(all).map(({ kind }) => kind)).to.deep.equal(['sub']);
  });

  it('prints the changes of the past, with a retraction', async () => {
    const pipe = await run(['history', '--news-id', 'ne_3']);
    expect(jsonLines(pipe).map(({ kind, id }) => [kind, id])).to.deep.equal([
      ['published', 'ne_3'],
      ['retracted', 'ne_3'],
    ]);
    const table = await run(['history', '--news-id', 'ne_3'], { isTTY: true });
    expect(table.printed.split('\n')[1]).to.match(/ {2}retracted {2}ne_3$/);
    expect(table.messages).to.include('the changes up to the position');
  });

  it('exports the history to a file, and continues it', async () => {
    const out = join(folder, 'changes.ndjson');
    expect((await run(['export', '--out', out])).code).to.equal(0);
    const whole = readFileSync(out, 'utf8');
    expect(whole.split('\n').length).to.be.above(4);
    writeFileSync(out, whole.slice(0, whole.length / 2));
    const { code, messages } = await run(['export', '--out', out], { isTTY: true });
    expect([code, readFileSync(out, 'utf8')]).to.deep.equal([0, whole]);
    expect(messages).to.include('The range is complete.');
  });

  it('prints the limits and the settings of the key', async () => {
    const usage = await run(['usage'], { isTTY: true, environment: { NO_COLOR: '1' } });
    expect(usage.printed).to.match(/^plan pro, key .+\nLIMIT +QUOTA +USED +REMAINING +RESETS AT\n/);
    expect(jsonLines(await run(['usage']))[0]).to.have.property('plan', 'pro');
    const settings = await run(['key'], { isTTY: true, environment: { NO_COLOR: '1' } });
    expect(settings.printed)
      .to.match(/^SETTING +VALUE\n/)
      .and.match(/^status +active$/m);
    expect(jsonLines(await run(['key']))[0]).to.have.property('key_id', key.key_id);
  });

  it('verifies a delivery from standard input or a file, and ends with 1 if it is not valid', async () => {
    const body = JSON.stringify({
      messages: [{ type: 'retraction', position: 'p', known_at: null, id: 'n' }],
      position: 'p',
    });
    const at = new Date();
    const headers = {
      'webhook-id': 'msg_1',
      'Webhook-Timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': new Webhook(SECRET).sign('msg_1', at, body),
    };
    const args = [
      'verify-webhook',
      ...Object.entries(headers).flatMap((pair) => ['--header', pair.join(': ')]),
    ];
    const environment = { ODDSWIRE_WEBHOOK_SECRET: SECRET };
    const pipe = await run(args, { environment, input: body });
    expect(jsonLines(pipe)).to.deep.equal([{ id: 'msg_1', reset: false, ...JSON.parse(body) }]);
    const file = join(folder, 'delivery.json');
    writeFileSync(file, body);
    const table = await run([...args, '--body', file], { environment, isTTY: true });
    expect([table.code, table.printed]).to.deep.equal([0, 'valid: delivery msg_1, 1 messages, up to p\n']);
    const changed = await run(args, { environment, input: `${body} ` });
    expect([changed.code, changed.printed]).to.deep.equal([1, '']);
    expect(changed.messages).to.include('invalid_webhook: Its signature is not valid.');
    expect((await run(args, { input: body })).code).to.equal(2);
    expect((await run([...args, '--body', join(folder, 'none')], { environment })).code).to.equal(2);
  });

  it('ends with 2 at a wrong key, option or command, and says what to do', async () => {
    const revoked = await aKey(client);
    await actOn(client, revoked.key_id, 'revoke', { cause: 'manual' });
    const cases: readonly (readonly [readonly string[], Readonly<Record<string, string>>, string])[] = [
      [['usage'], { ODDSWIRE_KEY: revoked.key }, 'key_revoked'],
      [['usage'], { ODDSWIRE_KEY: '' }, 'the key is ODDSWIRE_KEY'],
      [['usage'], { ODDSWIRE_URL: 'nowhere' }, '`url` must be'],
      [['news', '--limit', '0'], {}, '--limit must be a number'],
      [['news', '--since', 'yesterday'], {}, 'invalid_parameter'],
      [['news', '--as-of', '2001-01-01T00:00:00Z'], {}, 'The history begins at 20'],
      [['markets', '--limit', 'x'], {}, '--limit must be a number'],
      [['news', '--key', key.key], {}, 'from ODDSWIRE_KEY only'],
      [[key.key], {}, 'name a command'],
      [['serve'], {}, 'unknown command: serve'],
      [[], {}, 'Usage: oddswire <command>'],
    ];
    for (const [args, environment, message] of cases) {
      const { code, messages } = await run(args, { environment });
      expect([args[0], code]).to.deep.equal([args[0], 2]);
      expect(messages).to.include(message);
    }
  });

  it('explains itself and each of its commands with --help', async () => {
    const { code, printed } = await run(['--help']);
    expect(code).to.equal(0);
    for (const [name, purpose] of Object.entries(USER_COMMANDS)) {
      expect(printed).to.include(`  ${name.padEnd(16)}${purpose}`);
      const help = await run([name, '--help']);
      const shown = help.printed + help.messages;
      expect(shown, name).to.include(`Usage: oddswire ${name} `).and.include('ODDSWIRE_KEY');
      expect(shown.toLowerCase(), name).to.match(/exit codes?/);
    }
  });
});
