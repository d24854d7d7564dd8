import { expect } from 'chai';
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
    await fixture.advance(100);
    expect(stream.ids()).to.deep.equal(names(12));
    expect(stream.types().at(-1)).to.equal('live');
    expect(fixture.replayReads).to.have.length(4);
    for (const bytes of fixture.replayReads) expect(bytes).to.be.lessThan(MEGABYTE + 310_000);
  });

  it('of small items reads 100 at a time', async () => {
    await fixture.publish(1, 250);
    const stream = await fixture.open({ start: SINCE });
    await fixture.advance(100);
    expect(stream.ids()).to.deep.equal(names(250));
    expect(fixture.replayReads).to.have.length(3);
  });
});
