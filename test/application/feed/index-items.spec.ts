import { expect } from 'chai';
import { MemoryLeases } from '../../../src/adapters/memory/memory-leases.js';
import { type IndexItemsParts, indexItems } from '../../../src/application/feed/index-items.js';
import { type Moment, plus, SECOND } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';

/** A job over this many items without terms. */
function jobOver(items: number) {
  const state = { left: items, batches: 0, pauses: 0, now: NOON as Moment };
  const parts: IndexItemsParts = {
    leases: new MemoryLeases(),
    unindexedItems: {
      index: async (count) => {
        const indexed = Math.min(count, state.left);
        state.left -= indexed;
        state.batches += 1;
        return indexed;
      },
    },
    clock: () => state.now,
    pause: async () => {
      state.pauses += 1;
    },
  };
  return { state, parts, run: indexItems(parts) };
}
const running = () => new AbortController().signal;

describe('Indexing items (D57)', () => {
  it('gives all items their terms in small batches, with pauses', async () => {
    const { state, run } = jobOver(250);
    await run(running());
    expect(state).to.deep.include({ left: 0, batches: 3, pauses: 2 });
  });

  it('goes on after the time of one lease', async () => {
    const { state, run } = jobOver(25_000);
    await run(running());
    expect(state.left).to.equal(0);
  });

  it('begins again after 10 s, because the previous version may still store items', async () => {
    const { state, run } = jobOver(0);
    await run(running());
    state.left = 5;
    state.now = plus(NOON, 9 * SECOND);
    await run(running());
    expect(state.left).to.equal(5);
    state.now = plus(NOON, 10 * SECOND);
    await run(running());
    expect(state.left).to.equal(0);
  });

  it('leaves the work to the instance that has the lease', async () => {
    const { state, parts, run } = jobOver(5);
    await parts.leases.acquire('index items', NOON, false);
    await run(running());
    expect(state.batches).to.equal(0);
  });

  it('ends after its batch when the process stops, and leaves the rest to another instance', async () => {
    const { state, parts, run } = jobOver(1_000);
    const stopping = new AbortController();
    const first = indexItems({ ...parts, pause: async () => stopping.abort() });
    await first(stopping.signal);
    expect(state).to.deep.include({ left: 900, batches: 1 });
    await run(running());
    expect(state.left).to.equal(0);
  });

  it('gives the lease back when the store fails', async () => {
    const { state, parts, run } = jobOver(5);
    const failing = indexItems({
      ...parts,
      unindexedItems: { index: () => Promise.reject(new Error('bug')) },
    });
    expect(await failing(running()).catch(({ message }: Error) => message)).to.equal('bug');
    state.now = plus(NOON, 10 * SECOND);
    await run(running());
    expect(state.left).to.equal(0);
  });
});
