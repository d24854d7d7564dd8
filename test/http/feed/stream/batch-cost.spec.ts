import { expect } from 'chai';
import sinon from 'sinon';
import { FIRST_MOMENT } from '../../../../src/domain/moment.js';
import { type FakeStream, fakeStreams, message } from '../../../support/live/fake-streams.js';
import { BATCH_PATHS } from '../../../support/live/stream-callers.js';
import { askWaitingBatch, usedRequests } from '../../../support/live/waiting-batches.js';
import { bearer, type Composed, composed, keyHolder } from '../../../support/service/composed.js';

for (const path of BATCH_PATHS)
  describe(`The cost of a batch of ${path}`, () => {
    let service: Composed;
    let key: Readonly<Record<string, string>>;
    const streams = fakeStreams();
    before(async () => {
      service = await composed({}, streams.replace);
    });
    let counted: () => Promise<readonly string[]>;
    beforeEach(async () => {
      const { key: stored, value } = await keyHolder(service);
      key = bearer(value);
      counted = async () =>
        (await service.parts.usage.of([stored.id], FIRST_MOMENT)).map(({ statusClass }) => statusClass);
    });
    afterEach(() => {
      sinon.restore();
    });
    after(() => service.stop());

    const waiting = (query: string, then: (stream: FakeStream) => void | Promise<void>) =>
      askWaitingBatch({ service, streams, key, path }, query, then);
    const used = () => usedRequests(service, key);

    for (const [waitedMs, messages, cost] of [
      [0, 0, 1],
      [4_900, 0, 1],
      [5_000, 0, 0],
      [5_000, 1, 1],
    ] as const) {
      it(`is ${cost} with ${messages} messages after ${waitedMs} ms (D58)`, async () => {
        const now = sinon.stub(performance, 'now').callThrough();
        const { answer } = await waiting('?wait=30', (stream) => {
          stream.sink.caughtUp();
          for (let i = 0; i < messages; i += 1) stream.send(message('retraction', 2, { id: 'ne_2' }));
          const later = performance.now() + waitedMs;
          now.callsFake(() => later);
          stream.end('restart');
        });
        expect(answer.headers['x-ratelimit-remaining']).to.equal(String(3_000 - cost));
        expect(await used()).to.equal(cost);
        expect(await counted()).to.deep.equal([cost === 0 ? '3xx' : '2xx']);
      });
    }

    it('is nothing after its whole wait of 5 s, although its timer fired early by the clock (D58)', async () => {
      const timers = sinon.useFakeTimers({
        toFake: ['setTimeout', 'clearTimeout'],
        shouldClearNativeTimers: true,
      });
      const { answer } = await waiting('?wait=5', async ({ sink }) => {
        sink.caughtUp();
        await timers.tickAsync(5_000);
      });
      expect(answer.headers['x-ratelimit-remaining']).to.equal('3000');
    });

    it('is a permit if it was catching up for 5 s, and not waiting (D58)', async () => {
      const now = sinon.stub(performance, 'now').callThrough();
      const { answer } = await waiting('?wait=30', (stream) => {
        const later = performance.now() + 5_000;
        now.callsFake(() => later);
        stream.sink.permitUsed();
      });
      expect(answer.headers['x-ratelimit-remaining']).to.equal('2999');
    });
  });
