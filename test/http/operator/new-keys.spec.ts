import { expect } from 'chai';
import { expectUsable } from '../../support/browser/usable-page.js';
import { accepted } from '../../support/objects/builders.js';
import { keyHolder, requestNews } from '../../support/service/composed.js';
import { does, operatorConsole } from '../../support/service/operator-console.js';

const VALUE = /svc_[A-Za-z0-9_-]{43}/;

describe('An operator who creates keys', () => {
  const { service, holder, operator, home, ofKey, lastEntry, everythingNow } = operatorConsole();
  const create = () => `${home()}/new-key`;
  const rotation = () => `${home()}/keys/${holder().key.id}/rotation`;

  /** The value in the page, which must be nowhere else (D19, contract section 5.3). */
  async function valueIn(html: string): Promise<string> {
    const value = VALUE.exec(html)?.[0] ?? '';
    expect(value).not.to.equal('');
    expect(JSON.stringify(service().lines)).not.to.include(value);
    expect(JSON.stringify(await everythingNow())).not.to.include(value);
    expect(await service().parts.metrics.text()).not.to.include(value);
    return value;
  }

  it('gets the value once, and the audit log has the reason without it (D25)', async () => {
    const person = await operator();
    expect((await person.open(`${home()}/keys`)).html).to.include(`href="${create()}"`);
    const form = await person.open(create());
    expect(form.text).to.include('1 of 5 keys in use on the Pro plan.');
    expectUsable('new key', form.html);
    const { seen } = person;
    const sent = { seen, label: ' batch ', reason: 'a lost key' };
    const page = await person.submit(create(), sent);
    expect([page.status, page.headers['cache-control']]).to.deep.equal([201, 'no-store']);
    expectUsable('key created', page.html);
    const value = await valueIn(page.html);
    expect((await requestNews(service(), value)).status).to.equal(200);
    const entry = await lastEntry();
    expect(entry).to.deep.include({ actor: 'operator', event: 'issued', reason: 'a lost key' });
    const keys = (await everythingNow()).account?.keys ?? [];
    expect([keys.at(-1)?.id, keys.at(-1)?.label]).to.deep.equal([entry?.key, 'batch']);
    expect((await person.open(`${home()}/keys`)).html).not.to.include(value);

    const again = await person.submit(create(), sent);
    expect([again.status, again.text.includes('This form was already submitted')]).to.deep.equal([409, true]);
    expect(again.html).not.to.match(VALUE);
    expect((await everythingNow()).account?.keys).to.have.length(2);
  });

  it('creates none beyond the allowance, without a reason, or with a key as the label', async () => {
    const free = await keyHolder(service(), 'free');
    const person = await operator();
    const path = `${home(free.account)}/new-key`;
    const full = await person.open(path);
    expect(full.text).to.include('The plan limit of 1 key is reached.');
    expect(full.html).not.to.include('name="reason"');
    const refused = await person.submit(path, { seen: free.key.id, reason: 'x' });
    expect([refused.status, refused.text.includes('The plan limit of 1 key')]).to.deep.equal([409, true]);
    await person.open(create());
    const { seen } = person;
    const before = await everythingNow();
    for (const [fields, text] of [
      [{ reason: '' }, 'Reason must have'],
      [{ label: 'x'.repeat(65) }, 'Label must have 1 to 64 characters'],
      [{ label: holder().value }, 'must not contain an API key'],
    ] as const) {
      const page = await person.submit(create(), { seen, reason: 'x', ...fields });
      expect([page.status, page.text.includes(text)], text).to.deep.equal([400, true]);
      expect(page.html).not.to.include(holder().value);
    }
    expect((await person.post(create(), { seen, reason: 'x' })).status).to.equal(403);
    expect(await everythingNow()).to.deep.equal(before);
  });

  it('rotates a key, then retires the older one (D23)', async () => {
    const person = await operator();
    expect((await person.open(`${home()}/keys`)).html).to.include(`href="${rotation()}"`);
    const form = await person.open(rotation());
    expect(form.text).to.include('Both keys work until the older one is retired');
    const page = await person.submit(rotation(), { seen: person.seen, reason: 'leaked <b>' });
    expect(page.status).to.equal(201);
    const value = await valueIn(page.html);
    expect(await lastEntry()).to.deep.include({
      ...{ actor: 'operator', event: 'issued', reason: `succeeds ${holder().key.id}: leaked <b>` },
    });
    for (const one of [value, holder().value])
      expect((await requestNews(service(), one)).status).to.equal(200);
    const open = await person.open(rotation());
    expect(open.text).to.include('already part of a rotation');
    expect(open.html).not.to.include('name="reason"');
    const retired = await does(person, ofKey('retire'), 'deployed');
    expect(retired.text).to.include('The key is retired.');
    expect(await lastEntry()).to.deep.include({ event: 'rotated', reason: 'deployed', actor: 'operator' });
  });

  it('rotates no key of another account', async () => {
    const other = await keyHolder(service());
    const person = await operator();
    const path = `${home()}/keys/${other.key.id}/rotation`;
    expect((await person.open(path)).status).to.equal(404);
    expect((await person.submit(path, { reason: 'x', seen: other.key.id })).status).to.equal(404);
    accepted(await service().parts.revokeKey(holder().key.id, 'manual', null, 'test'));
    expect((await person.open(rotation())).text).to.include('already revoked');
  });
});
