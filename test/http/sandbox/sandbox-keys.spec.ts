import { expect } from 'chai';
import type { Reason } from '../../../src/domain/accounts/reason.js';
import { accepted } from '../../support/objects/builders.js';
import { ask, keyHolder } from '../../support/service/composed.js';
import { operatorOf, signedInHolder } from '../../support/service/visitor.js';

const PATH = '/dashboard/keys/sandbox';
const KEY = /svc_test_[A-Za-z0-9_-]{43}/;

describe('The sandbox key of an account', () => {
  // A clock that is fast for the copies of keys, so that no copy is used.
  const { service, holder, visitor } = signedInHolder(() => ({
    monotonicClock: () => () => performance.now() * 1_000_000,
  }));
  const status = async (key: string) =>
    (await ask(`${service().url}/pm/v2/news?limit=1`, { headers: { 'X-API-Key': key } })).status;

  it('is created, shown once, replaced and deleted by its owner (D139)', async () => {
    expect((await visitor().open('/dashboard/keys')).text).to.include('Create sandbox key');
    const made = await visitor().submit(PATH);
    const [first = ''] = KEY.exec(made.html) ?? [];
    expect(made.status).to.equal(201);
    expect(await status(first)).to.equal(200);
    const shown = await visitor().open('/dashboard/keys');
    expect(shown.text)
      .to.include(`${first.slice(0, 17)}…`)
      .and.include('Replace sandbox key');
    expect(shown.html).not.to.include(first);
    const [second = ''] = KEY.exec((await visitor().submit(PATH)).html) ?? [];
    expect(await status(second)).to.equal(200);
    expect(await status(first)).to.equal(401);
    const deleted = await visitor().submit(`${PATH}/deletion`);
    expect(deleted.text).to.include('The sandbox key is deleted').and.include('Create sandbox key');
    expect(await status(second)).to.equal(401);
  });

  it('works without a subscription that is served, and not during a hold', async () => {
    const { parts } = service();
    const { account } = await keyHolder(service(), 'free');
    const key = await parts.replaceSandboxKey(account);
    if (typeof key !== 'string') return expect.fail();
    expect(await status(key)).to.equal(200);
    await parts.hold.onSubscription(account, 'held', 'a test' as Reason, 'operator');
    expect(await status(key)).to.equal(402);
    await parts.hold.onSubscription(account, 'released', 'a test' as Reason, 'operator');
    expect(await status(key)).to.equal(200);
    accepted(await parts.deleteAccount(account, 'operator'));
    expect(await status(key)).to.equal(401);
  });

  it('is shown to operators by its first characters', async () => {
    const { account } = holder();
    const operator = await operatorOf(service());
    const path = `/operator/accounts/${account}/keys`;
    expect((await operator.open(path)).text).to.include('No sandbox key');
    await visitor().open('/dashboard/keys');
    const [key = ''] = KEY.exec((await visitor().submit(PATH)).html) ?? [];
    const page = await operator.open(path);
    expect(page.text).to.include(`Sandbox key ${key.slice(0, 17)}…`);
    expect(page.html).not.to.include(key);
  });
});
