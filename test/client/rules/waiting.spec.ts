import { expect } from 'chai';
import sinon from 'sinon';
import { pause } from '../../../packages/client/src/waiting.js';

const DAY_MS = 86_400_000;

describe('A pause of the client', () => {
  let timers: sinon.SinonFakeTimers;
  beforeEach(() => {
    timers = sinon.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => timers.restore());

  for (const days of [0, 1, 24, 30, 100])
    it(`of ${days} days lasts as long, also beyond the longest timer`, async () => {
      let isOver = false;
      const paused = pause(days * DAY_MS, undefined).then(() => {
        isOver = true;
      });
      for (let day = 0; day < days; day += 1) {
        await timers.tickAsync(day === 0 ? DAY_MS - 1 : DAY_MS);
        expect(isOver, `after ${day} days`).to.equal(false);
      }
      await timers.tickAsync(1);
      await paused;
    });

  it('ends at once when it is aborted, also in its second timer', async () => {
    const controller = new AbortController();
    const paused = pause(30 * DAY_MS, controller.signal).catch((reason: unknown) => reason);
    await timers.tickAsync(29 * DAY_MS);
    const reason = new Error('enough');
    controller.abort(reason);
    expect(await paused).to.equal(reason);
  });
});
