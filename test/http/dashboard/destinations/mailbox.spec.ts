import { expect } from 'chai';
import { destinationLinks } from '../../../../src/adapters/destinations/destination-links.js';
import type { DestinationId } from '../../../../src/domain/destinations/destination.js';
import { DAY, plus } from '../../../../src/domain/moment.js';
import { destinationPages } from '../../../support/destinations/destination-pages.js';
import { ask, START } from '../../../support/service/composed.js';
import { Visitor } from '../../../support/service/visitor.js';

const pathOf = (url = ''): string => {
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
};

/** With another character within the token. */
const altered = (path: string): string => path.replace(/.(.{9})$/, '!$1');

describe('A link in an email of a destination', () => {
  const { service, holder, create, of, mails } = destinationPages();
  let mailboxes = 0;
  /** A destination at a mailbox of somebody else, with the link to confirm it. */
  const asked = async () => {
    mailboxes += 1;
    const address = `reader-${mailboxes}@mailbox.example`;
    const owner = await holder();
    await create(owner.visitor, { kind: 'email', address });
    const confirm = pathOf(mails.find(({ to }) => to === address)?.url);
    const now = async () => (await of(owner.account))[0] ?? expect.fail();
    const { sealing, publicAddress } = service().parts;
    const links = destinationLinks({
      sealing: sealing ?? expect.fail(),
      publicUrl: () => publicAddress.url(),
    });
    const unsubscribe = pathOf(links.unsubscribeUrl((await now()).id));
    const entries = async () => (await service().parts.accounts.auditOf(owner.account)).length;
    return { ...owner, address, confirm, unsubscribe, now, links, entries };
  };
  const reader = () => new Visitor(service().url);
  const post = (path: string, headers: Readonly<Record<string, string>> = {}, body?: string) =>
    ask(`${service().url}${path}`, { method: 'POST', headers, ...(body !== undefined && { body }) });
  const status = async ({ now }: { now: () => Promise<{ state: { status: string } }> }) =>
    (await now()).state.status;

  it('confirms the mailbox by one button, without a session, and only then', async () => {
    const mailbox = await asked();
    const page = await reader().open(mailbox.confirm);
    expect(page.text).to.include(mailbox.address).and.include('Send me these emails');
    expect(page.html).not.to.include('<nav');
    expect(await status(mailbox)).to.equal('paused');
    const action =
      /<form method="post" action="([^"]+)"/.exec(page.html)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const done = await reader().post(action, {}, {});
    expect([done.status, done.text.includes('The emails begin with the next change.')]).to.deep.equal([
      200,
      true,
    ]);
    expect(await mailbox.now()).to.deep.include({ state: { status: 'active' } });
    const entries = await mailbox.entries();
    expect((await post(mailbox.confirm)).status).to.equal(200);
    expect(await mailbox.entries()).to.equal(entries);
    expect(
      (await mailbox.visitor.open(`/dashboard/destinations/${(await mailbox.now()).id}`)).text,
    ).to.include('Active');
  });

  it('confirms nothing after 7 days, or with another token', async () => {
    const mailbox = await asked();
    const other = await asked();
    const crossed = mailbox.confirm.replace(/destination=[^&]+/, `destination=${(await other.now()).id}`);
    for (const path of [
      crossed,
      altered(mailbox.confirm),
      '/dashboard/destinations/confirm',
      mailbox.unsubscribe.replace('unsubscribe', 'confirm'),
    ]) {
      expect((await post(path)).status, path).to.equal(404);
      expect((await reader().open(path)).text).to.include('Link not valid');
    }
    service().clock.at = plus(START, 7 * DAY);
    expect((await post(mailbox.confirm)).status).to.equal(404);
    service().clock.at = plus(START, 7 * DAY - 1);
    expect((await post(mailbox.confirm)).status).to.equal(200);
    service().clock.at = START;
    expect([await status(mailbox), await status(other)]).to.deep.equal(['active', 'paused']);
  });

  it('confirms nothing that an operator has disabled', async () => {
    const mailbox = await asked();
    const action = { event: 'disabled', cause: 'operator', reason: 'spam' } as const;
    const { changeDestination } = service().parts;
    await changeDestination(mailbox.account, (await mailbox.now()).id, action, { actor: 'operator' });
    expect((await post(mailbox.confirm)).status).to.equal(404);
    expect(await status(mailbox)).to.equal('disabled');
  });

  // biome-ignore format: a table is read by its columns
  const REQUESTS: readonly (readonly [name: string, headers: Readonly<Record<string, string>>, body?: string])[] = [
    ['with the body of RFC 8058',     { 'Content-Type': 'application/x-www-form-urlencoded' }, 'List-Unsubscribe=One-Click'],
    ['as multipart/form-data',        { 'Content-Type': 'multipart/form-data; boundary=b' },   '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n'],
    ['without a body',                {}],
    ['from the site of a mail reader', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://mail.example' }],
  ];
  for (const [name, headers, body] of REQUESTS) {
    it(`unsubscribes by one request ${name}, any number of times`, async () => {
      const mailbox = await asked();
      await post(mailbox.confirm);
      expect(await status(mailbox)).to.equal('active');
      const first = await post(mailbox.unsubscribe, headers, body);
      expect([first.status, String(first.body).includes('You are unsubscribed.')]).to.deep.equal([200, true]);
      expect((await mailbox.now()).state).to.deep.include({ status: 'disabled', cause: 'unsubscribed' });
      const entries = await mailbox.entries();
      expect((await post(mailbox.unsubscribe, headers, body)).status).to.equal(200);
      expect(await mailbox.entries()).to.equal(entries);
    });
  }

  it('unsubscribes nobody who only opens it', async () => {
    const mailbox = await asked();
    await post(mailbox.confirm);
    const page = await reader().open(mailbox.unsubscribe);
    expect(page.text).to.include(`The emails with changes of the feed to ${mailbox.address} end at once.`);
    expect(await status(mailbox)).to.equal('active');
    const wrong = await post(altered(mailbox.unsubscribe));
    expect([wrong.status, await status(mailbox)]).to.deep.equal([404, 'active']);
  });

  it('ends the emails until their reader confirms again, whatever the owner does', async () => {
    const mailbox = await asked();
    await post(mailbox.confirm);
    await post(mailbox.unsubscribe);
    const path = `/dashboard/destinations/${(await mailbox.now()).id}`;
    const page = await mailbox.visitor.open(path);
    expect(page.text).to.include('The reader of the mailbox unsubscribed.').and.not.include('Enable');
    await mailbox.visitor.submit(`${path}/enabling`);
    expect(await status(mailbox)).to.equal('disabled');
    await mailbox.visitor.submit(`${path}/confirmation`);
    await post(pathOf(mails.findLast(({ to }) => to === mailbox.address)?.url));
    expect(await status(mailbox)).to.equal('active');
  });

  it('is answered with 200 also after the destination was removed', async () => {
    const mailbox = await asked();
    await mailbox.visitor.open('/dashboard/destinations');
    await mailbox.visitor.submit(`/dashboard/destinations/${(await mailbox.now()).id}/removal`);
    expect((await post(mailbox.unsubscribe)).status).to.equal(200);
    expect((await reader().open(mailbox.unsubscribe)).text).to.include('You are unsubscribed.');
    const unknown = pathOf(mailbox.links.unsubscribeUrl('dst_of_nobody' as DestinationId));
    expect((await post(unknown)).status).to.equal(200);
    expect((await post(mailbox.confirm)).status).to.equal(404);
  });

  it('is not logged', async () => {
    const mailbox = await asked();
    await post(mailbox.confirm);
    const token = new URLSearchParams(mailbox.confirm.split('?')[1]).get('token') ?? '';
    expect(JSON.stringify(service().lines)).not.to.include(token);
  });
});
