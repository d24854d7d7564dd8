import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { PROJECT } from '../../support/client/packed.js';
import { publication } from '../../support/objects/builders.js';
import { reservedPort } from '../../support/servers/reserved-port.js';
import { until } from '../../support/until.js';

const SECRET = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
const OLD_SECRET = `whsec_${Buffer.alloc(24, 2).toString('base64')}`;
const ITEM = {
  type: 'item',
  position: 'p',
  known_at: null,
  scored_at: '2026-03-01T12:00:00.000000Z',
  item: publication(),
};
const BODY = JSON.stringify({
  messages: [ITEM, { type: 'retraction', position: 'q', known_at: null, id: 'ne_2 é' }],
  position: 'q',
});

const signedHeaders = (body: string, secret: string, at = new Date()) => ({
  'webhook-id': 'msg_1',
  'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
  'webhook-signature': new Webhook(secret).sign('msg_1', at, body),
});

describe('The receiver of the chapter about webhooks', () => {
  let receiver: ChildProcess;
  let lines: Interface;
  let url: string;
  const printed: string[] = [];

  before(async () => {
    const port = await reservedPort();
    url = `http://localhost:${port}/hook`;
    receiver = spawn(process.execPath, [join(PROJECT, 'dist/examples/receive-webhook.js')], {
      env: { PATH: process.env['PATH'], WEBHOOK_SECRET: `${SECRET} ${OLD_SECRET}`, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    lines = createInterface({ input: receiver.stdout ?? expect.fail('no output') });
    lines.on('line', (line) => printed.push(line));
    await once(lines, 'line');
  });
  after(() => receiver.kill());

  const deliver = async (body: string, headers: Readonly<Record<string, string>>): Promise<number> => {
    const { status } = await fetch(url, { method: 'POST', body, headers });
    return status;
  };

  it('prints the changes of a delivery that is signed with the new secret or the old one', async () => {
    for (const secret of [SECRET, OLD_SECRET]) {
      printed.length = 0;
      expect(await deliver(BODY, signedHeaders(BODY, secret))).to.equal(204);
      await until(2, () => printed.length);
      expect(printed).to.deep.equal(['+ Talks resume', '- ne_2 é']);
    }
  });

  it('says that the feed must be walked after a reset', async () => {
    const body = '{"reset":true,"messages":[],"position":"q"}';
    const line = once(lines, 'line');
    expect(await deliver(body, signedHeaders(body, SECRET))).to.equal(204);
    expect(await line).to.deep.equal(['walk the feed anew']);
  });

  it('answers 400 to a delivery that is not signed, and prints nothing of it', async () => {
    printed.length = 0;
    const headers = signedHeaders(BODY, SECRET);
    expect(await deliver(`${BODY} `, headers)).to.equal(400);
    expect(await deliver(BODY, {})).to.equal(400);
    expect(await deliver(BODY, signedHeaders(BODY, SECRET, new Date(Date.now() - 600_000)))).to.equal(400);
    expect(printed).to.deep.equal([]);
  });
});

/** Prints the position of the delivery in its parameters, or why it was refused. */
const CALL = `
import sys
try: print(verify(json.loads(sys.argv[1]), sys.argv[2].encode())["position"])
except ValueError as fault: print(fault)`;

const isInstalled = spawnSync('python3', ['--version']).error === undefined;

describe('The program in Python of the chapter about webhooks', () => {
  const chapter = readFileSync(join(PROJECT, 'docs/webhooks.md'), 'utf8');
  const [, program = ''] = /^```python\n(.*?)^```$/ms.exec(chapter) ?? [];

  const verified = async (body: string, headers: object): Promise<string> => {
    const { stdout } = await promisify(execFile)(
      'python3',
      ['-c', `${program}${CALL}`, JSON.stringify(headers), body],
      { env: { PATH: process.env['PATH'], WEBHOOK_SECRET: `${SECRET} ${OLD_SECRET}` } },
    );
    return stdout.trim();
  };

  it('has at most twelve lines of code', () => {
    expect(program.split('\n').filter((line) => line.trim() !== '')).to.have.length.within(8, 12);
  });

  if (!isInstalled) return;
  it('accepts a delivery that is signed with the new secret or the old one, and no other one', async () => {
    for (const secret of [SECRET, OLD_SECRET])
      expect(await verified(BODY, signedHeaders(BODY, secret))).to.equal('q');
    const other = `whsec_${Buffer.alloc(24, 3).toString('base64')}`;
    expect(await verified(BODY, signedHeaders(BODY, other))).to.include('no signature');
    expect(await verified(`${BODY} `, signedHeaders(BODY, SECRET))).to.include('no signature');
    const old = signedHeaders(BODY, SECRET, new Date(Date.now() - 600_000));
    expect(await verified(BODY, old)).to.include('too old');
  });
});
