import { expect } from 'chai';
import sinon from 'sinon';
import { pause, TIMER_MAX_MS } from '../../../packages/client/src/waiting.js';

const DAY_MS = 86_400_000;

describe('A pause of the client', () => {
  let timers: sinon.SinonFakeTimers;
  beforeEach(() => {
    timers = sinon.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => timers.restore());

  for (const [days, waited] of [
    [0, 0],
    [1, 1],
    [24, 24],
    [30, TIMER_MAX_MS / DAY_MS],
    [100, TIMER_MAX_MS / DAY_MS],
  ] as const)
    it(`of ${days} days lasts ${Math.floor(waited)} days, and never ends at once`, async () => {
      let isOver = false;
      const paused = pause(days * DAY_MS, undefined).then(() => {
        isOver = true;
      });
      if (days > 0) await timers.tickAsync(waited * DAY_MS - 1);
      expect(isOver).to.equal(false);
      await timers.tickAsync(1);
      await paused;
    });

  it('ends at once when it is aborted', async () => {
    const controller = new AbortController();
    const paused = pause(30 * DAY_MS, controller.signal).catch((reason: unknown) => reason);
    await timers.tickAsync(20 * DAY_MS);
    const reason = new Error('enough');
    controller.abort(reason);
    expect(await paused).to.equal(reason);
  });
});
