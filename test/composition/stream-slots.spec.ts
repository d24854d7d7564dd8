import { expect } from 'chai';
import type { SlotRequest, StreamSlots } from '../../src/application/ports/limits/stream-slots.js';
import { compose } from '../../src/composition/compose.js';
import { aSubscription, requestOf } from '../support/objects/streams.js';
import { redisUrl } from '../support/servers/stores.js';
import { settings } from '../support/service/composed.js';
import { until } from '../support/until.js';

const QUIET = { LOG_LEVEL: 'silent' };

describe('The slots of streams in the composition (D51)', () => {
  const isGranted = async (slots: StreamSlots, request: SlotRequest) => (await slots.open(request)).granted;

  it('are shared by all processes with REDIS_URL, which tell each other about lost slots', async () => {
    const config = settings({ ...QUIET, REDIS_URL: redisUrl() });
    const [one, other] = await Promise.all([compose(config), compose(config)]);
    for (const { open } of [one, other]) await open(new AbortController().signal);
    const [left, right] = [one.parts.streamSlots, other.parts.streamSlots];
    const heard: unknown[] = [];
    left.onLost((...loss) => heard.push(loss));
    // A message that is sent before the subscription is active is lost.
    await until(true, async () => {
      const of = aSubscription({ allowed: 1 });
      expect(await isGranted(left, requestOf(of))).to.equal(true);
      expect(await isGranted(right, requestOf(of))).to.equal(false);
      expect(await isGranted(right, requestOf(of, { isResumed: true }))).to.equal(true);
      return heard.length > 0;
    });
    for (const { close } of [one, other]) await close();
  });

  it('belong to one process without it, for STREAM_SLOT_SECONDS after their last renewal', async () => {
    let ms = 0;
    const config = settings({ ...QUIET, STREAM_SLOT_SECONDS: '3' });
    const slotsOfProcess = async () =>
      (await compose(config, () => ({ monotonicClock: () => () => ms }))).parts.streamSlots;
    const [slots, others] = await Promise.all([slotsOfProcess(), slotsOfProcess()]);
    const of = aSubscription({ allowed: 1 });
    expect(await isGranted(slots, requestOf(of))).to.equal(true);
    expect(await isGranted(others, requestOf(of))).to.equal(true);
    ms = 2_999;
    expect(await isGranted(slots, requestOf(of))).to.equal(false);
    ms = 3_000;
    expect(await isGranted(slots, requestOf(of))).to.equal(true);
  });
});
