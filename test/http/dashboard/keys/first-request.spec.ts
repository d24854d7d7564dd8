import { expect } from 'chai';
import type { Reason } from '../../../../src/domain/accounts/reason.js';
import { keyHolder, requestNews } from '../../../support/service/composed.js';
import { signedInHolder, Visitor, visitorOf } from '../../../support/service/visitor.js';

const JSON_ONLY = { Accept: 'application/json' };

describe('The first request with a new key', () => {
  const { service, holder, visitor } = signedInHolder();
  const path = () => `/dashboard/keys/${holder().key.id}/first-request`;
  const asked = async (): Promise<{ readonly state: string; readonly text: string }> =>
    (await visitor().open(path(), JSON_ONLY)).json();

  it('is waited for on the page of the new key, which has one main button and a link without script', async () => {
    await visitor().open('/dashboard/keys');
    const made = await visitor().submit('/dashboard/keys', { seen: visitor().seen });
    expect(made.text).to.include('Waiting for your first request… Check').and.include('Done');
    expect(made.html).to.match(
      /data-asks="(\/dashboard\/keys\/[^"]+\/first-request)".*href="\1" target="_blank"/s,
    );
    const main = made.html.slice(made.html.indexOf('<main'));
    const buttons = [...main.matchAll(/<(?:button|a)[^>]*>/g)].map(([tag]) => tag);
    const primary = buttons.filter((tag) => /^<button/.test(tag) || tag.includes('class="button"'));
    expect(primary.filter((tag) => !/plain|danger/.test(tag))).to.have.length(1);
  });

  it('is reported as refused, and then with the status and the time of the answer', async () => {
    expect(await asked()).to.deep.equal({ state: 'waiting', text: 'Waiting for your first request…' });
    await service().parts.hold.onSubscription(holder().account, 'held', 'a test' as Reason, 'operator');
    await requestNews(service(), holder().value);
    expect((await asked()).state).to.equal('refused');
    expect((await visitor().open(path())).text)
      .to.include('answered with an error (4xx)')
      .and.include('Check again');
    await service().parts.hold.onSubscription(holder().account, 'released', 'a test' as Reason, 'operator');
    expect((await requestNews(service(), holder().value)).status).to.equal(200);
    expect(await asked()).to.deep.equal({ state: 'answered', text: '✓ 200 at 12:00 UTC' });
    const page = await visitor().open(path());
    expect(page.text).to.include('✓ 200 at 12:00 UTC').and.not.include('Check again');
    expect(page.html).not.to.include(holder().value);
  });

  it('is told to nobody without a session, and to nobody with another account', async () => {
    const stranger = await new Visitor(service().url).openOnce(path());
    expect([stranger.status, stranger.headers['location']]).to.deep.equal([303, '/dashboard/sign-in']);
    const other = await visitorOf(service(), (await keyHolder(service())).account);
    expect((await other.open(path(), JSON_ONLY)).status).to.equal(404);
  });
});
