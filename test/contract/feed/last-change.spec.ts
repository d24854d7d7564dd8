import { expect } from 'chai';
import type { Reason } from '../../../src/domain/accounts/reason.js';
import { NOON } from '../../support/objects/builders.js';
import { contracts } from '../adapters.js';
import { eachAdapter } from '../opening.js';

const item = (id: string, text: string) => ({
  id,
  scoredAt: NOON,
  json: Buffer.from(JSON.stringify(text)),
  subMarketIds: [],
});

eachAdapter('FeedPast', contracts.feedPasts, (instance) => {
  it('returns the last change of an id, also after its retraction and its purge (D141)', async () => {
    const { past, feed } = await instance();
    const last = async (id: string) => {
      const change = await past.last(id);
      if (change === null) return null;
      const body = 'item' in change && typeof change.item === 'object' ? `${change.item.json}` : 'no text';
      return `${change.kind} ${change.revision}: ${body}`;
    };
    expect(await last('last-1')).to.equal(null);
    await feed.publish([item('last-1', 'a'), item('last-2', 'x'), item('last-1', 'b')], 'live');
    expect(await last('last-1')).to.equal('published 1: "b"');
    expect(await last('last-2')).to.equal('published 1: "x"');
    await feed.publish([item('last-1', 'c')], 'live');
    expect(await last('last-1')).to.equal('replaced 2: "c"');
    await feed.retract('last-1');
    expect(await last('last-1')).to.equal('retracted 3: no text');
    await feed.purge('last-1', { actor: 'operator', reason: 'a test' as Reason });
    expect(await last('last-1')).to.equal('purged 4: no text');
    expect(await last('last-2')).to.equal('published 1: "x"');
  });
});
