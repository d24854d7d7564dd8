import { expect } from 'chai';
import type { StreamStart } from '../../../src/domain/feed/stream-start.js';
import { DAY, plus } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';
import { RegistryFixture } from '../../support/streams/registry-fixture.js';

const MEGABYTE = 1_048_576;
const SINCE = { from: 'time', since: plus(NOON, -DAY) } as const;
const names = (count: number) => Array.from({ length: count }, (_, i) => `i${i + 1}`);

describe('A replay', () => {
  let fixture: RegistryFixture;
  beforeEach(() => {
    fixture = new RegistryFixture();
  });
  afterEach(() => fixture.close());

  it('of large items reads about 1 MB at a time, and sends all of them', async () => {
    await fixture.publish(1, 12, 'x'.repeat(300_000));
    const stream = await fixture.open({ start: SINCE });
    await fixture.advance(1_000);
    expect(stream.ids()).to.deep.equal(names(12));
    expect(stream.types().at(-1)).to.equal('live');
    expect(fixture.replayReads).to.have.length(4);
    for (const bytes of fixture.replayReads) expect(bytes).to.be.lessThan(MEGABYTE + 310_000);
  });

  it('of small items reads 100 at a time', async () => {
    await fixture.publish(1, 250);
    const stream = await fixture.open({ start: SINCE });
    await fixture.advance(1_000);
    expect(stream.ids()).to.deep.equal(names(250));
    expect(fixture.replayReads).to.have.length(3);
  });

  it('takes a permit for each 500 items that it looks at, although its filter passes none (D51)', async () => {
    await fixture.publish(1, 1_001);
    const stream = await fixture.open({ start: SINCE, markets: ['none'] });
    await fixture.advance(1_000);
    expect([stream.types().at(-1), stream.ids(), fixture.permits]).to.deep.equal(['live', [], 3]);
  });
});

describe('A resume', () => {
  let fixture: RegistryFixture;
  beforeEach(() => {
    fixture = new RegistryFixture();
  });
  afterEach(() => fixture.close());

  /** The items that a stream after the first change is sent, and the permits that it takes beside that of its request. */
  async function resumed(count: number, markets?: readonly string[]) {
    await fixture.publish(1, 1);
    const progress = { of: 'log', position: fixture.live.positionOf(1) } as const;
    await fixture.publish(2, count);
    const start = { from: 'progress', progress } as const;
    const stream = await fixture.open({ start, ...(markets && { markets }) });
    await fixture.advance(1_000);
    expect(stream.types().at(-1)).to.equal('live');
    return [stream.ids().length, fixture.permits];
  }

  for (const [count, permits] of [
    [500, 0],
    [501, 1],
    [1_000, 1],
    [1_001, 2],
  ] as const)
    it(`takes a permit for each further 500 items that it sends: ${permits} for ${count} (D46)`, async () => {
      expect(await resumed(count)).to.deep.equal([count, permits]);
    });

  it('takes none for changes that its filter does not pass, up to 5 000 (D46)', async () => {
    expect(await resumed(1_501, ['none'])).to.deep.equal([0, 0]);
  });
});

describe('A batch', () => {
  let fixture: RegistryFixture;
  beforeEach(() => {
    fixture = new RegistryFixture();
  });
  afterEach(() => fixture.close());

  it('looks at 500 items or changes at most, and the next one goes on from its position (D58)', async () => {
    await fixture.publish(1, 1_001);
    const seen: string[] = [];
    let start: StreamStart = SINCE;
    for (let batch = 1; batch <= 3; batch += 1) {
      const { sink, running } = await fixture.openBatch({ start, markets: ['none'] }, { waitMs: 30_000 });
      await fixture.advance(1_000);
      seen.push(sink.isWritable ? 'waits' : `complete with ${sink.messages.length}`);
      start = { from: 'progress', progress: running.figures.position };
      running.closed('complete');
    }
    expect([seen, fixture.permits]).to.deep.equal([['complete with 0', 'complete with 0', 'waits'], 0]);
  });
});
