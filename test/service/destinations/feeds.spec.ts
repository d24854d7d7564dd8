import { expect } from 'chai';
import { parseFeed } from 'feedsmith';
import type { Label } from '../../../src/domain/keys/label.js';
import { accepted } from '../../support/objects/builders.js';
import {
  ask,
  type Composed,
  composed,
  type Holder,
  keyHolder,
  publish,
  rewrite,
} from '../../support/service/composed.js';

describe('A feed of an account', () => {
  let service: Composed;
  let holder: Holder;
  let url: string;
  let token: string;
  beforeEach(async () => {
    service = await composed();
    holder = await keyHolder(service);
    ({ url, token } = await newFeed(''));
  });
  afterEach(() => service.stop());

  const newFeed = async (filter: string) => {
    const { parts } = service;
    const secret = `feed_${parts.secrets.make()}`;
    const target = { kind: 'feed', tokenHash: parts.secrets.hash(secret) } as const;
    const fresh = { id: parts.newDestinationId(), label: 'Reader' as Label, filter, target };
    accepted(await parts.createDestination(holder.account, fresh, 'test'));
    return { url: `${service.url}/feeds/${secret}.atom`, token: secret };
  };
  const used = async () => {
    const { body } = await ask(`${service.url}/pm/v2/usage`, { headers: { 'X-API-Key': holder.value } });
    return (JSON.parse(body.toString()) as { readonly limits: readonly { readonly used: number }[] })
      .limits[0]?.used;
  };

  it('has the newest items of its filter as Atom', async () => {
    await publish(service, 'a', 'b');
    const answer = await ask(url);
    expect([answer.status, answer.headers['content-type']]).to.deep.equal([
      200,
      'application/atom+xml; charset=utf-8',
    ]);
    const { feed } = parseFeed(answer.body.toString());
    expect((feed as { readonly entries?: readonly unknown[] }).entries).to.have.length(2);
    const some = await newFeed('market_id=s-a&market_id=s-none');
    const narrow = parseFeed((await ask(some.url)).body.toString()).feed as {
      readonly entries?: readonly { readonly id?: string }[];
    };
    expect(narrow.entries?.map(({ id }) => id?.includes('a'))).to.deep.equal([true]);
  });

  it('costs a permit, and none if the reader has it already', async () => {
    await publish(service, 'a');
    const { headers } = await ask(url);
    const before = await used();
    expect((await ask(url, { headers: { 'If-None-Match': headers.etag ?? '' } })).status).to.equal(304);
    expect(await used()).to.equal(before);
    expect((await ask(url)).status).to.equal(200);
    expect(await used()).to.equal((before ?? 0) + 1);
  });

  it('is refused like a request with a key, and not found without its token or while paused', async () => {
    await rewrite(service, holder.account, (account) => ({
      ...account,
      subscription: {
        ...account.subscription,
        suspension: { status: 'suspended', causes: ['payment_failure'] },
      },
    }));
    expect((await ask(url)).status).to.equal(402);
    expect((await ask(url.replace(/.{5}\.atom$/, 'AAAAA.atom'))).status).to.equal(404);
    const [stored] = await service.parts.destinations.of(holder.account);
    const { id } = stored?.destination ?? expect.fail();
    await service.parts.changeDestination(holder.account, id, { event: 'paused' }, { actor: 'test' });
    expect((await ask(url)).status).to.equal(404);
  });

  it('never has its token in the log', async () => {
    await ask(url);
    await ask(`${service.url}/feeds/${token.slice(0, 40)}`);
    await ask(`${service.url}//feeds/${token}.atom`);
    expect(JSON.stringify(service.lines)).not.to.include(token.slice(0, 30));
  });
});
