// Longer than 300 lines: all tests of exports share one feed and the parts of one process.
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import {
  type ExportRequest,
  HistoryExports,
} from '../../../src/adapters/http/feed/history/history-exports.js';
import { MemoryFeedStore } from '../../../src/adapters/memory/feed/memory-feed-store.js';
import { ReadHistory } from '../../../src/application/feed/read-history.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { EXPORT_CHUNK_BYTES } from '../../../src/domain/feed/history/export-end.js';
import { FIRST_BLOCK_CHANGES } from '../../../src/domain/feed/history/history-limits.js';
import { readPosition } from '../../../src/domain/feed/position.js';
import { NO_FILTER } from '../../../src/domain/feed/stream-filter.js';
import { NO_CONTROLS } from '../../../src/domain/keys/key-controls.js';
import { refuse } from '../../../src/domain/refusal.js';
import { NOON } from '../../support/objects/builders.js';
import { until } from '../../support/until.js';

const PATIENCE_MS = 200;

type Parts = ConstructorParameters<typeof HistoryExports>[0];

/** An export of a feed with so many items of this many bytes. */
async function fixture(items: number, bytes: number, parts: Partial<Parts> = {}) {
  const feed = new MemoryFeedStore();
  const published = Array.from({ length: items }, (_, i) => ({
    id: `i${i}`,
    scoredAt: NOON,
    json: Buffer.from(JSON.stringify('x'.repeat(bytes))),
    subMarketIds: [],
  }));
  await feed.publish(published, 'live');
  const permits = { taken: 0, most: Number.POSITIVE_INFINITY };
  const history = new ReadHistory({ feedPast: feed.past });
  /** The changes of each block. */
  const blocks: number[] = [];
  const closed: string[] = [];
  const exports = new HistoryExports({
    readHistory: {
      blocks: async function* (...read: Parameters<ReadHistory['blocks']>) {
        for await (const block of history.blocks(...read)) {
          blocks.push(block.lines.length);
          yield block;
        }
      },
    },
    streamSlots: {
      open: async () => ({ granted: true, open: 1, replaced: null }),
      renew: async () => [],
      close: async ({ stream }) => void closed.push(stream),
    },
    checkStream: () => ({ subscription: 's', allowed: 1, endsAt: null, controls: null }) as never,
    takeReplayPermit: async () => {
      if (permits.taken >= permits.most) return { waitSeconds: 42, violated: ['minute'] };
      permits.taken += 1;
      return 'granted';
    },
    monotonicClock: () => performance.now(),
    isDraining: () => false,
    requestsRead: () => 0,
    report: (fault: unknown) => {
      throw fault;
    },
    ...parts,
    settings: { renewalMs: 20, patienceMs: PATIENCE_MS, ...parts.settings },
  } as Parts);
  const { point } = await feed.past.find({ by: 'position', position: feed.log.newest });
  const start = (await feed.past.find({ by: 'time', time: NOON })).start;
  const accepted = { bytes: 0 };
  const request = {
    admitted: { subscription: 's', key: 'k', plan: 'pro' },
    hash: 'h',
    source: '192.0.2.1',
    range: { after: start.position, until: point?.position ?? start.position },
    filter: { ...NO_FILTER, newsId: null },
    isResumed: false,
    accepted: () => accepted.bytes,
    pausedLine: ({ n }, why) => `paused at ${n}: ${typeof why === 'string' ? why : why.refused}`,
    completeLine: ({ n }) => `complete at ${n}`,
  } as ExportRequest;
  const open = async (own: Partial<ExportRequest> = {}): Promise<Readable> => {
    const lines = await exports.open({ ...request, ...own });
    if (typeof lines === 'string') throw new Error(lines);
    return lines;
  };
  const lastLine = async (lines: Readable) => (await text(lines)).trimEnd().split('\n').at(-1);
  return { exports, request, permits, blocks, closed, accepted, open, lastLine };
}

describe('An export of the history', () => {
  it('has a line for each change, and then one that says that it is complete', async () => {
    const { open, closed } = await fixture(3, 10);
    const lines = await open();
    const all = (await text(lines)).split('\n');
    expect(all.slice(0, 3).map((line) => JSON.parse(line).id)).to.deep.equal(['i0', 'i1', 'i2']);
    expect(all.slice(3)).to.deep.equal(['complete at 3', '']);
    await until(1, async () => closed.length);
  });

  it('takes a permit for every 500 changes, however large their items are', async () => {
    for (const bytes of [10, 20_000]) {
      const { open, permits, lastLine } = await fixture(1_001, bytes);
      expect(await lastLine(await open())).to.equal('complete at 1001');
      expect(permits.taken, `${bytes} bytes`).to.equal(2);
    }
  });

  it('is checked with its address, and takes the permits of the limits of its key (D72)', async () => {
    const limits = { perMinute: 5, perDay: null };
    const controls = { ...NO_CONTROLS, limits };
    const seen: unknown[] = [];
    const { open, lastLine } = await fixture(600, 10, {
      checkStream: ((...[, source]: unknown[]) => {
        seen.push(source);
        return { subscription: 's', allowed: 1, endsAt: null, controls };
      }) as never,
      takeReplayPermit: async (...[, , own]) => {
        seen.push(own);
        return { waitSeconds: 42, violated: ['key_minute'] };
      },
    });
    expect(await lastLine(await open())).to.equal('paused at 500: rate_limited');
    expect(seen).to.deep.include('192.0.2.1').and.to.deep.include(limits);
  });

  it('pauses at the last change that is paid', async () => {
    const { open, permits, lastLine } = await fixture(1_200, 10);
    permits.most = 1;
    expect(await lastLine(await open())).to.equal('paused at 1000: rate_limited');
  });

  it('with a filter that passes nothing takes the same permits, and pauses when none is left', async () => {
    const { open, permits, lastLine } = await fixture(1_200, 10);
    const filter = { ...NO_FILTER, marketIds: new Set(['nowhere']), newsId: null };
    expect(await lastLine(await open({ filter }))).to.equal('complete at 1200');
    expect(permits.taken).to.equal(2);
    permits.most = 3;
    expect(await lastLine(await open({ filter }))).to.equal('paused at 1000: rate_limited');
  });

  it('says how far it is where its filter passes nothing, and continues there with the same bytes', async () => {
    const { open, request } = await fixture(1_600, 10);
    const filter = { ...NO_FILTER, marketIds: new Set(['nowhere']), newsId: null };
    const whole = await text(await open({ filter }));
    const lines = whole.trimEnd().split('\n');
    const positions = lines.slice(0, -1).map((line) => {
      const { type, position } = JSON.parse(line);
      expect(type).to.equal('progress');
      return readPosition(position) ?? expect.fail(line);
    });
    expect(positions.map(({ n }) => n)).to.deep.equal([500, 1_000, 1_500]);
    for (const [i, after] of positions.entries()) {
      const rest = await text(await open({ filter, range: { ...request.range, after } }));
      expect(rest).to.equal(`${lines.slice(i + 1).join('\n')}\n`);
    }
  });

  it('ends at the block or, if its items are large, at the chunk before the revocation of its key', async () => {
    const inChunk = Math.floor(EXPORT_CHUNK_BYTES / 20_200);
    for (const [bytes, sent] of [
      [10, FIRST_BLOCK_CHANGES],
      [20_000, inChunk],
    ] as const) {
      let checks = 0;
      const checkStream = () => {
        checks += 1;
        return checks === 2
          ? refuse('key_revoked')
          : { subscription: 's', allowed: 1, endsAt: null, controls: null };
      };
      const { open, request, closed } = await fixture(1_200, bytes, { checkStream: checkStream as never });
      const lines = (await text(await open())).trimEnd().split('\n');
      expect([lines.length, lines.at(-1)]).to.deep.equal([sent + 1, `paused at ${sent}: key_revoked`]);
      await until(1, async () => closed.length);
      const { position } = JSON.parse(lines.at(-2) ?? '');
      const after = readPosition(position) ?? expect.fail(position);
      const rest = await text(await open({ range: { ...request.range, after } }));
      expect(`${lines.slice(0, -1).join('\n')}\n${rest}`).to.equal(await text(await open()));
    }
  });

  it('sends a line that is longer than a chunk in pieces, so that a client can accept a part of it', async () => {
    const { open } = await fixture(2, 300_000);
    const sizes: number[] = [];
    const lines = await open();
    lines.on('data', (chunk: Buffer) => sizes.push(chunk.length));
    await once(lines, 'end');
    expect(Math.max(...sizes)).to.equal(EXPORT_CHUNK_BYTES);
    expect(sizes.length).to.equal(7);
  });

  it('reads larger blocks while the process reads no other requests', async () => {
    let perBlock = 0;
    let requests = 0;
    const { open, blocks } = await fixture(2_000, 4_000, {
      requestsRead: () => {
        requests += perBlock;
        return requests;
      },
      wait: async () => {},
    });
    await text(await open());
    expect(Math.max(...blocks)).to.be.within(450, 500);
    blocks.length = 0;
    perBlock = 1;
    await text(await open());
    expect(Math.max(...blocks)).to.be.within(100, 150);
  });

  it('pauses when its key is refused, the process stops, or the store does not answer', async () => {
    const revoked = await fixture(3, 10, { checkStream: () => refuse('key_revoked') });
    expect(await revoked.lastLine(await revoked.open())).to.equal('paused at 0: key_revoked');
    const stopping = await fixture(3, 10, { isDraining: () => true });
    expect(await stopping.lastLine(await stopping.open())).to.equal('paused at 0: restart');
    const away = async function* () {
      yield* [];
      throw new Unavailable('Postgres');
    };
    const down = await fixture(3, 10, { readHistory: { blocks: away } as never });
    expect(await down.lastLine(await down.open())).to.equal('paused at 0: unavailable');
  });

  it('pauses when another export of the key has taken its slot', async () => {
    const { open, request, exports } = await fixture(3_000, 2_000, {
      streamSlots: {
        open: async () => ({ granted: true, open: 1, replaced: null }),
        renew: async ([slot]: readonly { readonly stream: string }[]) => [slot?.stream],
        close: async () => {},
      } as never,
    });
    const lines = await open();
    await setTimeout(60);
    expect(await text(lines)).to.match(/paused at \d+: replaced\n$/);
    expect(typeof (await exports.open(request))).to.equal('object');
  });

  it('is refused beside four others, and the oldest one ends once it has had its time', async () => {
    const { open, exports, request } = await fixture(3_000, 2_000);
    const four = [await open(), await open(), await open(), await open()];
    expect(await exports.open(request)).to.equal('overloaded');
    await setTimeout(PATIENCE_MS + 20);
    expect(await exports.open(request)).to.equal('overloaded');
    expect(await text(four[0] as Readable)).to.match(/paused at \d+: (?:full|slow)\n$/);
    expect(typeof (await exports.open(request))).to.equal('object');
    for (const lines of four) lines.destroy();
  });

  it('tells a client that accepts too little, and closes its connection if it reads nothing', async () => {
    const { open, closed } = await fixture(3_000, 2_000);
    const [slow, stuck] = [await open(), await open()];
    slow.read(1);
    stuck.read(1);
    await setTimeout(PATIENCE_MS * 1.5);
    expect(await text(slow)).to.match(/paused at \d+: slow\n$/);
    await until(true, async () => stuck.destroyed);
    await until(2, async () => closed.length);
  });

  it('goes on for a client that accepts enough, and while it waits for the store', async () => {
    const { open, accepted } = await fixture(3_000, 2_000);
    const lines = await open();
    lines.read(1);
    for (let i = 0; i < 6; i += 1) {
      accepted.bytes += 262_144;
      await setTimeout(PATIENCE_MS / 2);
    }
    expect(await text(lines)).to.match(/complete at 3000\n$/);
    const late = async function* () {
      await setTimeout(PATIENCE_MS * 2.5);
      yield { lines: [], position: { n: 3, mark: '' }, isComplete: true, needsPermit: false };
    };
    const waiting = await fixture(3, 10, { readHistory: { blocks: late } as never });
    expect(await waiting.lastLine(await waiting.open())).to.equal('complete at 3');
  });

  it('pauses after each block but the last while the process reads requests, and never without', async () => {
    let requests = 0;
    let perBlock = 1;
    const pauses: number[] = [];
    const { open, blocks } = await fixture(3_000, 4_000, {
      requestsRead: () => {
        requests += perBlock;
        return requests;
      },
      wait: async (ms: number) => void pauses.push(ms),
    });
    expect(await text(await open())).to.match(/complete at 3000\n$/);
    expect(blocks.length).to.be.above(10);
    expect(pauses).to.have.length(blocks.length - 1);
    perBlock = 0;
    pauses.length = 0;
    expect(await text(await open())).to.match(/complete at 3000\n$/);
    expect(pauses).to.deep.equal([]);
  });

  it('of four readers that read a byte now and then, leaves all four places after twice the patience', async () => {
    const { open, accepted, closed } = await fixture(3_000, 2_000);
    const four = [await open(), await open(), await open(), await open()];
    // Of a minute, 29 s.
    const reading = setInterval(
      () => {
        accepted.bytes += 1;
        for (const lines of four) if (!lines.destroyed) lines.read(1);
      },
      (PATIENCE_MS * 29) / 60,
    );
    await until(4, async () => closed.length);
    clearInterval(reading);
    expect(four.every(({ destroyed }) => destroyed)).to.equal(true);
    expect(await text(await open())).to.match(/complete at 3000\n$/);
  });
});
