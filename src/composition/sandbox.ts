import { cachedSandboxHolders } from '../adapters/caching/cached-sandbox-holders.js';
import type { Compression } from '../adapters/http/answer/compression.js';
import { problemReferences } from '../adapters/http/answer/service-links.js';
import { answerNews } from '../adapters/http/feed/answer-news.js';
import { FinishedPages } from '../adapters/http/feed/finished-pages.js';
import { HistoryExports } from '../adapters/http/feed/history/history-exports.js';
import { historyRoute } from '../adapters/http/feed/history/history-route.js';
import { NewsQueries } from '../adapters/http/feed/news-parameters.js';
import { newsRoute } from '../adapters/http/feed/news-route.js';
import type { OpeningQueue } from '../adapters/http/feed/stream/opening-queue.js';
import { changesRoute, streamRoute } from '../adapters/http/feed/stream/stream-route.js';
import { SentKeys } from '../adapters/http/keys/sent-keys.js';
import { admitSentKey } from '../adapters/http/limits/admit-sent-key.js';
import type { CountRequest } from '../adapters/http/limits/request-count.js';
import type { RequestClasses } from '../adapters/http/listener/request-classes.js';
import { SandboxDoor } from '../adapters/http/sandbox/sandbox-door.js';
import { LiveFeed } from '../adapters/live/changes/live-feed.js';
import type { StreamNotes } from '../adapters/live/stream-notes.js';
import { StreamRegistry } from '../adapters/live/stream-registry.js';
import { MemoryStreamSlots } from '../adapters/memory/limits/memory-stream-slots.js';
import { followSandbox } from '../adapters/sandbox/follow-sandbox.js';
import { SandboxFeed } from '../adapters/sandbox/sandbox-feed.js';
import { SandboxPast } from '../adapters/sandbox/sandbox-past.js';
import { storyOrder } from '../adapters/stories/story-order.js';
import { openStream } from '../application/feed/open-stream.js';
import { readFeed } from '../application/feed/read-feed.js';
import { ReadHistory } from '../application/feed/read-history.js';
import { ReadPastFeed } from '../application/feed/read-past-feed.js';
import {
  admitSandbox,
  checkSandboxStream,
  SANDBOX_PLAN,
  sandboxWindows,
} from '../application/limits/admit-sandbox.js';
import { takeReplayPermit } from '../application/limits/take-replay-permit.js';
import { SANDBOX_STREAMS, SANDBOX_STREAMS_MAX } from '../domain/limits/sandbox-limits.js';
import { renewalSeconds } from '../domain/limits/streams.js';
import { SandboxLog } from '../domain/sandbox/sandbox-log.js';
import { CHANGE_EVERY, CHANGES_KEPT } from '../domain/sandbox/sandbox-time.js';
import { type Made, overlay } from './container/container.js';
import type { Hooks } from './container/hooks.js';
import type { PageParts } from './pages.js';

/** What the sandbox shares with the routes of customers. */
type SharedParts = PageParts & {
  readonly compression: Compression;
  readonly openings: OpeningQueue;
  readonly requestClasses: RequestClasses;
  readonly sentKeys: SentKeys;
};

/** How often new changes are looked for, and how often the keys of open streams are checked. */
const FOLLOW_MS = 500;
const CHECK_MS = 5_000;

const MEGABYTE = 1_000_000;
/** The memory of finished pages, and that of messages of streams: of the newest changes, and of blocks of older ones. */
const PAGES_BYTES = 4 * MEGABYTE;
const CHANGES_BYTES = 2 * MEGABYTE;

/** Streams of the sandbox are in no metric: those of customers show what customers get. */
const NO_NOTES: StreamNotes = {
  opened: () => {},
  closed: () => {},
  delivered: () => {},
  resumed: () => {},
  replayPermit: () => {},
  refused: (why) => why,
  limitedTo: () => {},
};

/** The computed feed of sandbox keys (D77). The stories are read at the first request. */
export const sandboxFeeds = (parts: SharedParts, { running }: Hooks) => {
  const log = new SandboxLog(() => {
    const { backlog, live } = storyOrder(false);
    return [...backlog, ...live];
  });
  const feed = new SandboxFeed({ log, clock: () => parts.clock() });
  const past = new SandboxPast({ log, newestNumber: () => feed.newestNumber });
  const liveFeed: LiveFeed = new LiveFeed({
    history: feed,
    now: () => parts.monotonicClock(),
    readNow: async () => followed.follow(),
    windowBytes: CHANGES_BYTES,
    blocksBytes: CHANGES_BYTES,
  });
  const followed = followSandbox(feed, liveFeed);
  running({ start: async () => followed.start(FOLLOW_MS), close: async () => followed.stop() });
  return {
    sandboxFeed: () => feed,
    sandboxPast: () => past,
    sandboxLiveFeed: () => liveFeed,
    followedSandbox: () => followed,
  };
};

type WithFeeds = SharedParts & Made<typeof sandboxFeeds>;

/** Who uses the sandbox, and how often. */
export const sandboxUsers = (parts: WithFeeds) => ({
  sandboxUsers: () => ({
    findSandboxHolder: cachedSandboxHolders((hash) => parts.sandboxKeys.find(hash), parts.monotonicClock),
    publicKey: parts.hashKey(parts.publicSandboxKey),
  }),
  sandboxReplayPermit: () => takeReplayPermit(overlay(parts, { openWindows: sandboxWindows })),
  sandboxSlots: () => {
    const { clock, monotonicClock, config } = parts;
    return new MemoryStreamSlots({ clock, monotonicClock, leaseSeconds: config.streamSlotSeconds });
  },
});

type WithUsers = WithFeeds & Made<typeof sandboxUsers>;

/** The gateway of sandbox keys. */
export const sandboxGateway = (parts: WithUsers) => ({
  sandboxSentKeys: () => {
    const { hashKey, sandboxKeyFormat: keyFormat, config } = parts;
    // The key is no proof of a customer: the connection counts towards the limit of its address.
    const connections = { prove: () => {} };
    return new SentKeys({ hashKey, keyFormat, connections, queryKeyAllowed: config.queryKeyAllowed });
  },
  admitInSandbox: () => {
    const { counters, guardAddress, clock, requestClasses } = parts;
    const admitRequest = admitSandbox({ ...parts.sandboxUsers, counters, guardAddress, clock });
    return admitSentKey({ admitRequest, admitting: requestClasses.admitting, note: () => {} });
  },
});

type WithSandboxGateway = WithUsers & Made<typeof sandboxGateway>;

/** Streams and batches with sandbox keys. */
export const sandboxStreams = (parts: WithSandboxGateway) => ({
  sandboxStreams: () => {
    const { config, clock, plans, sandboxLiveFeed: liveFeed, sandboxSlots: streamSlots, log } = parts;
    const ownPlans = { ...plans, [SANDBOX_PLAN]: { ...plans[SANDBOX_PLAN], streams: SANDBOX_STREAMS } };
    const feedChangesKept = CHANGES_KEPT * CHANGE_EVERY;
    return new StreamRegistry({
      liveFeed,
      feedHistory: parts.sandboxFeed,
      accountChanges: { onChange: checkedRegularly },
      streamSlots,
      clock,
      monotonicClock: parts.monotonicClock,
      openStream: openStream({
        followedFeed: liveFeed,
        streamSlots,
        plans: ownPlans,
        clock,
        feedChangesKept,
      }),
      checkStream: checkSandboxStream(parts.sandboxUsers),
      takeReplayPermit: parts.sandboxReplayPermit,
      notes: NO_NOTES,
      report: (fault: unknown) => log.error({ err: fault }, 'a stream of the sandbox failed'),
      settings: {
        streamsMax: SANDBOX_STREAMS_MAX,
        heartbeatMs: config.streamHeartbeatSeconds * 1_000,
        renewalMs: renewalSeconds(config.streamSlotSeconds) * 1_000,
        pauseMs: 2,
      },
    });
  },
});

/** No log tells of changes of sandbox keys, so each key with an open stream is checked again and again. */
function checkedRegularly(listener: (change: { readonly keys: 'all' }) => void): () => void {
  const timer = setInterval(() => listener({ keys: 'all' }), CHECK_MS).unref();
  return () => clearInterval(timer);
}

type WithSandboxStreams = WithSandboxGateway & Made<typeof sandboxStreams>;

/** The parts of a route that a sandbox key passes. Nothing is counted as usage. */
function gatewayOf(parts: WithSandboxStreams) {
  const { admitInSandbox, sandboxSentKeys: sentKeys, refund, requestClasses, keyFormat, clock } = parts;
  const count: CountRequest = { clock, note: () => {} };
  return {
    admitSentKey: admitInSandbox,
    sentKeys,
    refund,
    keyFormat,
    // Everyone may send the public key, so customers do not share their places with it (`docs/limits.md`).
    working: requestClasses.open.bulkhead,
    count,
  };
}

const streamParts = (parts: WithSandboxStreams) => ({
  ...gatewayOf(parts),
  openings: parts.openings,
  openStream: parts.sandboxStreams.open,
  isDraining: parts.lifecycle.isDraining,
  noteLostEvents: parts.publicLog.lostEvents,
});

/** The routes of sandbox keys: those of customers, over the computed feed. */
export const sandboxRoutes = (parts: WithSandboxStreams, { running }: Hooks) => {
  running({ start: () => parts.sandboxStreams.start(), close: () => parts.sandboxStreams.close() });
  return {
    sandboxDoor: () =>
      new SandboxDoor({
        sentKeys: parts.sentKeys,
        sandboxSentKeys: parts.sandboxSentKeys,
        admit: parts.admitInSandbox,
        follow: parts.followedSandbox.follow,
        details: () => ({ head: parts.sandboxFeed.state.head, start: parts.sandboxPast.start }),
        pause: parts.pause,
      }),
    sandboxNews: () => newsRouteOf(parts),
    sandboxStream: () => streamRoute(streamParts(parts)),
    sandboxChanges: () => changesRoute(streamParts(parts)),
    sandboxHistory: () => historyRouteOf(parts),
  };
};

function newsRouteOf(parts: WithSandboxStreams) {
  const { guardAddress, compression, publicLog, sandboxFeed: feed, sandboxPast: feedPast } = parts;
  const { sentKeys, count, ...admitted } = gatewayOf(parts);
  const answer = answerNews({
    ...admitted,
    guardAddress,
    compression,
    queries: new NewsQueries(parts.keyFormat),
    readFeed: readFeed({ feed }),
    readPastFeed: new ReadPastFeed({ feedPast }),
    pages: new FinishedPages(PAGES_BYTES),
    report: publicLog.reportFault,
    references: problemReferences(parts, publicLog.listener),
  });
  return newsRoute({ answerNews: answer, sentKeys, count });
}

function historyRouteOf(parts: WithSandboxStreams) {
  const { sandboxReplayPermit: permit, sandboxSlots, sandboxUsers, monotonicClock, lifecycle } = parts;
  const readHistory = new ReadHistory({ feedPast: parts.sandboxPast });
  const historyExports = new HistoryExports({
    readHistory,
    streamSlots: sandboxSlots,
    checkStream: checkSandboxStream(sandboxUsers),
    takeReplayPermit: permit,
    monotonicClock,
    isDraining: lifecycle.isDraining,
    // The feed of the sandbox is in memory and small, so its exports need no pauses.
    requestsRead: () => 0,
    report: (fault: unknown) => parts.log.error({ err: fault }, 'an export of the sandbox failed'),
    settings: { renewalMs: renewalSeconds(parts.config.streamSlotSeconds) * 1_000 },
  });
  return historyRoute({ ...gatewayOf(parts), takeReplayPermit: permit, readHistory, historyExports });
}

export type SandboxParts = WithSandboxStreams & Made<typeof sandboxRoutes>;
