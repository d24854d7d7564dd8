import { expect } from 'chai';
import type { AccountId } from '../../../../src/domain/accounts/account.js';
import type { Reason } from '../../../../src/domain/accounts/reason.js';
import type { PlanName } from '../../../../src/domain/billing/plan.js';
import { GRACE } from '../../../../src/domain/keys/api-key.js';
import { DAY, plus, SECOND } from '../../../../src/domain/moment.js';
import { accepted } from '../../../support/objects/builders.js';
import { type Composed, composed, keyHolder, requestNews } from '../../../support/service/composed.js';
import { type PageAnswer, type Visitor, visitorOf } from '../../../support/service/visitor.js';

const KEY = /svc_[A-Za-z0-9_-]{43}/;
const valueIn = ({ html }: PageAnswer): string => KEY.exec(html)?.[0] ?? '';

let accounts = 0;

describe('The Keys page', () => {
  let service: Composed;
  before(async () => {
    service = await composed();
  });
  after(() => service.stop());

  const anAccount = async (plan: PlanName = 'pro'): Promise<AccountId> => {
    accounts += 1;
    const identity = { email: `keys-${accounts}@example.org`, plan, processorCustomerId: null };
    return accepted(await service.parts.openAccount(identity, 'test')).id;
  };
  const keysOf = async (id: AccountId) => (await service.parts.accounts.find(id))?.keys ?? [];
  const create = (visitor: Visitor, label = '', seen = visitor.seen) =>
    visitor.submit('/dashboard/keys', { label, seen });
  const holder = async (plan: PlanName = 'pro') => {
    const account = await anAccount(plan);
    return { account, visitor: await visitorOf(service, account) };
  };
  const rotate = async (visitor: Visitor, id = '') => {
    await visitor.open(`/dashboard/keys/${id}/rotation`);
    return visitor.submit(`/dashboard/keys/${id}/rotation`, { seen: visitor.seen });
  };
  const status = async (key: string) => (await requestNews(service, key)).status;

  it('shows the value of a new key once, with a working curl command (contract section 2.12)', async () => {
    const { account, visitor } = await holder('free');
    const seen = visitor.seen;
    const made = await create(visitor, 'production <1>');
    const value = valueIn(made);
    expect([made.status, made.headers['cache-control']]).to.deep.equal([201, 'no-store']);
    expect(made.text).to.include(`curl -H 'Authorization: Bearer ${value}' 'http://localhost:`);
    expect(await status(value)).to.equal(200);

    const reloaded = await create(visitor, 'production <1>', seen);
    expect([reloaded.status, valueIn(reloaded)]).to.deep.equal([409, '']);
    expect(await keysOf(account)).to.have.length(1);
    const list = await visitor.open('/dashboard/keys');
    expect(list.text).to.include('production <1>').and.include(value.slice(0, 12));
    expect(valueIn(list)).to.equal('');
    expect(list.html).to.include('aria-label="1 request in 24 hours"');
    expect(JSON.stringify(service.lines)).not.to.include(value.slice(12));
  });

  it('creates one key if a form is submitted ten times at once', async () => {
    const { account, visitor } = await holder('pro');
    const [seen, token] = [visitor.seen, visitor.formToken];
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => visitor.post('/dashboard/keys', { form_token: token, seen })),
    );
    expect(answers.map((answer) => answer.status).sort()).to.deep.equal([
      201,
      ...Array.from({ length: 9 }, () => 409),
    ]);
    expect(await keysOf(account)).to.have.length(1);
  });

  it('shows the state, the last use and today’s requests of each key', async () => {
    const { visitor } = await holder('pro');
    const value = valueIn(await create(visitor, 'busy'));
    const before = await visitor.open('/dashboard/keys');
    expect(before.text).to.include('busy').and.include('Active').and.include('Never 0');
    for (const _ of [1, 2, 3]) await status(value);
    const after = await visitor.open('/dashboard/keys');
    expect(after.text).to.match(/Active 0 seconds ago 3 <1% Rotate /);
    expect(after.text).to.include('Today 3 of 1,000,000 This minute 3 of 3,000');
    expect(after.text).to.include('Created 12:00');
    expect(after.html).to.match(/title="1 March 2026, 12:00:\d\d UTC">12:00<\/time>/);
  });

  it('says that requests were refused if all of today were, and that the key was then not used', async () => {
    const { account, visitor } = await holder('pro');
    const value = valueIn(await create(visitor));
    await status(value);
    service.clock.at = plus(service.clock.at, 14 * DAY);
    await service.parts.hold.onSubscription(account, 'held', 'a test' as Reason, 'operator');
    await status(value);
    const { html, text } = await (await visitorOf(service, account)).open('/dashboard/keys');
    service.clock.at = plus(service.clock.at, -14 * DAY);
    expect(text).to.match(/14 days ago 1 refused /);
    expect(html)
      .to.include(`<code>${value.slice(0, 12)}…</code>`)
      .and.not.include('No label');
  });

  it('explains an exhausted allowance and then has no form for a new key (contract section 5.3)', async () => {
    const { account, visitor } = await holder('free');
    await create(visitor);
    const page = await visitor.open('/dashboard/keys');
    expect(page.text).to.include(
      '1 of 1 key in use on the Free plan. Rotate a key to replace it, or revoke one first. The Pro plan has 5 keys.',
    );
    expect(page.text.match(/limit|1 of 1 key/g)).to.deep.equal(['1 of 1 key']);
    expect(page.text).not.to.include('Create key');
    const refused = await create(visitor, '', (await keysOf(account)).at(-1)?.id);
    expect([refused.status, await keysOf(account)]).to.have.property('0', 409);
    expect(await keysOf(account)).to.have.length(1);
  });

  it('explains the rules for labels and creates no key with an invalid label (D26)', async () => {
    const { account, visitor } = await holder();
    const long = await create(visitor, 'x'.repeat(65));
    expect([long.status, long.text.includes('must have 1 to 64 characters')]).to.deep.equal([400, true]);
    expect(await keysOf(account)).to.deep.equal([]);
  });

  it('explains a hold, and creates and rotates no key during it (D21)', async () => {
    const { account, visitor } = await holder();
    const value = valueIn(await create(visitor));
    const [key] = await keysOf(account);
    await service.parts.hold.onSubscription(account, 'held', 'a test' as Reason, 'operator');
    const page = await visitor.open('/dashboard/keys');
    expect(page.text).to.include('Suspended (402)').and.include('We placed a hold. Contact us');
    expect(page.text).to.include('No key can be created until access is restored.');
    expect(page.text).not.to.include('Create key');
    expect((await create(visitor, '', key?.id)).status).to.equal(409);
    const rotation = await visitor.open(`/dashboard/keys/${key?.id}/rotation`);
    expect(rotation.text).to.include('We placed a hold').and.not.include('Create new key');
    const refused = await visitor.submit(`/dashboard/keys/${key?.id}/rotation`, { seen: key?.id ?? '' });
    expect(refused.text).to.include('The action could not be completed.');
    expect(await keysOf(account)).to.have.length(1);
    await service.parts.hold.onSubscription(account, 'released', 'a test' as Reason, 'operator');
    expect((await visitor.open('/dashboard/keys')).text).not.to.match(/\b402\b/);
    expect(await status(value)).to.equal(200);
  });

  it('guides through a rotation: new key, both keys in use, retirement, grace, end (contract section 5.4)', async () => {
    const { account, visitor } = await holder('free');
    const old = valueIn(await create(visitor, 'bot'));
    const [older] = await keysOf(account);
    const path = `/dashboard/keys/${older?.id}/rotation`;
    const begun = (await visitor.open(path)).text;
    expect(begun).to.include('Create new key').and.include('A retired key works for 5 more minutes.');

    const made = await rotate(visitor, older?.id);
    const fresh = valueIn(made);
    const unused = (await visitor.open(path)).text;
    expect(unused).to.include('New key: not used yet Wait for its first request.');
    expect(unused).not.to.match(/retired automatically on|Safe to retire/);
    const button = ({ html }: PageAnswer) => /<button[^>]*>(?=Retire old key)/.exec(html)?.[0];
    expect(button(await visitor.open(path))).to.include('class="plain"');
    expect([made.status, fresh === old, await status(fresh), await status(old)]).to.deep.equal([
      201,
      false,
      200,
      200,
    ]);
    const again = await visitor.submit(path, { seen: older?.id ?? '' });
    expect([again.status, valueIn(again)]).to.deep.equal([200, '']);
    expect(again.text).to.include('This form was already submitted');
    expect(again.text).to.include('retired automatically on 2 Mar, ').and.include('Safe to retire');
    expect(again.text).not.to.include('not used yet');
    expect(button(again)).not.to.include('class');
    expect(again.text).to.include('Old key').and.include('New key').and.include('Requests today: 1');

    const retired = await visitor.submit(`/dashboard/keys/${older?.id}/retirement`);
    expect(retired.text).to.include('expires in 5:00').and.include('at 12:05.');
    service.clock.at = plus(service.clock.at, GRACE - SECOND);
    expect((await visitor.open(path)).text).to.include('expires in 0:01');
    expect((await visitor.open('/dashboard/keys')).text).to.include('Expires in 0:01');
    expect(await status(old)).to.equal(200);
    service.clock.at = plus(service.clock.at, SECOND);
    expect((await visitor.open(path)).text)
      .to.include('Rotation complete.')
      .and.include('now return 401');
    expect([await status(old), await status(fresh)]).to.deep.equal([401, 200]);
    expect(await keysOf(account)).to.have.length(2);
  });

  it('revokes a key immediately, after a confirmation that explains the consequence', async () => {
    const { account, visitor } = await holder('free');
    const value = valueIn(await create(visitor));
    const [key] = await keysOf(account);
    const asked = await visitor.open(`/dashboard/keys/${key?.id}/revocation`);
    expect(asked.text).to.include('will return 401 immediately').and.include('This cannot be undone.');
    expect(await status(value)).to.equal(200);
    const revoked = await visitor.submit(`/dashboard/keys/${key?.id}/revocation`);
    expect(revoked.text).to.include('The key is revoked').and.include('You have no keys yet');
    expect(revoked.text).to.include('Revoked keys').and.include('revoked manually');
    expect(await status(value)).to.equal(401);
    const audit = await service.parts.accounts.auditOf(account);
    expect(audit.at(-1)).to.include({ event: 'revoked', actor: 'customer' });
    expect(valueIn(await create(visitor))).to.match(KEY);
  });

  it('creates no third key if a rotation form is submitted again after its successor was revoked', async () => {
    const { account, visitor } = await holder('free');
    await create(visitor);
    const [older] = await keysOf(account);
    await visitor.open(`/dashboard/keys/${older?.id}/rotation`);
    const seen = visitor.seen;
    await visitor.submit(`/dashboard/keys/${older?.id}/rotation`, { seen });
    const successor = (await keysOf(account)).at(-1);
    await visitor.open('/dashboard/keys');
    await visitor.submit(`/dashboard/keys/${successor?.id}/revocation`);
    const again = await visitor.submit(`/dashboard/keys/${older?.id}/rotation`, { seen });
    expect([valueIn(again), (await keysOf(account)).length]).to.deep.equal(['', 2]);
  });

  it('explains why a key cannot be retired, and shows a message for unknown codes', async () => {
    const { account, visitor } = await holder('free');
    await create(visitor);
    const [key] = await keysOf(account);
    await visitor.open('/dashboard/keys');
    const alone = await visitor.submit(`/dashboard/keys/${key?.id}/retirement`);
    expect(alone.text).to.include('This key has no working replacement yet').and.include('Create new key');
    await visitor.submit(`/dashboard/keys/${key?.id}/revocation`);
    expect((await visitor.open('/dashboard/keys?said=nonsense')).text).to.include(
      'The action could not be completed.',
    );
  });

  it('creates at most 20 keys an hour for one account, since keys are stored forever', async () => {
    const { account, visitor } = await holder('free');
    for (let i = 0; i < 20; i += 1) {
      expect((await create(visitor)).status).to.equal(201);
      const key = (await keysOf(account)).at(-1);
      await visitor.open('/dashboard/keys');
      await visitor.submit(`/dashboard/keys/${key?.id}/revocation`);
    }
    const refused = await create(visitor);
    expect([refused.status, Number(refused.headers['retry-after']) > 0]).to.deep.equal([429, true]);
    expect(await keysOf(account)).to.have.length(20);
  });

  it('rejects a form that was not sent from a page of this session', async () => {
    const { account, visitor } = await holder();
    const stranger = await holder();
    const [seen, token] = [visitor.seen, visitor.formToken];
    const forged: readonly (readonly [Record<string, string>, Record<string, string>])[] = [
      [{ seen }, { 'Sec-Fetch-Site': 'same-origin' }],
      [{ seen, form_token: '' }, {}],
      [{ seen, form_token: stranger.visitor.formToken }, { 'Sec-Fetch-Site': 'same-origin' }],
      [{ seen, form_token: token }, { 'Sec-Fetch-Site': 'cross-site' }],
      [{ seen, form_token: token }, { 'Sec-Fetch-Site': 'same-site' }],
      [{ seen, form_token: token }, { 'Sec-Fetch-Site': 'none' }],
      [{ seen, form_token: token }, { Origin: 'https://evil.example' }],
      [{ seen, form_token: token }, { Origin: 'null' }],
    ];
    for (const [fields, headers] of forged) {
      const answer = await visitor.post('/dashboard/keys', fields, headers);
      expect([answer.status, answer.text.includes('Nothing was changed')]).to.deep.equal([403, true]);
    }
    expect(await keysOf(account)).to.deep.equal([]);
    const plain = await visitor.post('/dashboard/keys', { seen, form_token: token }, {});
    expect(plain.status).to.equal(201);
  });

  it('answers 404 for a key of another account and does not change it', async () => {
    const other = await keyHolder(service);
    const { visitor } = await holder();
    for (const action of ['rotation', 'revocation']) {
      expect((await visitor.open(`/dashboard/keys/${other.key.id}/${action}`)).status).to.equal(404);
      await visitor.open('/dashboard/keys');
    }
    for (const action of ['rotation', 'retirement', 'revocation']) {
      const answer = await visitor.submit(`/dashboard/keys/${other.key.id}/${action}`);
      await visitor.open('/dashboard/keys');
      expect(answer.status).to.equal(404);
    }
    expect(await status(other.value)).to.equal(200);
    expect(await keysOf(other.account)).to.have.length(1);
  });

  it('rejects a form after sign-out and explains why', async () => {
    const { account, visitor } = await holder();
    const [seen, token] = [visitor.seen, visitor.formToken];
    const cookie = visitor.cookies.get('oddswire_session') ?? '';
    await visitor.submit('/dashboard/sign-out');
    visitor.cookies.set('oddswire_session', cookie);
    const answer = await visitor.post('/dashboard/keys', { seen, form_token: token });
    expect([answer.status, answer.text.includes('Your session has ended')]).to.deep.equal([401, true]);
    expect(await keysOf(account)).to.deep.equal([]);
  });
});
