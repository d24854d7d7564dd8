import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Reason } from '../../../src/domain/accounts/reason.js';
import type { ItemOrder } from '../../../src/domain/feed/item-order.js';
import { NOON } from '../../support/objects/builders.js';
import { contracts } from '../adapters.js';
import { eachAdapter } from '../opening.js';

const order = (reason: string, action: ItemOrder['action'] = 'retract'): ItemOrder => ({
  ...{ action, actor: 'operator é', at: NOON },
  reason: reason as Reason,
});

eachAdapter('ItemOrders', contracts.itemOrders, (instance) => {
  it('has the orders of an item exactly as they were given, the newest first, on any instance (D127)', async () => {
    const [writer, reader] = [await instance(), await instance()];
    const [id, other] = [randomUUID(), randomUUID()];
    const orders = [order('one\nline "and" <more>'), order('two', 'correct'), order('three')];
    for (const one of orders) await writer.add(id, one);
    await writer.add(other, order('of another item'));
    expect(await reader.of(id, 9)).to.deep.equal(orders.toReversed());
    expect(await reader.of(id, 2)).to.deep.equal(orders.toReversed().slice(0, 2));
  });

  it('has none for another id, also for one that no store can have', async () => {
    const orders = await instance();
    for (const id of [randomUUID(), '', 'a\0b', '\ud800']) expect(await orders.of(id, 9)).to.deep.equal([]);
  });
});
