import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { OneTimeToken, OneTimeTokens } from '../../../src/application/ports/sign-in/one-time-tokens.js';
import type { EmailAddress } from '../../../src/domain/accounts/email-address.js';
import { HOUR, type Moment, plus } from '../../../src/domain/moment.js';
import { flowToken, linkToken, type SecretHash } from '../../../src/domain/sign-in/sign-in.js';
import { NOON } from '../../support/objects/builders.js';
import { contracts } from '../adapters.js';
import { eachAdapter } from '../opening.js';

/** Several rounds, so that connections are open and calls really overlap. */
const ROUNDS = 20;

const aHash = () => `hash_${randomUUID()}` as SecretHash;
const aLink = (at: Moment = NOON): OneTimeToken =>
  linkToken('zoë@müller.example' as EmailAddress, 'hash of the asker' as SecretHash, at);
const aFlow = (at: Moment = NOON): OneTimeToken =>
  flowToken('oidc', 'operator', { state: 's', nonce: 'n “q” \u0000', codeVerifier: 'v' }, at);

eachAdapter('OneTimeTokens', contracts.oneTimeTokens, (instance) => {
  const pair = async () => [await instance(), await instance()] as const;
  const kept = async (oneTimeTokens: OneTimeTokens, token: OneTimeToken) => {
    const hash = aHash();
    await oneTimeTokens.keep(hash, token);
    return hash;
  };

  it('gives a token to one of ten concurrent takers, and to nobody afterwards', async () => {
    const stores = await pair();
    for (let round = 0; round < ROUNDS; round += 1) {
      const token = aLink();
      const hash = await kept(stores[0], token);
      const takes = await Promise.all(
        Array.from({ length: 10 }, (_, i) => stores[(i % 2) as 0 | 1].take(hash)),
      );
      expect(takes.filter((taken) => taken !== null)).to.deep.equal([token]);
      for (const store of stores) {
        expect([await store.find(hash), await store.take(hash)]).to.deep.equal([null, null]);
      }
    }
  });

  it('shows a token to every instance until it is taken, verbatim', async () => {
    const [one, other] = await pair();
    for (const token of [aLink(), aFlow()]) {
      const hash = await kept(one, token);
      for (const store of [one, other, one]) expect(await store.find(hash)).to.deep.equal(token);
      expect(await other.take(hash)).to.deep.equal(token);
      expect(await one.find(hash)).to.equal(null);
    }
  });

  it('takes only the token of the given secret', async () => {
    const one = await instance();
    const [mine, another] = [await kept(one, aLink()), await kept(one, aFlow())];
    await one.take(mine);
    expect(await one.find(another)).to.deep.equal(aFlow());
    expect([await one.find(aHash()), await one.take(aHash())]).to.deep.equal([null, null]);
  });

  it('removes only the links to one address, for every instance', async () => {
    const [one, other] = await pair();
    const to = (email: string) => linkToken(email as EmailAddress, 'hash of the asker' as SecretHash, NOON);
    const ended = await Promise.all([kept(one, to('ada@example.org')), kept(other, to('ada@example.org'))]);
    const others: readonly OneTimeToken[] = [
      to('ada+news@example.org'),
      to('da@example.org'),
      to('ada@example.org.example'),
      to('%@example.org'),
      aFlow(),
      flowToken('oidc', 'dashboard', { state: 'ada@example.org', nonce: '', codeVerifier: '' }, NOON),
    ];
    const hashes = await Promise.all(others.map((token) => kept(one, token)));
    await other.removeLinks('ada@example.org');
    for (const store of [one, other]) {
      for (const hash of ended) expect(await store.find(hash)).to.equal(null);
      expect(await Promise.all(hashes.map((hash) => store.find(hash)))).to.deep.equal(others);
    }
    expect(await one.take(ended[0])).to.equal(null);
    await other.removeLinks('nobody\0@example.org');
  });

  it('gives a link to its taker or to nobody if links are removed concurrently', async () => {
    const stores = await pair();
    for (let round = 0; round < ROUNDS; round += 1) {
      const token = linkToken(`${randomUUID()}@example.org` as EmailAddress, 'h' as SecretHash, NOON);
      const hash = await kept(stores[0], token);
      const [left, right] = round % 2 === 0 ? stores : [stores[1], stores[0]];
      const [taken] = await Promise.all([left.take(hash), right.removeLinks(token.email)]);
      expect([null, token]).to.deep.include(taken);
      expect(await right.take(hash)).to.equal(null);
    }
  });

  it('does not check whether a token is still valid', async () => {
    const [one, other] = await pair();
    const old = aLink(plus(NOON, -HOUR));
    const hash = await kept(one, old);
    expect(await other.find(hash)).to.deep.equal(old);
    expect(await other.take(hash)).to.deep.equal(old);
  });
});
