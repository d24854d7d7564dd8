import { expect } from 'chai';
import type { Created, destinationsOf } from '../../support/destinations/composed-destinations.js';
import { deliveringService } from '../../support/destinations/delivering-service.js';
import { type Composed, keyHolder } from '../../support/service/composed.js';
import { until } from '../../support/until.js';

describe('Deliveries beside receivers that hang', () => {
  const { receiver, publishNew, ...delivering } = deliveringService();
  let service: Composed;
  let destinations: ReturnType<typeof destinationsOf>;
  beforeEach(() => {
    service = delivering.service();
    destinations = delivering.destinations();
  });

  it('do not wait for receivers that hang, refuse, cut or fail', async () => {
    const healthy = await Promise.all(Array.from({ length: 20 }, receiver));
    const dead = await Promise.all(Array.from({ length: 20 }, receiver));
    const everyone = [...healthy, ...dead];
    const hanging: Created[] = [];
    for (const [i, hook] of everyone.entries()) {
      const { account } = await keyHolder(service);
      const created = await destinations.untested(account, hook.url);
      if (i < healthy.length) continue;
      hook.answering = (['hang', 'cut', 500, 'hang'] as const)[i % 4] ?? 500;
      if (hook.answering === 'hang') hanging.push(created);
    }
    const ids: string[] = [];
    for (let i = 0; i < 10; i += 1) ids.push(await publishNew());
    await until(true, () => healthy.every(({ itemIds }) => ids.every((id) => itemIds.includes(id))));
    // No time-out of a receiver that hangs has ended meanwhile.
    const states = await Promise.all(hanging.map((one) => destinations.state(one)));
    expect(states.map(({ status }) => status)).to.deep.equal(hanging.map(() => 'active'));
  });

  it('reach healthy receivers beside 1,000 that hang, all on one host', async () => {
    const [healthy, hanging] = [await Promise.all(Array.from({ length: 5 }, receiver)), await receiver()];
    hanging.answering = 'hang';
    for (let i = 0; i < 40; i += 1) {
      const { account } = await keyHolder(service);
      for (let of = 0; of < 25; of += 1) await destinations.untested(account, hanging.url);
    }
    const { account } = await keyHolder(service);
    for (const { url } of healthy) await destinations.untested(account, url);
    const ids: string[] = [];
    const publishUntilReceived = async () => {
      const id = await publishNew();
      ids.push(id);
      await until(true, () => healthy.every(({ itemIds }) => itemIds.includes(id)));
    };
    await publishUntilReceived();
    await until(1_000, () => hanging.received.length);
    // Each hanging one has the one delivery that it never answered, and holds no worker.
    await publishUntilReceived();
    expect(hanging.received).to.have.length(1_000);
    for (const { itemIds } of healthy) expect(itemIds).to.deep.equal(ids);
  });
});
