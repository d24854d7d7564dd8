import type { OpenStream } from '../adapters/live/open-stream.js';
import { StreamRegistry } from '../adapters/live/stream-registry.js';
import { openFilesMax } from '../adapters/system/open-files.js';
import { openStream } from '../application/feed/open-stream.js';
import { checkStream } from '../application/limits/check-stream.js';
import { takeReplayPermit } from '../application/limits/take-replay-permit.js';
import { positionToken } from '../domain/feed/position.js';
import { renewalSeconds, streamsAtOnce } from '../domain/limits/streams.js';
import { type Made, overlay } from './container/container.js';
import type { Hooks } from './container/hooks.js';
import type { ListenerParts } from './listeners.js';

/** Streams of the feed, and batches that wait for a change. */
export const streams = (parts: ListenerParts) => ({
  streams: () => {
    const { config, liveFeed, feedHistory, accountChanges, streamSlots, metrics, log } = parts;
    metrics.caches.observe('changes', () => liveFeed.bytes.changes);
    metrics.caches.observe('blocks', () => liveFeed.bytes.blocks);
    return new StreamRegistry({
      liveFeed,
      feedHistory,
      accountChanges,
      streamSlots,
      clock: parts.clock,
      monotonicClock: parts.monotonicClock,
      openStream: openStream(overlay(parts, { followedFeed: liveFeed })),
      checkStream: checkStream(parts),
      takeReplayPermit: takeReplayPermit(parts),
      notes: metrics.streams,
      report: (fault: unknown) => log.error({ err: fault }, 'a stream failed'),
      settings: {
        streamsMax: streamsAtOnce(config.streamsMax, openFilesMax()),
        heartbeatMs: config.streamHeartbeatSeconds * 1_000,
        renewalMs: renewalSeconds(config.streamSlotSeconds) * 1_000,
        pauseMs: 2,
      },
    });
  },
});

type WithRegistry = ListenerParts & Made<typeof streams>;

/** Starts and stops the streams, and shows their number. Tests replace `openStream`. */
export const streamHooks = (parts: WithRegistry, { starting, closing, reporting }: Hooks) => {
  starting(() => parts.streams.start());
  closing(() => parts.streams.close());
  reporting(() => {
    const { open, most, position } = parts.streams.figures;
    const at = position === null ? 'no position yet' : positionToken(position);
    const text = `${open} of at most ${most} streams are open; the feed is at ${at}`;
    return { dependency: 'streams', state: 'up', text };
  });
  return { openStream: (): OpenStream => parts.streams.open };
};

export type StreamParts = WithRegistry & Made<typeof streamHooks>;
