import { expect } from 'chai';
import type { ReceivedEvent } from '../../../src/application/ports/billing/payment-inbox.js';
import {
  ACCOUNTS,
  IDENTITIES,
  LINK_CUSTOMER,
  OPEN_ACCOUNT,
  PAYMENT_EVENTS,
  PAYMENT_INBOX,
  READ_PAYMENT_EVENT,
} from '../../../src/composition/parts.js';
import type { AccountId, AuditEntry } from '../../../src/domain/accounts/account.js';
import { strikeSubscription } from '../../../src/domain/billing/account-subscription.js';
import { joinIdentity } from '../../../src/domain/sign-in/identity-acts.js';
import { accepted, act } from '../../support/objects/builders.js';
import { askNews, type Composed, composed, type Holder, keyHolder } from '../../support/service/composed.js';
import { operatorOf, type PageAnswer, Visitor, visitorOf } from '../../support/service/visitor.js';

describe('The console of operators', () => {
  let service: Composed;
  let holder: Holder;
  /** Whether the processor's events can be understood by now. */
  let isUnderstood: boolean;
  before(async () => {
    service = await composed({ LOG_LEVEL: 'trace' }, ({ part }) =>
      part(READ_PAYMENT_EVENT, () => async (payload) => {
        const event = JSON.parse(payload.toString('utf8')) as Omit<ReceivedEvent, 'payload'>;
        return { ...event, fault: isUnderstood ? null : 'a word that nobody knows', payload };
      }),
    );
  });
  after(() => service.stop());
  beforeEach(async () => {
    isUnderstood = true;
    holder = await keyHolder(service);
  });

  const visitor = () => new Visitor(service.url);
  const operator = () => operatorOf(service);
  const home = (id: AccountId = holder.account) => `/operator/accounts/${id}`;
  const ofKey = (doing: string) => `${home()}/keys/${holder.key.id}/acts/${doing}`;
  const ofAccount = (doing: string) => `${home()}/acts/${doing}`;
  const statusNow = async () => (await askNews(service, holder.value)).status;
  const audit = () => service.get(ACCOUNTS).auditOf(holder.account);
  const lastEntry = async () => (await audit()).at(-1);
  const everythingNow = async () => ({
    account: await service.get(ACCOUNTS).find(holder.account),
    audit: await audit(),
  });
  /** Opens the page of an act, and does it. */
  const does = async (person: Visitor, path: string, reason: string): Promise<PageAnswer> => {
    expect((await person.open(path)).status).to.equal(200);
    return person.submit(path, { reason });
  };

  describe('finds an account', () => {
    it('by e-mail, in any case and with blanks around', async () => {
      const email = 'Some.Body@Console.Example';
      const identity = { email, plan: 'free' as const, processorCustomerId: null };
      const { id } = accepted(await service.get(OPEN_ACCOUNT)(identity, 'test'));
      const person = await operator();
      for (const q of ['some.body@console.example', ' SOME.BODY@console.example ']) {
        const form = { form_token: person.formToken, q };
        expect((await person.post('/operator', form)).headers.location).to.equal(home(id));
        await person.open('/operator');
      }
    });

    it('by the first 12 characters of a key, also where it is written as shown', async () => {
      const person = await operator();
      for (const q of [holder.key.prefix, `${holder.key.prefix}…`, `  ${holder.key.prefix}`]) {
        await person.open('/operator');
        const answer = await person.post('/operator', { form_token: person.formToken, q });
        expect([answer.status, answer.headers.location]).to.deep.equal([303, home()]);
      }
    });

    it('by a whole key, which is then in no page, address or line of the log (D19)', async () => {
      const person = await operator();
      const unknown = `${holder.value.slice(0, 5)}Zz9_-${holder.value.slice(10)}`;
      for (const q of [holder.value, unknown]) {
        const { formToken } = person;
        const answer = await person.post('/operator', { form_token: formToken, q });
        expect(`${JSON.stringify(answer.headers)} ${answer.html}`).to.not.include(q.slice(13));
        const page = await person.open(answer.headers.location ?? '/operator');
        expect(page.html).to.not.include(q.slice(13));
        const id = page.headers['x-request-id'];
        await service.line((line) => line.msg === 'request' && line['request_id'] === id);
        expect(JSON.stringify(service.lines)).to.not.include(q.slice(13));
        await person.open('/operator');
      }
    });

    it('or says that there is none, and repeats nothing of what was typed', async () => {
      const person = await operator();
      for (const q of ['nobody@console.example', 'svc_nobody12', '', `svc_${'\u0000'.repeat(8)}`]) {
        const page = await person.submit('/operator', { q });
        expect([q, page.status]).to.deep.equal([q, 404]);
        expect(page.text).to.include('No account has this e-mail address');
        if (q !== '') expect(page.html).to.not.include(q);
      }
    });

    it('or lists them, where several have a key that begins so', async () => {
      const other = await keyHolder(service);
      const { account } = other;
      accepted(
        await service.get(ACCOUNTS).change(account, (found) => ({
          next: { ...found, keys: found.keys.map((key) => ({ ...key, prefix: holder.key.prefix })) },
          entries: [],
        })),
      );
      const page = await (await operator()).submit('/operator', { q: holder.value });
      expect(page.status).to.equal(200);
      expect(page.html)
        .to.include(`href="${home()}"`)
        .and.include(`href="${home(account)}"`);
      expect(page.html).to.not.include(holder.value.slice(13));
    });
  });

  describe('shows an account', () => {
    it('with its facts, keys, use and history', async () => {
      const person = await operator();
      await statusNow();
      const page = await person.open(home());
      const stored = await service.get(ACCOUNTS).find(holder.account);
      for (const fact of [stored?.email, stored?.subscription.id, holder.account, `${holder.key.prefix}…`]) {
        expect(page.text).to.include(fact ?? 'a fact');
      }
      expect(page.text).to.match(/per minute 3,000 1 /);
      expect(page.text).to.include('Nothing stands on the subscription.').and.include('A key was issued');
      for (const secret of [holder.value, holder.key.hash]) expect(page.html).to.not.include(secret);
    });

    it('in parts, where there is much of its history', async () => {
      const person = await operator();
      const entry = (i: number): AuditEntry => ({
        ...{ at: service.clock.at, actor: 'test', event: 'held', key: null },
        reason: `reason number ${i}. ${'&'.repeat(400)}`,
      });
      const entries = Array.from({ length: 130 }, (_, i) => entry(i));
      accepted(await service.get(ACCOUNTS).change(holder.account, (next) => ({ next, entries })));
      const seen: string[] = [];
      let next: string | undefined = home();
      while (next !== undefined) {
        const page: PageAnswer = await person.open(next);
        expect(page.body.length, next).to.be.lessThan(100_000);
        seen.push(...[...page.text.matchAll(/reason number (\d+)\./g)].map(([, number]) => number ?? ''));
        next = /href="([^"]*\?before=\d+)"/.exec(page.html)?.[1];
      }
      expect(seen).to.deep.equal(Array.from({ length: 130 }, (_, i) => String(129 - i)));
    });

    it('whatever people wrote in it, as text', async () => {
      const person = await operator();
      const page = await does(person, ofAccount('hold'), '<script>alert(1)</script>');
      expect(page.html).to.include('&lt;script>alert');
      expect(page.html).to.not.include('<script>alert');
    });

    it('that is there; others are nothing', async () => {
      const person = await operator();
      for (const path of [
        home('nobody' as AccountId),
        `${home()}/acts/erase`,
        `${home()}/keys/k/acts/hold`,
      ]) {
        expect((await person.open(path)).status, path).to.equal(404);
      }
      const stranger = await keyHolder(service);
      const path = `${home()}/keys/${stranger.key.id}/acts/revoke`;
      await person.open(home());
      expect((await person.submit(path, { reason: 'not theirs' })).status).to.equal(404);
      expect((await askNews(service, stranger.value)).status).to.equal(200);
    });

    it('on pages that can be used by everybody: labels, captions, headings in order, ids once', async () => {
      const person = await operator();
      const paths = ['/operator', home(), `${home()}/audit`, '/operator/payment-events', ofAccount('hold')];
      for (const path of [...paths, ofKey('revoke')]) expectUsable(path, (await person.open(path)).html);
      expectUsable('the sign-in', (await visitor().open('/operator/sign-in')).html);
    });
  });

  describe('acts', () => {
    const lines = 'they asked for it\nticket 7';
    const acted = (event: string, key: boolean, reason = lines) => ({
      actor: 'operator',
      event,
      reason,
      key: key ? holder.key.id : null,
      at: service.clock.at,
    });

    it('hold and release a subscription', async () => {
      const person = await operator();
      const held = await does(person, ofAccount('hold'), `  ${lines.replace('\n', '\r\n')} `);
      expect(held.text).to.include('The subscription is held').and.include('manual hold');
      expect([await statusNow(), await lastEntry()]).to.deep.equal([402, acted('held', false)]);
      const released = await does(person, ofAccount('release'), lines);
      expect(released.text).to.include('The hold on the subscription is lifted.');
      expect([await statusNow(), await lastEntry()]).to.deep.equal([200, acted('released', false)]);
    });

    it('hold, release and revoke a key', async () => {
      const person = await operator();
      expect((await does(person, ofKey('hold'), lines)).text).to.include('The key is held');
      expect([await statusNow(), await lastEntry()]).to.deep.equal([402, acted('held', true)]);
      await does(person, ofKey('release'), lines);
      expect([await statusNow(), await lastEntry()]).to.deep.equal([200, acted('released', true)]);
      expect((await does(person, ofKey('revoke'), lines)).text).to.include('The key is revoked');
      expect([await statusNow(), await lastEntry()]).to.deep.equal([401, acted('revoked', true)]);
    });

    it('lift an abuse trip', async () => {
      await service
        .get(ACCOUNTS)
        .change(holder.account, (found) =>
          strikeSubscription(found, 'abuse_detected', act(service.clock.at)),
        );
      expect(await statusNow()).to.equal(402);
      await does(await operator(), ofAccount('lift-abuse'), lines);
      expect([await statusNow(), await lastEntry()]).to.deep.equal([200, acted('abuse_cleared', false)]);
    });

    it('turn the detection of abuse off, and on again', async () => {
      const person = await operator();
      const watch = async () => (await everythingNow()).account?.subscription.watch.isOn;
      await does(person, ofAccount('stop-watching'), 'many offices');
      const off = acted('abuse_detection_changed', false, 'off: many offices');
      expect([await watch(), await lastEntry()]).to.deep.equal([false, off]);
      await does(person, ofAccount('watch'), 'moved');
      const on = acted('abuse_detection_changed', false, 'on: moved');
      expect([await watch(), await lastEntry()]).to.deep.equal([true, on]);
    });

    it('end all sessions of an account, and forget its identities', async () => {
      const person = await operator();
      const at = service.clock.at;
      const identity = { issuer: 'https://accounts.id.example/realm', subject: holder.account, joinedAt: at };
      await service
        .get(IDENTITIES)
        .join(identity, holder.account, (account) =>
          joinIdentity(account, identity.issuer, { actor: 'test', at }),
        );
      const other = await keyHolder(service);
      const [owner, stranger] = [
        await visitorOf(service, holder.account),
        await visitorOf(service, other.account),
      ];
      const shown = await person.open(home());
      expect(shown.text)
        .to.include('accounts.id.example 1 March 2026')
        .and.include('First sign-in with a provider');
      expectUsable('with an identity', shown.html);
      expect((await person.open(ofAccount('sign-out'))).text).to.include('Everybody who is signed in');
      expect((await owner.glance('/dashboard/keys')).status).to.equal(200);

      const done = await person.submit(ofAccount('sign-out'), { reason: lines });
      expect(done.text).to.include('All sessions of the account are ended').and.include('by nothing else');
      expect(await lastEntry()).to.deep.equal(acted('identities_removed', false));
      expect((await owner.glance('/dashboard/keys')).headers.location).to.equal('/dashboard/sign-in');
      expect(await service.get(IDENTITIES).accountOf(identity)).to.equal(null);
      expect((await stranger.glance('/dashboard/keys')).status).to.equal(200);
      expect((await person.glance(home())).status).to.equal(200);
      expect(await statusNow()).to.equal(200);
    });

    it('are offered where they make sense, and say before what they do', async () => {
      const person = await operator();
      const offered = async () =>
        [...(await person.open(home())).html.matchAll(/href="[^"]*?(keys\/[^"]*)?acts\/([^"]+)"/g)].map(
          ([, key, name]) => `${key === undefined ? '' : 'key '}${name}`,
        );
      expect(await offered()).to.deep.equal(['hold', 'stop-watching', 'sign-out', 'key hold', 'key revoke']);
      expect((await person.open(ofKey('revoke'))).text).to.include('This cannot be taken back.');
      expect((await person.glance(ofAccount('release'))).headers.location).to.equal(home());
      await does(person, ofAccount('hold'), 'x');
      await does(person, ofKey('revoke'), 'x');
      expect(await offered()).to.deep.equal(['release', 'stop-watching', 'sign-out']);
    });

    it('that came too late are refused in words', async () => {
      const person = await operator();
      await does(person, ofKey('hold'), 'first');
      const before = await everythingNow();
      const again = await person.submit(ofKey('hold'), { reason: 'second' });
      expect(again.status).to.equal(409);
      expect(again.text).to.include('That form was sent once already').and.include('on hold: 402');
      expect(await everythingNow()).to.deep.equal(before);
    });

    it('need a reason, of at most 500 characters', async () => {
      const person = await operator();
      const before = await everythingNow();
      for (const reason of ['', ' \r\n ', 'x'.repeat(501), 'a\u0000b', 'a\tb']) {
        for (const path of [
          ...['hold', 'stop-watching', 'sign-out'].map(ofAccount),
          ...['hold', 'revoke'].map(ofKey),
        ]) {
          await person.open(path);
          const page = await person.submit(path, { reason });
          expect([path, page.status]).to.deep.equal([path, 400]);
          expect(page.text).to.include('reason: must have 1 to 500 characters');
          expectUsable(path, page.html);
        }
      }
      await person.post(ofKey('revoke'), { form_token: person.formToken });
      expect(await everythingNow()).to.deep.equal(before);
    });

    it('keep no key that was pasted into a reason (D19)', async () => {
      await does(await operator(), ofAccount('hold'), `leaked: ${holder.value}`);
      expect((await lastEntry())?.reason).to.equal('leaked: svc_[redacted]');
    });

    it('with a forged form do nothing', async () => {
      const person = await operator();
      const { formToken: foreign } = await operator();
      await person.open(ofAccount('hold'));
      const { formToken } = person;
      const before = await everythingNow();
      const site = { 'Sec-Fetch-Site': 'same-origin' };
      const forged: readonly (readonly [fields: Record<string, string>, headers: Record<string, string>])[] =
        [
          [{}, site],
          [{ form_token: '' }, site],
          [{ form_token: foreign }, site],
          [{ form_token: formToken }, { 'Sec-Fetch-Site': 'cross-site' }],
          [{ form_token: formToken }, { 'Sec-Fetch-Site': 'same-site' }],
          [{ form_token: formToken }, { Origin: 'https://elsewhere.example' }],
        ];
      for (const path of [
        ofAccount('hold'),
        ofAccount('sign-out'),
        ofKey('revoke'),
        '/operator',
        '/operator/sign-out',
      ]) {
        for (const [fields, headers] of forged) {
          const answer = await person.post(path, { reason: 'forged', q: holder.value, ...fields }, headers);
          expect([path, fields, headers, answer.status]).to.deep.equal([path, fields, headers, 403]);
        }
      }
      expect(await everythingNow()).to.deep.equal(before);
      expect((await person.glance('/operator')).status).to.equal(200);
      const anonymous = await visitor().post(ofAccount('hold'), { reason: 'x', form_token: formToken });
      expect(anonymous.status).to.equal(401);
      expect(await everythingNow()).to.deep.equal(before);
    });
  });

  describe('replays a payment event', () => {
    let customers = 0;
    const paused = (customer: string) => ({
      id: `evt_${customer}`,
      type: 'customer.subscription.updated',
      at: service.clock.at,
      customer,
      link: null,
      fact: {
        kind: 'subscription' as const,
        subscription: `sub_${customer}`,
        startedAt: service.clock.at,
        status: 'paused' as const,
        plan: null,
        terms: { trialEndsAt: null, periodEndsAt: null },
      },
      fault: null,
    });
    const received = async () => {
      customers += 1;
      const customer = `cus_console_${customers}`;
      accepted(await service.get(LINK_CUSTOMER)(holder.account, customer, null, 'test'));
      isUnderstood = false;
      const payload = Buffer.from(JSON.stringify(paused(customer)));
      const event = await service.get(READ_PAYMENT_EVENT)(payload);
      expect((await service.get(PAYMENT_EVENTS).receive(event)).state).to.equal('failed');
      return { id: event.id, path: `/operator/payment-events/${event.id}` };
    };

    it('that failed, once it can be understood; the reason is in the log of the account', async () => {
      const { id, path } = await received();
      const person = await operator();
      expect((await person.open('/operator/payment-events')).html).to.include(`href="${path}"`);
      expect((await person.open(path)).text).to.include('a word that nobody knows');
      isUnderstood = true;
      const page = await person.submit(`${path}/replay`, { reason: 'understood by now' });
      expect(page.text).to.include('The payment event was replayed, and is applied.').and.include(id);
      expect(await statusNow()).to.equal(402);
      expect(await lastEntry()).to.deep.equal({
        actor: 'operator',
        event: 'payment_event_replayed',
        reason: `${id}: understood by now`,
        key: null,
        at: service.clock.at,
      });
      expect((await person.open(path)).html).to.not.include('/replay"');
      expect((await person.open(home())).html).to.include(`href="${path}"`);

      // Of an event whose account is known it is written before, so that nothing is done unnoted.
      isUnderstood = false;
      await person.submit(`${path}/replay`, { reason: 'once more' });
      expect((await lastEntry())?.reason).to.equal(`${id}: once more`);
    });

    it('that fails again, and says so', async () => {
      const { path } = await received();
      const person = await operator();
      await person.open(path);
      const page = await person.submit(`${path}/replay`, { reason: 'try' });
      expect(page.text).to.include('and failed again').and.include('a word that nobody knows');
      expect(await statusNow()).to.equal(200);
    });

    it('with a reason, and from its own form', async () => {
      const { id, path } = await received();
      const person = await operator();
      await person.open(path);
      const before = await everythingNow();
      isUnderstood = true;
      expect((await person.submit(`${path}/replay`, { reason: ' ' })).status).to.equal(400);
      expect((await person.post(`${path}/replay`, { reason: 'forged' })).status).to.equal(403);
      expect(await everythingNow()).to.deep.equal(before);
      expect((await service.get(PAYMENT_INBOX).find(id))?.state).to.equal('failed');
      expect((await person.glance('/operator/payment-events/evt_nobody')).status).to.equal(404);
      await person.open(path);
      const nobody = await person.submit('/operator/payment-events/evt_nobody/replay', { reason: 'x' });
      expect(nobody.status).to.equal(404);
    });
  });
});

/** What can be seen of a page's use to everybody without a browser. */
function expectUsable(path: string, html: string): void {
  const all = (pattern: RegExp) => [...html.matchAll(pattern)].map(([, found]) => found ?? '');
  expect(html.length, path).to.be.lessThan(100_000);
  const ids = all(/ id="([^"]+)"/g);
  expect(ids, path).to.deep.equal([...new Set(ids)]);
  for (const named of all(/ aria-(?:describedby|labelledby)="([^"]+)"/g).flatMap((list) => list.split(' '))) {
    expect(ids, path).to.include(named);
  }
  const labelled = all(/<label for="([^"]+)"/g);
  const controls = [...html.matchAll(/<(?:input|textarea|select)[^>]*>/g)]
    .map(([tag]) => tag)
    .filter((tag) => !tag.includes('type="hidden"'));
  for (const tag of controls) expect(labelled, `${path} ${tag}`).to.include(/ id="([^"]+)"/.exec(tag)?.[1]);
  const levels = all(/<h([1-6])/g).map(Number);
  expect(levels[0], path).to.equal(1);
  levels.forEach((level, i) => {
    expect(level, path).to.be.at.most((levels[i - 1] ?? 0) + 1);
  });
  expect(all(/<table[^>]*>(.{9})/g), path).to.satisfy((starts: readonly string[]) =>
    starts.every((start) => start === '<caption>'),
  );
  expect(html.match(/<th(?! scope=)[ >]/g), path).to.equal(null);
  expect(html.match(/<main/g), path).to.have.length(1);
  expect(html.match(/ style=|<style|<script(?![^>]* src=)/g), path).to.equal(null);
}
