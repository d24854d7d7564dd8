import { expect } from 'chai';
import type { AccountId } from '../../../../src/domain/accounts/account.js';
import type { PlanName } from '../../../../src/domain/billing/plan.js';
import { DAY, plus } from '../../../../src/domain/moment.js';
import { accepted, keyId } from '../../../support/objects/builders.js';
import { requestOf } from '../../../support/objects/streams.js';
import { type Composed, composed, keyHolder, requestNews, START } from '../../../support/service/composed.js';
import { type PageAnswer, type Visitor, visitorOf } from '../../../support/service/visitor.js';
import { until } from '../../../support/until.js';

const KEY = /svc_[A-Za-z0-9_-]{43}/;
const ALL = {
  label: 'night job',
  expiry: '2026-12-31',
  addresses: '203.0.113.7/32\r\n\r\n2001:DB8::/32',
  per_minute: '10',
  per_day: '500',
};
const NOTHING = { label: '', expiry: '', addresses: '', per_minute: '', per_day: '' };
const CONTROLS = {
  expiresAt: '2027-01-01T00:00:00.000000Z',
  allowlist: ['203.0.113.7', '2001:db8::/32'],
  limits: { perMinute: 10, perDay: 500 },
};

describe('The page of a key (D72)', () => {
  let service: Composed;
  before(async () => {
    service = await composed({ TRUSTED_PROXY_HOPS: '1' });
  });
  afterEach(() => {
    service.clock.at = START;
  });
  after(() => service.stop());

  const holder = async (plan: PlanName = 'builder') => {
    const { account, key, value } = await keyHolder(service, plan);
    const visitor = await visitorOf(service, account);
    const path = `/dashboard/keys/${key.id}`;
    await visitor.open(path);
    return { account, key, value, visitor, path };
  };
  const save = async (visitor: Visitor, path: string, sent: Readonly<Record<string, string>>) => {
    await visitor.open(path);
    return visitor.submit(path, { seen: visitor.seen, ...sent });
  };
  const stored = async (account: AccountId, index = 0) =>
    (await service.parts.accounts.find(account))?.keys[index] ?? expect.fail('no key');
  const fields = ({ html }: PageAnswer) => ({
    ...Object.fromEntries(
      ['label', 'expiry', 'per_minute', 'per_day'].map((name) => [
        name,
        new RegExp(`<input id="${name}"[^>]*? value="([^"]*)"`).exec(html)?.[1] ?? '',
      ]),
    ),
    addresses: /<textarea id="addresses"[^>]*>([^<]*)</.exec(html)?.[1] ?? '',
  });

  it('is linked from the table of keys, by the label or else by the prefix', async () => {
    const { visitor, path, key } = await holder();
    expect((await visitor.open('/dashboard/keys')).html).to.include(
      `<a href="${path}"><code>${key.prefix}…</code></a>`,
    );
    await save(visitor, path, { ...NOTHING, label: 'a < b' });
    expect((await visitor.open('/dashboard/keys')).html).to.include(`<a href="${path}">a &lt; b</a>`);
  });

  it('shows state, last use, scopes and the address of the visitor', async () => {
    const { visitor, path, value } = await holder();
    const unused = await visitor.open(path, { 'X-Forwarded-For': '::ffff:198.51.100.7' });
    expect(unused.text).to.include('Status Active').and.include('Last used Never');
    expect(unused.text)
      .to.include('Your address is 198.51.100.7')
      .and.include('Scopes events.read, markets.read');
    await requestNews(service, value);
    const used = await visitor.open(path, { 'X-Forwarded-For': 'nonsense' });
    await until(true, async () =>
      (await visitor.open(path)).text.includes('Last request 0 seconds ago, status 200, from 127.0.0.0/24'),
    );
    expect(used.text).to.include('Last used 0 seconds ago').and.include('Requests today 1');
    expect(used.text).to.not.include('Your address is');
    expect(used.html).to.not.match(KEY);
  });

  it('sets everything with one form, shows it, and removes it again', async () => {
    const { visitor, path, account } = await holder();
    const saved = await save(visitor, path, ALL);
    expect([saved.status, saved.text.includes('Saved.')]).to.deep.equal([200, true]);
    expect(await stored(account)).to.deep.include({ label: 'night job', controls: CONTROLS });
    expect(fields(saved)).to.deep.equal({ ...ALL, addresses: '203.0.113.7\n2001:db8::/32' });
    expect(saved.text).to.include('Expires on 1 Jan 2027, 00:00.');
    const list = await visitor.open('/dashboard/keys');
    expect(list.text).to.include('Expires on 1 Jan 2027, 00:00.');
    const removed = await save(visitor, path, NOTHING);
    expect(fields(removed)).to.deep.equal(NOTHING);
    const { label, controls } = await stored(account);
    expect([label, controls]).to.deep.equal([
      null,
      { expiresAt: null, allowlist: [], limits: { perMinute: null, perDay: null } },
    ]);
  });

  it('is in force for the next request', async () => {
    const { visitor, path, value } = await holder();
    const from = (address: string) => requestNews(service, value, { 'X-Forwarded-For': address });
    expect((await from('198.51.100.7')).status).to.equal(200);
    await save(visitor, path, { ...NOTHING, addresses: '203.0.113.0/24' });
    expect((await from('198.51.100.7')).status).to.equal(403);
    expect((await from('203.0.113.9')).status).to.equal(200);
  });

  it('names the line and the field of each error, changes nothing, and keeps what was typed', async () => {
    const { visitor, path, account } = await holder();
    const before = await stored(account);
    const wrong = {
      label: 'x'.repeat(65),
      expiry: '2026-02-30',
      addresses: '203.0.113.7\n203.0.113.7/24\n<script>',
      per_minute: '0',
      per_day: 'many',
    };
    const refused = await save(visitor, path, wrong);
    expect(refused.status).to.equal(400);
    expect(refused.text).to.include('Nothing was changed.');
    for (const text of [
      'Label must have 1 to 64 characters',
      'Expiry must be a day of the calendar, like 2026-12-31.',
      'Line 2 of the allowed addresses has bits after its prefix; write the first address of the network, or a longer prefix.',
      'Line 3 of the allowed addresses is no address or network; write it like 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32.',
      'Limit per minute must be a whole number, at least 1.',
      'Limit per day must be a whole number, at least 1.',
    ])
      expect(refused.text.split(text), text).to.have.length(3); // In the message, and at the field.
    expect(fields(refused)).to.deep.equal({
      ...wrong,
      addresses: '203.0.113.7\n203.0.113.7/24\n&lt;script>',
    });
    expect(refused.html.match(/aria-invalid="true"/g)).to.have.length(5);
    expect(await stored(account)).to.deep.equal(before);
  });

  it('shows no key again that was typed into any field (D19)', async () => {
    const { visitor, path, value, account } = await holder();
    const wrong = {
      label: value,
      expiry: value,
      addresses: `203.0.113.7\n${value}`,
      per_minute: value,
      per_day: value,
    };
    for (const [name, typed] of [...Object.entries(wrong), ['all', null]] as const) {
      await visitor.open(path);
      const refused = await save(visitor, path, typed === null ? wrong : { ...NOTHING, [name]: typed });
      expect([name, refused.status]).to.deep.equal([name, 400]);
      expect(refused.html, name).to.not.include(value.slice(12, 40));
    }
    expect((await stored(account)).label).to.equal(null);
  });

  it('refuses what needs the time and the plan in the same way', async () => {
    const { visitor, path, account } = await holder();
    const typed = { ...ALL, expiry: '2026-02-28', per_minute: '601', per_day: '50001' };
    const refused = await save(visitor, path, typed);
    expect(refused.status).to.equal(400);
    expect(refused.text)
      .to.include('Expiry must be in the future.')
      .and.include('Limit per minute must be from 1 to 600, the limit of the plan.')
      .and.include('Limit per day must be from 1 to 50,000, the limit of the plan.');
    expect(fields(refused)).to.deep.equal(typed);
    expect((await stored(account)).controls.expiresAt).to.equal(null);
  });

  it('has no form for a key that was revoked or has expired, and says so if it does meanwhile', async () => {
    const { visitor, path, key, account } = await holder();
    await save(visitor, path, { ...NOTHING, expiry: '2026-03-02' });
    service.clock.at = plus(START, 2 * DAY);
    const late = await save(visitor, path, { ...NOTHING, expiry: '2026-12-31' });
    expect(late.status).to.equal(409);
    expect(late.text).to.include('This key is already revoked').and.include('its expiry has passed');
    expect(late.html).to.not.include('Save changes');
    const page = await visitor.open(path);
    expect(page.text).to.include('Revoked (401) at 00:00: its expiry has passed.');
    expect((await visitor.open('/dashboard/keys')).text).to.include('You have no keys yet.');
    expect((await stored(account)).id).to.equal(key.id);
  });

  it('is that of the own account only, and takes only its own forms', async () => {
    const { visitor, path } = await holder();
    const other = await holder();
    expect((await visitor.open(other.path)).status).to.equal(404);
    await visitor.open(path);
    expect((await visitor.submit(other.path, ALL)).status).to.equal(404);
    expect((await visitor.post(path, ALL)).status).to.equal(403);
    expect((await stored(other.account)).label).to.equal(null);
    const stranger = await visitorOf(service, other.account);
    stranger.cookies.clear();
    expect((await stranger.openOnce(path)).headers['location']).to.equal('/dashboard/sign-in');
  });

  it('shows the open streams of the key, of all that the plan allows (D51)', async () => {
    const { visitor, path, key, account } = await holder();
    expect((await visitor.open(path)).text).to.include('Open streams 0 of 5 Scopes');
    const { subscription } = (await service.parts.accounts.find(account)) ?? expect.fail('no account');
    const of = { subscription: subscription.id, allowed: 5 };
    for (const opened of [key.id, key.id, keyId('other')])
      await service.parts.streamSlots.open({ ...requestOf(of), key: opened });
    expect((await visitor.open(path)).text).to.include('Open streams 2 of 5, other keys: 1 Scopes');
  });

  it('saves 100 changes an hour, because each adds to the audit log', async () => {
    const { visitor, path, account } = await holder();
    for (let i = 0; i < 100; i += 1)
      await service.parts.countAttempt(account, { name: 'key_changes', quota: 100, seconds: 3_600 });
    expect((await save(visitor, path, ALL)).status).to.equal(429);
    expect((await stored(account)).label).to.equal(null);
  });

  it('shows a rotation: the successor has the addresses and limits, and no expiry', async () => {
    const { visitor, path, key, account } = await holder();
    await save(visitor, path, ALL);
    accepted(await service.parts.rotateKey(key.id, null, 'customer'));
    const successor = await stored(account, 1);
    const page = await visitor.open(`/dashboard/keys/${successor.id}`);
    expect(fields(page)).to.deep.equal({ ...ALL, expiry: '', addresses: '203.0.113.7\n2001:db8::/32' });
  });

  it('saves forms of two tabs that change different settings, or the same to the same value (D128)', async () => {
    const { visitor, path, account } = await holder();
    await visitor.open(path);
    const { seen } = visitor;
    for (const sent of [{ label: 'renamed' }, { label: 'renamed' }, { addresses: '203.0.113.7' }])
      expect((await visitor.submit(path, { ...NOTHING, ...sent, seen })).status).to.equal(200);
    const { label, controls } = await stored(account);
    expect([label, controls.allowlist]).to.deep.equal(['renamed', ['203.0.113.7']]);
  });

  it('changes nothing by a form whose setting was changed to another value meanwhile', async () => {
    const { visitor, path, account } = await holder();
    await visitor.open(path);
    const older = { ...NOTHING, label: 'renamed', seen: visitor.seen };
    await save(visitor, path, ALL);
    for (const sent of [older, { label: 'renamed' }]) {
      const refused = await visitor.submit(path, sent);
      expect(refused.status).to.equal(409);
      expect((await stored(account)).label).to.equal(ALL.label);
      expect(fields(refused).addresses).to.equal(fields(await visitor.open(path)).addresses);
    }
  });
});

describe('The form for a new key (D72)', () => {
  let service: Composed;
  let visitor: Visitor;
  let account: AccountId;
  before(async () => {
    service = await composed();
  });
  beforeEach(async () => {
    ({ account } = await keyHolder(service));
    visitor = await visitorOf(service, account);
  });
  after(() => service.stop());

  const create = (sent: Readonly<Record<string, string>>) =>
    visitor.submit('/dashboard/keys', { seen: visitor.seen, ...sent });
  const keys = async () => (await service.parts.accounts.find(account))?.keys ?? [];

  it('takes an expiry and addresses', async () => {
    const made = await create({ label: 'ci', expiry: '2026-12-31', addresses: '203.0.113.0/24' });
    expect([made.status, KEY.test(made.html)]).to.deep.equal([201, true]);
    expect((await keys()).at(-1)).to.deep.include({
      label: 'ci',
      controls: {
        expiresAt: '2027-01-01T00:00:00.000000Z',
        allowlist: ['203.0.113.0/24'],
        limits: { perMinute: null, perDay: null },
      },
    });
  });

  it('creates no key with an error, names its line, and keeps what was typed', async () => {
    const wrong = await create({ label: 'ci', expiry: '2026-12-31', addresses: '203.0.113.0/24\nhome' });
    expect(wrong.status).to.equal(400);
    expect(wrong.text).to.include('Line 2 of the allowed addresses is no address or network');
    expect(wrong.html)
      .to.include('203.0.113.0/24\nhome</textarea>')
      .and.match(/<input id="expiry"[^>]* value="2026-12-31"/)
      .and.match(/<input id="label"[^>]* value="ci"/)
      .and.match(/<details open/);
    expect(wrong.html).to.not.match(KEY);
    const past = await create({ expiry: '2026-02-01' });
    expect([past.status, past.text.includes('Expiry must be in the future.')]).to.deep.equal([400, true]);
    expect(await keys()).to.have.length(1);
  });
});
