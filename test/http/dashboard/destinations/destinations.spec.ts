import { expect } from 'chai';
import type { Reason } from '../../../../src/domain/accounts/reason.js';
import {
  destinationPages,
  HOOK,
  PATH,
  secretIn,
  tokenIn,
} from '../../../support/destinations/destination-pages.js';
import { publish, START } from '../../../support/service/composed.js';
import { until } from '../../../support/until.js';

describe('The Destinations page', () => {
  const { service, holder, of, create, mails, mailServer } = destinationPages();

  it('shows the secret of a new webhook once, and then tests it', async () => {
    const { account, visitor } = await holder();
    const made = await create(visitor, {
      kind: 'webhook',
      address: HOOK,
      filter: '?category=politics&q=rain',
    });
    const secret = secretIn(made);
    expect([made.status, made.headers['cache-control'], secret]).to.deep.equal([201, 'no-store', secret]);
    expect(secret).to.have.length(50);
    expect(made.text).to.include('shown only once').and.include('Send a test');

    const list = await visitor.open(PATH);
    expect(list.text)
      .to.include('Desk Webhook hooks.example.org …1f2c category: politics · q: rain Waiting for a test')
      .and.include('1 of 5 destinations on the Builder plan.');
    expect(list.html).not.to.include(secret).and.not.include('/in/1f2c');
    expect(JSON.stringify([await of(account), service().lines])).not.to.include(secret.slice(6));
    expect(JSON.stringify([await of(account), service().lines])).not.to.include('/in/1f2c');
  });

  it('leads from the search of a market to a form with its filter', async () => {
    const { visitor } = await holder();
    await publish(service(), 'harbour');
    expect((await visitor.open(PATH)).html).to.include('action="/dashboard/markets"');
    const market = '/dashboard/markets/s-harbour';
    await until(true, async () => (await visitor.open(market)).text.includes('Send its news'));
    const [, link = ''] = /href="([^"]+)">Send its news/.exec((await visitor.open(market)).html) ?? [];
    expect((await visitor.open(link)).html).to.match(
      /<input[^>]*id="filter"[^>]*value="market_id=s-harbour"/,
    );
  });

  it('creates one destination if the form is submitted again', async () => {
    const { account, visitor } = await holder();
    await visitor.open(PATH);
    const fields = { seen: '', label: 'Desk', kind: 'webhook', address: HOOK };
    expect((await visitor.submit(PATH, fields)).status).to.equal(201);
    await visitor.open(PATH);
    const again = await visitor.submit(PATH, fields);
    expect([again.status, secretIn(again)]).to.deep.equal([409, '']);
    expect(again.text).to.include('This form was already submitted');
    expect(await of(account)).to.have.length(1);
  });

  it('shows the address of a new feed once, of which only the hash is stored (D67)', async () => {
    const { account, visitor } = await holder();
    const made = await create(visitor, { kind: 'feed' });
    const token = tokenIn(made);
    expect(made.html).to.include(`${service().parts.publicAddress.url()}/feeds/${token}.atom<`);
    expect(JSON.stringify(await of(account))).not.to.include(token);
    const stored = await service().parts.destinations.findByToken(service().parts.secrets.hash(token));
    expect(stored?.destination.account).to.equal(account);
    const list = await visitor.open(PATH);
    expect(list.text).to.include('Atom feed Address with a token, shown once Everything Active');
    expect(list.html).not.to.include(token);
  });

  it('creates a destination for Slack, which is to be tested first', async () => {
    const { account, visitor } = await holder();
    const made = await create(visitor, {
      kind: 'slack',
      address: 'https://hooks.slack.com/services/T0/B0/f3Qz',
    });
    expect(made.text).to.include('Send a test').and.not.include('secret');
    expect((await of(account))[0]?.state.status).to.equal('paused');
  });

  it('sends emails to the address of the account at once', async () => {
    const { account, email, visitor } = await holder();
    const made = await create(visitor, { kind: 'email', address: email.toUpperCase() });
    expect(made.text).to.include(`Emails to ${email} begin with the next change.`);
    expect([(await of(account))[0]?.state.status, mails.some(({ to }) => to === email)]).to.deep.equal([
      'active',
      false,
    ]);
  });

  it('asks the owner of any other mailbox by an email, and sends nothing before (D67)', async () => {
    const { account, email, visitor } = await holder();
    const made = await create(visitor, { kind: 'email', address: 'desk@other.example' });
    expect(made.text).to.include('We sent a link to this mailbox.');
    const [mail] = mails.filter(({ to }) => to === 'desk@other.example');
    expect([mail?.account, mail?.endsAt]).to.deep.equal([email, '2026-03-08T12:00:10.000000Z']);
    const [destination] = await of(account);
    expect(destination?.state).to.deep.equal({ status: 'paused', at: START });
    expect((await visitor.open(PATH)).text).to.include('Waiting for confirmation');
    // Neither a test nor a delivery that was sent before reaches the mailbox.
    const path = `${PATH}/${destination?.id}`;
    expect((await visitor.open(path)).text).not.to.include('Send a test');
    await visitor.submit(`${path}/test`);
    expect((await visitor.submit(`${path}/deliveries`, { delivery: 'msg_1' })).text).to.include(
      'must first open the link',
    );
    const { destinations } = service().parts;
    expect(await destinations.deliveries(destination?.id ?? expect.fail())).to.deep.equal([]);
  });

  it('says if the email was not accepted, and sends at most 5 in an hour', async () => {
    const { account, visitor } = await holder('pro');
    mailServer.delivery = 'refused';
    const made = await create(visitor, { kind: 'email', address: 'one@limits.example' });
    expect(made.text).to.include('The mail server did not accept the email');
    mailServer.delivery = 'sent';
    const [destination] = await of(account);
    const again = () => visitor.submit(`${PATH}/${destination?.id}/confirmation`);
    for (const _ of [2, 3, 4, 5]) expect((await again()).text).to.include('We sent a link to this mailbox.');
    const tooMany = await again();
    expect([tooMany.status, Number(tooMany.headers['retry-after']) > 0]).to.deep.equal([429, true]);
    expect((await create(visitor, { kind: 'email', address: 'two@limits.example' })).status).to.equal(429);
    expect(await of(account)).to.have.length(1);
    expect(mails.filter(({ to }) => to.endsWith('@limits.example'))).to.have.length(5);
  });

  it('shows all faults of a form with what was typed, and creates nothing', async () => {
    const { account, visitor } = await holder();
    const refused = await create(visitor, {
      label: 'x'.repeat(65),
      kind: 'slack',
      address: 'https://example.org/<1>',
      filter: 'limit=5',
    });
    expect(refused.status).to.equal(400);
    expect(refused.text)
      .to.include('Label must have 1 to 64 characters')
      .and.include('Url must have the host hooks.slack.com or discord.com.')
      .and.include('Limit is no filter.');
    expect(refused.html)
      .to.include('value="https://example.org/&lt;1>"')
      .and.match(/<input [^>]*value="slack" checked/)
      .and.match(/<details [^>]*open/);
    const key = `svc_${'a'.repeat(42)}A`;
    for (const [fields, text] of [
      [{ kind: 'email', address: 'nobody' }, 'must be an email address'],
      [{ kind: 'webhook', address: 'http://10.0.0.1/' }, 'must start with https://'],
      [{ kind: 'feed', filter: `q=${key}` }, 'must not contain an API key'],
      [{ kind: 'feed', filter: `q=${'x'.repeat(4_000)}` }, 'must have at most 4000 characters'],
    ] as const) {
      const page = await create(visitor, fields);
      expect([page.status, page.text.includes(text)], page.text).to.deep.equal([400, true]);
    }
    expect(await of(account)).to.deep.equal([]);
  });

  it('has a closed form once there is a destination, which a link with a filter opens', async () => {
    const { visitor } = await holder();
    const open = /<details [^>]*open[^>]*><summary>Add a destination/;
    expect((await visitor.open(PATH)).html).to.match(open);
    await create(visitor, { kind: 'feed' });
    expect((await visitor.open(PATH)).html)
      .to.include('<summary>Add a destination')
      .and.not.match(open);
    expect((await visitor.open(`${PATH}?filter=q%3Drain`)).html).to.match(open);
  });

  it('has no form once the plan has no destination left', async () => {
    const { account, visitor } = await holder('free');
    await create(visitor, { kind: 'feed' });
    const page = await visitor.open(PATH);
    expect(page.text)
      .to.include('1 of 1 destination on the Free plan. The plan limit of 1 destination is reached.')
      .and.not.include('Create destination');
    const refused = await visitor.submit(PATH, {
      seen: (await of(account))[0]?.id ?? '',
      label: 'b',
      kind: 'feed',
    });
    expect(refused.status).to.equal(409);
    expect(await of(account)).to.have.length(1);
  });

  it('says that nothing is delivered while the account is on hold', async () => {
    const { account, visitor } = await holder();
    await create(visitor, { kind: 'feed' });
    const text = 'Nothing is delivered until requests with your keys are accepted again.';
    expect((await visitor.open(PATH)).text).not.to.include(text);
    await service().parts.hold.onSubscription(account, 'held', 'a test' as Reason, 'operator');
    expect((await visitor.open(PATH)).text).to.include(text);
  });

  it('takes nothing but the filter from a link', async () => {
    const { visitor } = await holder();
    const page = await visitor.open(
      `${PATH}?filter=q%3Drain&address=https://evil.example&label=evil&kind=feed`,
    );
    expect(page.html)
      .to.match(/name="q"[^>]*value="rain"/)
      .and.not.include('evil');
  });

  it('has the filters of the feed as fields, and all others as a text', async () => {
    const { account, visitor } = await holder();
    const made = await create(visitor, {
      ...{ kind: 'feed', q: ' rain ', category: 'politics,weather', source_tier: 't1', relevance: '' },
      filter: '?market=m-1&effect=weakens',
    });
    expect(made.status).to.equal(201);
    const [{ id, filter } = expect.fail('no destination')] = await of(account);
    expect([...new URLSearchParams(filter)].map((pair) => pair.join('='))).to.deep.equal([
      ...['market=m-1', 'effect=weakens', 'q=rain', 'category=politics,weather', 'source_tier=t1'],
    ]);
    const { html } = await visitor.open(`${PATH}/${id}`);
    for (const field of [
      /name="q"[^>]*value="rain"/,
      /name="category"[^>]*value="politics,weather"/,
      /name="filter"[^>]*value="market=m-1"/,
      /<option value="t1" selected/,
      /<option value="weakens" selected/,
    ])
      expect(html).to.match(field);
  });

  it('keeps a filter with several values, or of no known name, as a text', async () => {
    const { visitor } = await holder();
    const typed = 'source_tier=t1&source_tier=t2&x=1';
    const refused = await visitor.submit(PATH, { seen: '', label: 'Desk', kind: 'feed', filter: typed });
    expect(refused.status).to.equal(400);
    expect(refused.html)
      .to.include(`value="${typed.replaceAll('&', '&amp;')}"`)
      .and.not.include('selected');
  });

  it('begins with the filter of the page that leads to it', async () => {
    const { visitor } = await holder();
    await publish(service(), 'ne_linked');
    const feed = await visitor.open('/dashboard/feed?market=s-ne_linked');
    const link = /href="(\/dashboard\/destinations\?filter=[^"]+)"/.exec(feed.html)?.[1] ?? '';
    const page = await visitor.open(link.replaceAll('&amp;', '&').replace(/#.*/, ''));
    expect(page.html).to.include('value="market=s-ne_linked"');
  });

  it('allows 100 changes in an hour, since each is kept in the audit log', async () => {
    const { visitor, account } = await holder();
    await create(visitor, { kind: 'feed' });
    const [destination] = await of(account);
    const token = visitor.formToken;
    const pause = () => visitor.post(`${PATH}/${destination?.id}/pause`, { form_token: token });
    for (let changes = 1; changes < 100; changes += 1) expect((await pause()).status).to.equal(303);
    expect((await pause()).status).to.equal(429);
  });
});

describe('The Destinations page of a service without SECRETS_KEY', () => {
  const { holder, of } = destinationPages({}, () => ({ sealing: () => null }));

  it('says what the operator must set, and creates nothing', async () => {
    const { account, visitor } = await holder();
    const page = await visitor.open(PATH);
    expect(page.text)
      .to.include('the operator must first set SECRETS_KEY')
      .and.not.include('Create destination');
    expect((await visitor.submit(PATH, { label: 'Desk', kind: 'feed' })).status).to.equal(409);
    expect(await of(account)).to.deep.equal([]);
    expect((await visitor.open(`${PATH}/unsubscribe?destination=dst_1&token=x`)).status).to.equal(404);
  });
});
