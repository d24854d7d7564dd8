import { expect } from 'chai';
import { applyToSubscription } from '../../../src/domain/billing/account-subscription.js';
import { recordJoin } from '../../../src/domain/sign-in/account-identities.js';
import { expectUsable } from '../../support/browser/usable-page.js';
import { auditContext } from '../../support/objects/builders.js';
import { keyHolder } from '../../support/service/composed.js';
import { does, operatorConsole } from '../../support/service/operator-console.js';
import { Visitor, visitorOf } from '../../support/service/visitor.js';

describe('Operator actions', () => {
  const { service, holder, operator, home, ofKey, ofAccount, statusNow, lastEntry, everythingNow } =
    operatorConsole();

  const lines = 'they asked for it\nticket 7';
  const acted = (event: string, key: boolean, reason = lines) => ({
    actor: 'operator',
    event,
    reason,
    key: key ? holder().key.id : null,
    at: service().clock.at,
  });

  it('hold and release a subscription', async () => {
    const person = await operator();
    const held = await does(person, ofAccount('hold'), `  ${lines.replace('\n', '\r\n')} `);
    expect(held.text).to.include('The subscription is on hold').and.include('manual hold');
    expect([await statusNow(), await lastEntry()]).to.deep.equal([402, acted('held', false)]);
    const released = await does(person, ofAccount('release'), lines);
    expect(released.text).to.include('The hold on the subscription is released.');
    expect([await statusNow(), await lastEntry()]).to.deep.equal([200, acted('released', false)]);
  });

  it('hold, release and revoke a key', async () => {
    const person = await operator();
    expect((await does(person, ofKey('hold'), lines)).text).to.include('The key is on hold');
    expect([await statusNow(), await lastEntry()]).to.deep.equal([402, acted('held', true)]);
    await does(person, ofKey('release'), lines);
    expect([await statusNow(), await lastEntry()]).to.deep.equal([200, acted('released', true)]);
    expect((await does(person, ofKey('revoke'), lines)).text).to.include('The key is revoked');
    expect([await statusNow(), await lastEntry()]).to.deep.equal([401, acted('revoked', true)]);
  });

  it('clear an abuse suspension', async () => {
    await service().parts.accounts.change(holder().account, (found) =>
      applyToSubscription(found, 'abuse_detected', auditContext(service().clock.at)),
    );
    expect(await statusNow()).to.equal(402);
    await does(await operator(), ofAccount('lift-abuse'), lines);
    expect([await statusNow(), await lastEntry()]).to.deep.equal([200, acted('abuse_cleared', false)]);
  });

  it('turn abuse detection off and on', async () => {
    const person = await operator();
    const isMonitored = async () => (await everythingNow()).account?.subscription.monitoring.isOn;
    await does(person, ofAccount('stop-watching'), 'many offices');
    const off = acted('abuse_detection_changed', false, 'off: many offices');
    expect([await isMonitored(), await lastEntry()]).to.deep.equal([false, off]);
    await does(person, ofAccount('watch'), 'moved');
    const on = acted('abuse_detection_changed', false, 'on: moved');
    expect([await isMonitored(), await lastEntry()]).to.deep.equal([true, on]);
  });

  it('end all sessions of an account and disconnect its providers', async () => {
    const person = await operator();
    const at = service().clock.at;
    const identity = { issuer: 'https://accounts.id.example/realm', subject: holder().account, joinedAt: at };
    await service().parts.identities.join(identity, holder().account, (account) =>
      recordJoin(account, identity.issuer, { actor: 'test', at }),
    );
    const other = await keyHolder(service());
    const [owner, stranger] = [
      await visitorOf(service(), holder().account),
      await visitorOf(service(), other.account),
    ];
    const shown = await person.open(home());
    expect(shown.text).to.include('accounts.id.example 12:00');
    expect((await person.open(`${home()}/audit`)).text).to.include('Identity provider connected');
    expectUsable('with an identity', shown.html);
    expect((await person.open(ofAccount('sign-out'))).text).to.include('Ends all sessions of this account');
    expect((await owner.openOnce('/dashboard/keys')).status).to.equal(200);

    const done = await person.submit(ofAccount('sign-out'), { reason: lines });
    expect(done.text).to.include('All sessions have ended').and.include('No identity provider is connected');
    expect(await lastEntry()).to.deep.equal(acted('identities_removed', false));
    expect((await owner.openOnce('/dashboard/keys')).headers.location).to.equal('/dashboard/sign-in');
    expect(await service().parts.identities.accountOf(identity)).to.equal(null);
    expect((await stranger.openOnce('/dashboard/keys')).status).to.equal(200);
    expect((await person.openOnce(home())).status).to.equal(200);
    expect(await statusNow()).to.equal(200);
  });

  it('are offered only if they change something, and explain their consequence first', async () => {
    const person = await operator();
    /** The menu and the sentence on why requests are refused may offer the same action. */
    const offered = async () => {
      const pages = [await person.open(home()), await person.open(`${home()}/keys`)];
      const links = pages.flatMap(({ html }) => [
        ...html.matchAll(/href="[^"]*?(keys\/[^"]*)?acts\/([^"]+)"/g),
      ]);
      const names = links.map(([, key, name]) => `${key === undefined ? '' : 'key '}${name}`);
      return names.filter((name, i) => names.indexOf(name) === i);
    };
    expect(await offered()).to.deep.equal([
      ...['hold', 'stop-watching', 'sign-out', 'delete'],
      ...['key hold', 'key revoke'],
    ]);
    expect((await person.open(ofKey('revoke'))).text).to.include('This cannot be undone.');
    expect((await person.openOnce(ofAccount('release'))).headers.location).to.equal(home());
    await does(person, ofAccount('hold'), 'x');
    await does(person, ofKey('revoke'), 'x');
    expect(await offered()).to.deep.equal(['release', 'stop-watching', 'sign-out', 'delete']);
  });

  it('are refused with an explanation if the account has changed since', async () => {
    const person = await operator();
    await does(person, ofKey('hold'), 'first');
    const before = await everythingNow();
    const again = await person.submit(ofKey('hold'), { reason: 'second' });
    expect(again.status).to.equal(409);
    expect(again.text).to.include('This form was already submitted').and.include('Suspended (402)');
    expect(await everythingNow()).to.deep.equal(before);
  });

  it('need a reason of at most 500 characters', async () => {
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
        expect(page.text).to.include('Reason must have 1 to 500 characters');
        expectUsable(path, page.html);
      }
    }
    await person.post(ofKey('revoke'), { form_token: person.formToken });
    expect(await everythingNow()).to.deep.equal(before);
  });

  it('redact a key in the reason (D19)', async () => {
    await does(await operator(), ofAccount('hold'), `leaked: ${holder().value}`);
    expect((await lastEntry())?.reason).to.equal('leaked: svc_[redacted]');
  });

  it('do nothing for a forged form', async () => {
    const person = await operator();
    const { formToken: foreign } = await operator();
    await person.open(ofAccount('hold'));
    const { formToken } = person;
    const before = await everythingNow();
    const site = { 'Sec-Fetch-Site': 'same-origin' };
    const forged: readonly (readonly [fields: Record<string, string>, headers: Record<string, string>])[] = [
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
      ofAccount('delete'),
      ofKey('revoke'),
      '/operator',
      '/operator/sign-out',
    ]) {
      for (const [fields, headers] of forged) {
        const answer = await person.post(path, { reason: 'forged', q: holder().value, ...fields }, headers);
        expect([path, fields, headers, answer.status]).to.deep.equal([path, fields, headers, 403]);
      }
    }
    expect(await everythingNow()).to.deep.equal(before);
    expect((await person.openOnce('/operator')).status).to.equal(200);
    const anonymous = await new Visitor(service().url).post(ofAccount('hold'), {
      reason: 'x',
      form_token: formToken,
    });
    expect(anonymous.status).to.equal(401);
    expect(await everythingNow()).to.deep.equal(before);
  });
});
