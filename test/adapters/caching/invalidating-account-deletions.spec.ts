import { expect } from 'chai';
import { invalidatingAccountDeletions } from '../../../src/adapters/caching/invalidating-account-deletions.js';
import { MemoryInvalidations } from '../../../src/adapters/memory/memory-invalidations.js';
import type { Invalidation } from '../../../src/application/ports/invalidations.js';
import type { Account } from '../../../src/domain/accounts/account.js';
import { type Refusal, refuse } from '../../../src/domain/refusal.js';
import { account, issued, NOON } from '../../support/objects/builders.js';

describe('The deletion of an account', () => {
  const sentFor = async (answer: Account | Refusal) => {
    const invalidations = new MemoryInvalidations();
    const sent: Invalidation[] = [];
    invalidations.listen((invalidation) => void sent.push(invalidation));
    const deletions = invalidatingAccountDeletions({ delete: async () => answer }, invalidations);
    const returned = await deletions.delete(account().id, NOON, () => refuse('key_unknown'));
    expect(returned).to.equal(answer);
    return sent;
  };

  it('sends an invalidation for all keys before it returns (D39)', async () => {
    const deleted = issued(account(), NOON, 'k1', 'k2');
    expect(await sentFor(deleted)).to.deep.equal([
      { changed: 'account', keys: ['hash of k1', 'hash of k2'] },
    ]);
  });

  it('sends none if it is refused', async () => {
    expect(await sentFor(refuse('subscription_running'))).to.deep.equal([]);
  });
});
