import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ids } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Instance, launchDemo } from '../../support/service/running-service.js';

/** The parameters with which a shell calls `curl` for this line. */
function curlParameters(line: string): readonly string[] {
  const shell = `curl() { printf '%s\\n' "$@"; }; ${line}`;
  const { stdout } = spawnSync('sh', ['-c', shell], { encoding: 'utf8' });
  return stdout.trimEnd().split('\n');
}

describe('The demo', () => {
  let instance: Instance;
  let client: Client;
  let account: string;
  let key: string;
  before(async () => {
    instance = await launchDemo({ DATABASE_URL: 'postgres://user:hush@db.example/oddswire' }).listening;
    const tokens = { operator: 'operator-token-of-the-tests', publisher: 'publisher-token-of-the-tests' };
    client = await Client.of({ instances: [instance], tokens, stateDir: '', stop: async () => {} });
    const [, id = ''] = /^Pro plan \((acc_\w+),/.exec(await instance.line('Pro plan (acc_')) ?? [];
    const [, value = ''] = /api_key=(svc_[\w-]+)/.exec(await instance.line('api_key=')) ?? [];
    [account, key] = [id, value];
  });
  after(() => instance.stop());

  const fakePayment = async (outcome: string) => {
    const body = { account_id: account, outcome };
    return client.operate('POST', '/internal/v1/demo/payments', body);
  };
  const advance = (seconds: number) =>
    client.operate('POST', '/internal/v1/test-clock', { advance_seconds: seconds });
  const status = async () => (await client.news(key, '?limit=1')).status;

  for (const setting of ['PORT', 'INTERNAL_PORT'] as const) {
    it(`fails with one line that names ${setting} if that port is taken`, async () => {
      const { port } = new URL(setting === 'PORT' ? instance.url : instance.internalUrl);
      const second = launchDemo({ [setting]: port });
      const [code] = await once(second.process, 'close');
      expect(code).to.equal(1);
      expect(second.output).to.deep.equal([
        `oddswire: cannot start: ${setting} ${port} is in use on 127.0.0.1: another process listens there. Stop that process, or set ${setting} to another port`,
      ]);
    });
  }

  it('starts with the front page, and then prints one key for each plan, before all commands', async () => {
    await instance.line('Ctrl-C stops the demo.');
    const printed = instance.output.filter((line) =>
      /^(Open |Free plan|Builder plan|Pro plan|curl )/.test(line),
    );
    const { port } = new URL(instance.url);
    expect(printed[0]).to.include(`http://localhost:${port}/ `);
    expect(printed[1]).to.include(`http://localhost:${port}/dashboard`);
    expect(printed.slice(2, 6).map((line) => line.split(' ')[0])).to.deep.equal([
      'Free',
      'Builder',
      'Pro',
      'curl',
    ]);
  });

  it('says in one line which settings it ignores, without their values', async () => {
    await instance.line('Ctrl-C stops the demo.');
    const lines = instance.output.filter((line) => line.includes('the demo ignores'));
    expect(lines).to.have.length(1);
    expect(lines[0]).to.match(/^DATABASE_URL, STRIPE_WEBHOOK_SECRET are set, but the demo ignores them:/);
    expect(instance.output.join('\n')).not.to.include('hush');
  });

  it('refuses an unknown option with one line', async () => {
    const second = launchDemo({}, ['--languages']);
    const [code] = await once(second.process, 'close');
    expect(code).to.equal(1);
    expect(second.output).to.have.length(1);
    expect(second.output[0])
      .to.include("'--languages'")
      .and.include('The options are --all-languages and --help.');
  });

  it('prints its options and settings with --help, and does not start', async () => {
    const second = launchDemo({}, ['--help']);
    const [code] = await once(second.process, 'close');
    expect(code).to.equal(0);
    const help = second.output.join('\n');
    for (const name of ['--all-languages', '--help', ' PORT ', ' INTERNAL_PORT '])
      expect(help).to.include(name);
    expect(help).not.to.include('listens');
  });

  it('prints a command that reads the stories about one market', async () => {
    const [, , url = ''] = curlParameters(await instance.line('market_id='));
    const page = await client.news(key, new URL(url).search);
    expect(ids(page)).to.include.members(['ne_halvex-agreement', 'ne_halvex-talks-resume']);
  });

  it('prints a command that opens the live stream', async () => {
    const [option, , header = '', url = ''] = curlParameters(await instance.line('curl -N'));
    expect(option).to.equal('-N');
    const [name = '', key = ''] = header.split(': ');
    const { port } = new URL(instance.url);
    expect(url).to.equal(`http://localhost:${port}/pm/v2/stream`);
    const response = await fetch(`${instance.url}/pm/v2/stream`, { headers: { [name]: key } });
    const reader = response.body?.getReader();
    const first = await reader?.read();
    expect(new TextDecoder().decode(first?.value)).to.match(/^id: .+\nevent: ready\n/);
    await reader?.cancel();
  });

  it('answers 402 two weeks after a failed payment, and 200 after the payment', async () => {
    expect(await status()).to.equal(200);
    const failed = await fakePayment('fail');
    expect(failed.json).to.deep.equal({
      delivered: [
        { type: 'customer.subscription.created', status: 200 },
        { type: 'invoice.payment_failed', status: 200 },
        { type: 'customer.subscription.updated', status: 200 },
      ],
    });
    expect(await status()).to.equal(200);
    await advance(14 * 86_400);
    expect(await status()).to.equal(402);
    await fakePayment('pay');
    expect(await status()).to.equal(200);
  });

  it('suspends on the fourth failed retry, and not before', async () => {
    for (const expected of [200, 200, 200, 200, 402]) {
      await fakePayment('fail');
      expect(await status()).to.equal(expected);
    }
    await advance(1);
    await fakePayment('pay');
    expect(await status()).to.equal(200);
  });

  it('revokes the keys on cancellation', async () => {
    await fakePayment('cancel');
    expect(await status()).to.equal(401);
  });

  it('fakes payments of linked and unlinked accounts; unknown outcomes are 400, unknown accounts 404', async () => {
    const opened = await client.operate('POST', '/internal/v1/accounts', {
      email: 'new@demo.example',
      plan: 'free',
    });
    const { account_id } = opened.json as { readonly account_id: string };
    const reply = await client.operate('POST', '/internal/v1/demo/payments', { account_id, outcome: 'pay' });
    expect(
      (reply.json as { delivered: readonly { status: number }[] }).delivered.map((one) => one.status),
    ).to.deep.equal([200, 200, 200]);
    const linked = await client.operate('GET', `/internal/v1/accounts/${account_id}`);
    expect(linked.json).to.include({ processor_customer_id: `cus_${account_id}` });
    expect((await fakePayment('win')).status).to.equal(400);
    const nobody = await client.operate('POST', '/internal/v1/demo/payments', {
      account_id: 'acc_0',
      outcome: 'pay',
    });
    expect(nobody.status).to.equal(404);
  });
});

describe('The commands that the demo prints', () => {
  it('work when pasted into a shell, and show no token of the internal listener', async () => {
    // A folder name that needs quoting in a shell.
    const stateDir = mkdtempSync(join(tmpdir(), "oddswire $HOME's "));
    const demo = launchDemo({ OPERATOR_TOKEN: '', PUBLISHER_TOKEN: '', STATE_DIR: stateDir }, [
      '--all-languages',
    ]);
    await demo.line('Ctrl-C stops the demo.');
    const { operator, publisher } = JSON.parse(readFileSync(join(stateDir, 'tokens.json'), 'utf8'));
    const pasted = demo.output.filter((line) => line.startsWith('curl ') && line.includes('/internal/v1/'));
    expect(pasted).to.have.length(3);
    for (const line of pasted) expect(curlParameters(line)).to.include(`Authorization: Bearer ${operator}`);
    await demo.stop();
    expect(demo.output.filter((line) => line.includes('_TOKEN is not set'))).to.deep.equal([]);
    for (const token of [operator, publisher]) expect(demo.output.join('\n')).not.to.include(token);
    rmSync(stateDir, { recursive: true });
  });
});
