import { expect } from 'chai';
import { between, HOUR } from '../../src/domain/moment.js';
import { contracts } from './adapters.js';
import { eachAdapter } from './opening.js';

eachAdapter('TestClock', contracts.testClocks, (instance) => {
  it('shows the new time on every instance when `advance` resolves (D5)', async () => {
    const clocks = [await instance(), await instance()] as const;
    for (let round = 0; round < 5; round += 1) {
      const before = clocks.map(({ now }) => now());
      await clocks[(round % 2) as 0 | 1].testClock.advance(HOUR);
      for (const [i, { now }] of clocks.entries()) {
        expect(between(before[i] ?? now(), now())).to.be.within(HOUR, 2 * HOUR);
      }
    }
  });

  it('adds up concurrent calls of several instances', async () => {
    const [left, right] = [await instance(), await instance()];
    const before = right.now();
    await Promise.all([left, right, left, right].map(({ testClock }) => testClock.advance(HOUR)));
    for (const { now } of [left, right]) expect(between(before, now())).to.be.within(4 * HOUR, 5 * HOUR);
  });

  it('never goes back, and moves nothing by 0', async () => {
    const { testClock, now } = await instance();
    const before = now();
    await testClock.advance(0);
    expect(between(before, now())).to.be.within(0, HOUR);
  });
});
