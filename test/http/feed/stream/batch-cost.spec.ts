import { expect } from 'chai';
import sinon from 'sinon';
import { type FakeStream, fakeStreams, message } from '../../../support/live/fake-streams.js';
import { askStream } from '../../../support/live/stream-callers.js';
import { ask, bearer, type Composed, composed, keyHolder } from '../../../support/service/composed.js';

describe('The cost of a batch', () => {
  let service: Composed;
  let key: Readonly<Record<string, string>>;
  const streams = fakeStreams();
  before(async () => {
    service = await composed({}, streams.replace);
  });
  beforeEach(async () => {
    key = bearer((await keyHolder(service)).value);
  });
  afterEach(() => {
    sinon.restore();
  });
  after(() => service.stop());

  /** Asks for a batch, and does something when it waits. */
  const waiting = async (query: string, then: (stream: FakeStream) => void | Promise<void>) => {
    const next = streams.next();
    const answer = askStream(service, 'batch', key, query);
    const stream = await next;
    await stream.started;
    await then(stream);
    return { answer: await answer, stream };
  };
  const used = async () => {
    const usage = await ask(`${service.url}/pm/v2/usage`, { headers: key });
    return usage.json<{ limits: { used: number }[] }>().limits[0]?.used;
  };

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
