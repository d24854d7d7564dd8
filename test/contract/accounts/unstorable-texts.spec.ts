import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { FeedRange } from '../../../src/application/ports/feed/feed-store.js';
import type { AccountId } from '../../../src/domain/accounts/account.js';
import type { Reason } from '../../../src/domain/accounts/reason.js';
import type { KeyHash } from '../../../src/domain/keys/key-value.js';
import { recordRemoval } from '../../../src/domain/sign-in/account-identities.js';
import type { SecretHash } from '../../../src/domain/sign-in/sign-in.js';
import { accepted, auditContext, keyId, NOON } from '../../support/objects/builders.js';
import { anOpening } from '../../support/service/accounts.js';
import { contracts } from '../adapters.js';
import { eachAdapter } from '../opening.js';

/** Texts that Postgres cannot store, the text that its driver would send instead, and an id that is too long. */
const NOT_THERE = [
  '\0',
  'zero \0 character',
  'half a \ud83d character',
  '\udc00',
  '\ufffd',
  'x'.repeat(16_000),
];

const NOT_FOUND = { refused: 'not_found', what: 'account' };

eachAdapter('Accounts', contracts.accounts, (instance) => {
  for (const text of NOT_THERE) {
    it(`finds no account by ${JSON.stringify(text).slice(0, 30)}, and changes none`, async () => {
      const accounts = await instance();
      const name = randomUUID();
      accepted(await accounts.open(anOpening('pro', { email: `half a \ufffd ${name}` })));
      const id = text as AccountId;
      expect(await accounts.find(id)).to.equal(null);
      expect(await accounts.findByEmail(`half a \ud83d ${name}`)).to.equal(null);
      expect(await accounts.findByEmail(text)).to.equal(null);
      expect(await accounts.findByKey(keyId(text))).to.equal(null);
      expect(await accounts.findByKeyPrefix(text)).to.deep.equal([]);
      expect(await accounts.auditOf(id)).to.deep.equal([]);
      const changed = await accounts.change(id, () => expect.fail('there is no such account'));
      expect(changed).to.deep.equal(NOT_FOUND);
    });
  }
});

eachAdapter('PaymentInbox', contracts.inboxes, (instance) => {
  for (const text of NOT_THERE) {
    it(`finds no event by ${JSON.stringify(text).slice(0, 30)}, and lists none`, async () => {
      const { inbox } = await instance();
      expect(await inbox.find(text)).to.equal(null);
      expect(await inbox.list({ account: text as AccountId }, 10)).to.deep.equal([]);
      expect(await inbox.list({ account: text as AccountId, state: 'failed' }, 10)).to.deep.equal([]);
      expect(await inbox.linked(text, 10)).to.deep.equal([]);
    });
  }
});

eachAdapter('Identities', contracts.identities, (instance) => {
  for (const text of NOT_THERE) {
    it(`finds no identity by ${JSON.stringify(text).slice(0, 30)}, and removes none`, async () => {
      const { identities } = await instance();
      expect(await identities.accountOf({ issuer: text, subject: 'u' })).to.equal(null);
      expect(await identities.accountOf({ issuer: 'https://id.example', subject: text })).to.equal(null);
      expect(await identities.of(text as AccountId)).to.deep.equal([]);
      const removed = await identities.removeAll(text as AccountId, (found) =>
        recordRemoval(found, auditContext()),
      );
      expect(removed).to.deep.equal(NOT_FOUND);
    });
  }
});

eachAdapter('FeedStore', contracts.feedStores, (instance) => {
  const range = (only: Partial<FeedRange>): FeedRange => ({
    before: null,
    since: null,
    newsId: null,
    marketId: null,
    terms: [],
    count: 10,
    ...only,
  });
  for (const text of NOT_THERE) {
    it(`finds no item by ${JSON.stringify(text).slice(0, 30)}, and retracts none`, async () => {
      const feed = await instance();
      const stored = {
        id: 'half a \ufffd',
        subMarketIds: ['s \ufffd'],
        scoredAt: NOON,
        json: Buffer.from('{}'),
      };
      await feed.publish([stored], 'live');
      const { head } = await feed.page(range({}));
      for (const only of [
        { newsId: text },
        { marketId: text },
        { newsId: 'half a \ufffd', marketId: text },
      ]) {
        const page = await feed.page(range(only));
        expect([page.items, page.head]).to.deep.equal([[], head]);
      }
      expect((await feed.page(range({ newsId: 'half a \ud83d' }))).items).to.deep.equal([]);
      expect((await feed.page(range({ marketId: 's \ud83d' }))).items).to.deep.equal([]);
      expect((await feed.find([text, 'half a \ud83d', stored.id])).items.map(({ id }) => id)).to.deep.equal([
        stored.id,
      ]);
      expect(await feed.retract(text)).to.equal(false);
      expect(await feed.retract('half a \ud83d')).to.equal(false);
      expect(await feed.purge('half a \ud83d', { actor: 'test', reason: 'a test' as Reason })).to.equal(
        'unknown',
      );
    });
  }
});

eachAdapter('KeyUses', contracts.keyUses, (instance) => {
  it('finds no use of keys whose ids cannot be stored', async () => {
    const { keyUses } = await instance();
    expect([...(await keyUses.of(NOT_THERE.map(keyId)))]).to.deep.equal([]);
  });
});

eachAdapter('UsageHistory', contracts.usageHistories, (instance) => {
  it('finds no use of keys whose ids cannot be stored', async () => {
    expect(await (await instance()).of(NOT_THERE.map(keyId), NOON)).to.deep.equal([]);
  });
});

eachAdapter('Gate', contracts.gates, (instance) => {
  it('finds no key by a hash that cannot be stored', async () => {
    const { gate } = await instance();
    for (const text of NOT_THERE) expect(await gate.find(text as KeyHash)).to.equal(null);
  });
});

eachAdapter('Sessions', contracts.sessions, (instance) => {
  it('finds and ends no session by a hash that cannot be stored', async () => {
    const sessions = await instance();
    for (const text of NOT_THERE) {
      expect(await sessions.find(text as SecretHash)).to.equal(null);
      await sessions.end(text as SecretHash);
      await sessions.endAll({ kind: 'account', account: text as AccountId });
    }
  });
});

eachAdapter('OneTimeTokens', contracts.oneTimeTokens, (instance) => {
  it('finds and takes no token by a hash that cannot be stored', async () => {
    const oneTimeTokens = await instance();
    for (const text of NOT_THERE) {
      expect(await oneTimeTokens.find(text as SecretHash)).to.equal(null);
      expect(await oneTimeTokens.take(text as SecretHash)).to.equal(null);
    }
  });
});
