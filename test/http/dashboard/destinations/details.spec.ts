import { expect } from 'chai';
import type { OutgoingRequest } from '../../../../src/application/ports/destinations/outgoing.js';
import type { WebhookSecret } from '../../../../src/application/ports/destinations/webhook-signer.js';
import type { DeliveryId } from '../../../../src/domain/destinations/destination.js';
import { HOUR, plus } from '../../../../src/domain/moment.js';
import {
  answered,
  destinationPages,
  HOOK,
  PATH,
  secretIn,
} from '../../../support/destinations/destination-pages.js';
import { deliveryEntry, stepOf } from '../../../support/destinations/destinations.js';
import { publish, START } from '../../../support/service/composed.js';

describe('The page of a destination', () => {
  const pages = destinationPages();
  const { service, webhook, network, requests, tests } = pages;
  const signaturesOf = (
    { headers, body }: Pick<OutgoingRequest, 'headers' | 'body'>,
    ...[first, ...others]: readonly [string, ...string[]]
  ) => {
    const delivery = { id: headers['webhook-id'] ?? '', at: START, body };
    const secrets = [first, ...others] as unknown as readonly [WebhookSecret, ...WebhookSecret[]];
    return service().parts.webhookSigner.headers(delivery, secrets)['webhook-signature'];
  };

  it('sends a signed test, shows how it was answered, and is then active (D71)', async () => {
    const { account, visitor, created, path, now } = await webhook();
    const { url, headers, body } = tests().at(-1) ?? expect.fail();
    expect(url).to.equal(HOOK);
    expect(signaturesOf({ headers, body }, secretIn(created))).to.equal(headers['webhook-signature']);
    expect((await now())?.state.status).to.equal('active');
    const page = await visitor.open(`${path}?said=tested`);
    expect(page.text)
      .to.include('The test of 1 March 2026, 12:00 UTC: Answered 204, after 7 ms.')
      .and.include('Status Active Kind Webhook To hooks.example.org …1f2c')
      .and.include('12:00 Test Answered 204 7 ms 0 None');
    const entries = await service().parts.accounts.auditOf(account);
    expect(entries.slice(-2).map(({ event, actor }) => [event, actor])).to.deep.equal([
      ['destination_created', 'customer'],
      ['destination_changed', 'customer'],
    ]);
  });

  it('explains a test that was not answered with 2xx', async () => {
    const owner = await pages.holder();
    await pages.create(owner.visitor, { kind: 'webhook', address: HOOK });
    const path = `${PATH}/${(await pages.of(owner.account))[0]?.id}`;
    network.outcome = answered(302);
    const moved = await owner.visitor.submit(`${path}/test`);
    expect(moved.text).to.include(
      'Answered 302, after 7 ms. Deliveries need an answer with a status from 200 to 299.',
    );
    network.outcome = { answered: false, why: 'address_not_allowed', ms: 3 };
    const inside = await owner.visitor.submit(`${path}/test`);
    expect(inside.text).to.include('The host has an address that is not public, after 3 ms.');
    expect(inside.text).to.include('Waiting for a test').and.not.include('Enable');
  });

  it('sends at most 10 tests in an hour (D71)', async () => {
    const { visitor, path } = await webhook();
    for (let tests = 1; tests < 10; tests += 1) await visitor.submit(`${path}/test`);
    const tooMany = await visitor.submit(`${path}/test`);
    expect([tooMany.status, Number(tooMany.headers['retry-after']) > 0]).to.deep.equal([429, true]);
  });

  it('pauses and enables', async () => {
    const { visitor, path, now } = await webhook();
    const paused = await visitor.submit(`${path}/pause`);
    expect(paused.text).to.include('The destination is paused.').and.include('Paused since 12:00.');
    expect(paused.html).not.to.include(`${path}/pause"`);
    expect((await visitor.submit(`${path}/enabling`)).text).to.include('The destination is enabled.');
    expect((await now())?.state.status).to.equal('active');
  });

  it('says since when it fails, how often, and when it is tried again', async () => {
    const { account, visitor, path } = await webhook();
    const { destinations, heldJobs } = service().parts;
    const [stored] = await destinations.of(account);
    await heldJobs.renew();
    const state = { status: 'failing', since: START, tries: 3, nextAt: plus(START, HOUR) } as const;
    await destinations.record(heldJobs.holder, [stepOf(stored ?? expect.fail(), { state })]);
    expect((await visitor.open(path)).text).to.include(
      'Failing since 12:00, 3 failed tries. Next try: 13:00.',
    );
  });

  it('is not enabled by its owner if an operator disabled it, neither by a test', async () => {
    const { account, visitor, path, now } = await webhook();
    const { changeDestination } = service().parts;
    const action = { event: 'disabled', cause: 'operator', reason: 'a complaint <1>' } as const;
    await changeDestination(account, (await now())?.id ?? expect.fail(), action, { actor: 'operator' });
    const page = await visitor.open(path);
    expect(page.text).to.include('We disabled it. Contact us to have it enabled. Reason: a complaint <1>');
    expect(page.text).not.to.include('Enable').and.not.include('Send a test');
    const before = tests().length;
    for (const name of ['enabling', 'test']) await visitor.submit(`${path}/${name}`);
    expect([(await now())?.state.status, tests().length]).to.deep.equal(['disabled', before]);
  });

  it('shows a new secret once, and until when the old one signs, too (D68)', async () => {
    const { visitor, created, path } = await webhook();
    const rotated = await visitor.submit(`${path}/secret`);
    const secret = secretIn(rotated);
    expect([rotated.status, secret.length, secret === secretIn(created)]).to.deep.equal([201, 50, false]);
    expect(rotated.text).to.include('two signatures until 2 Mar, 12:00');
    const page = await visitor.open(path);
    expect(page.text).to.include('Old secret Signs, too, until 2 Mar, 12:00');
    expect(secretIn(page)).to.equal('');
    await visitor.submit(`${path}/test`);
    const { headers, body } = tests().at(-1) ?? expect.fail();
    expect(signaturesOf({ headers, body }, secret, secretIn(created))).to.equal(headers['webhook-signature']);
  });

  it('changes label and filter, and shows what was typed if they are refused', async () => {
    const { visitor, path, now } = await webhook();
    const saved = await visitor.submit(`${path}/settings`, { label: 'Other', filter: 'q=a b&market=m1' });
    expect(saved.text).to.include('The label and the filter are saved.').and.include('q: a b · market: m1');
    expect(await now()).to.deep.include({ label: 'Other', filter: 'q=a+b&market=m1' });
    for (const fields of [
      { label: '', filter: '' },
      { label: 'Third <1>', filter: 'cursor=1' },
    ]) {
      const refused = await visitor.submit(`${path}/settings`, fields);
      expect([refused.status, refused.html.includes('role="alert"')]).to.deep.equal([400, true]);
    }
    expect((await visitor.submit(`${path}/settings`, { label: 'Third <1>', filter: 'x=1' })).html).to.include(
      'value="Third &lt;1>"',
    );
    expect((await now())?.label).to.equal('Other');
  });

  it('is removed after one question', async () => {
    const { visitor, path, now } = await webhook();
    const asked = await visitor.open(`${path}/removal`);
    expect(asked.text).to.include('Nothing is delivered any more.').and.include('This cannot be undone.');
    expect(await now()).not.to.equal(undefined);
    const list = await visitor.submit(`${path}/removal`);
    expect(list.text).to.include('The destination is removed.').and.include('You have no destinations yet.');
    expect((await visitor.open(path)).status).to.equal(404);
    expect((await visitor.submit(`${path}/pause`)).status).to.equal(404);
  });

  it('delivers a listed delivery again, under its id and for a request of the quota (D71)', async () => {
    const { visitor, path, now } = await webhook();
    const { destinations, feedBatches, readLimits, accounts } = service().parts;
    const { id, account } = (await now()) ?? expect.fail();
    const from = feedBatches.newest();
    await publish(service(), 'ne_again');
    const bounds = { from, until: feedBatches.newest() };
    const entry = { destination: id, id: 'msg_of_the_batch' as DeliveryId, bounds, messages: 1 };
    await destinations.note(deliveryEntry({ ...entry, at: START, status: 500, durationMs: 1_234 }));
    const page = await visitor.open(path);
    expect(page.text).to.include('12:00 Changes Answered 500 1,234 ms 1 Deliver again');
    const left = async () => {
      const { subscription } = (await accounts.find(account)) ?? expect.fail();
      return (await readLimits(subscription))?.map(({ remaining }) => remaining) ?? [];
    };
    const before = await left();
    const again = await visitor.submit(`${path}/deliveries`, { delivery: 'msg_of_the_batch' });
    expect(again.text).to.include(
      'The repeated delivery of 1 March 2026, 12:00 UTC: Answered 204, after 7 ms.',
    );
    expect(await left()).to.deep.equal(before.map((remaining) => remaining - 1));
    const repeats = requests.filter(({ headers }) => headers['webhook-id'] === 'msg_of_the_batch');
    expect(repeats.map(({ body }) => String(body).includes('ne_again'))).to.deep.equal([true]);
    const unknown = await visitor.submit(`${path}/deliveries`, { delivery: 'msg_of_nobody' });
    expect([unknown.status, unknown.text.includes('Delivery not found.')]).to.deep.equal([409, true]);
  });

  it('is small with 100 deliveries', async () => {
    const { visitor, path, now } = await webhook();
    const { id } = (await now()) ?? expect.fail();
    const { destinations, feedBatches } = service().parts;
    const bounds = { from: feedBatches.newest(), until: feedBatches.newest() };
    for (let i = 0; i < 120; i += 1)
      await destinations.note(
        deliveryEntry({
          destination: id,
          id: `msg_${'0'.repeat(24)}${i}` as DeliveryId,
          bounds,
          at: plus(START, i),
        }),
      );
    const page = await visitor.open(path);
    expect(page.html.match(/Deliver again</g)).to.have.length(100);
    expect(page.body.length).to.be.lessThan(64_000);
  });

  it('is not found for another account, and is changed by no form from elsewhere', async () => {
    const { path, now, visitor } = await webhook();
    const stranger = await pages.holder();
    for (const name of ['', '/removal']) {
      expect((await stranger.visitor.open(`${path}${name}`)).status).to.equal(404);
      expect((await visitor.open(`${path}${name}`)).status).to.equal(200);
    }
    const before = tests().length;
    for (const name of [
      'test',
      'deliveries',
      'confirmation',
      'pause',
      'enabling',
      'secret',
      'settings',
      'removal',
    ]) {
      expect((await stranger.visitor.submit(`${path}/${name}`)).status, name).to.equal(404);
      expect((await visitor.post(`${path}/${name}`, {})).status, name).to.equal(403);
    }
    expect([(await now())?.state.status, tests().length]).to.deep.equal(['active', before]);
  });
});
