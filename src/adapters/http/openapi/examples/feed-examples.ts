import { PLANS } from '../../../../domain/billing/plan.js';
import { venueOf } from '../../../../domain/feed/markets/market-url.js';
import { positionToken } from '../../../../domain/feed/position.js';
import {
  DAY,
  MINUTE,
  type Moment,
  plus,
  SECOND,
  startOfDay,
  startOfHour,
} from '../../../../domain/moment.js';
import { PRODUCT } from '../../product.js';
import { KEY_ID } from './account-examples.js';
import type { Example } from './example.js';
import { EXAMPLE_PUBLICATION, EXAMPLE_TIME, exampleItem } from './example-item.js';

const at = EXAMPLE_TIME;
const ADDRESS = 'https://api.example.com';

/** A position of the feed, as clients see it. */
export const SAMPLE_POSITION = positionToken({ n: 2_003, mark: '9f1c2b7d04e85a36' });
export const SAMPLE_ID = exampleItem().news_event.id;

const used = (name: string, quota: number, seconds: number, resets_at: Moment) => ({
  name,
  quota,
  seconds,
  used: 1,
  remaining: quota - 1,
  resets_at,
});

const { requestsPerMinute, requestsPerDay } = PLANS.pro;

const index = (version: string): Example => ({
  response: {
    name: 'Oddswire',
    version,
    description: PRODUCT,
    links: {
      feed: `${ADDRESS}/pm/v2/news`,
      stream: `${ADDRESS}/pm/v2/stream`,
      changes: `${ADDRESS}/pm/v2/changes`,
      history: `${ADDRESS}/pm/v2/history`,
      markets: `${ADDRESS}/pm/v2/markets`,
      usage: `${ADDRESS}/pm/v2/usage`,
      mcp: `${ADDRESS}/mcp`,
      status: `${ADDRESS}/status`,
      openapi: `${ADDRESS}/openapi.json`,
      documentation: `${ADDRESS}/docs`,
      llms: `${ADDRESS}/llms.txt`,
      dashboard: `${ADDRESS}/dashboard`,
    },
    clients: [
      {
        language: 'TypeScript and JavaScript',
        url: `${ADDRESS}/clients/oddswire-client-${version}.tgz`,
        sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
        install: `npm install ${ADDRESS}/clients/oddswire-client-${version}.tgz`,
      },
    ],
  },
});

const EXAMPLE_MARKETS = exampleItem()
  .related_markets.slice(0, 1)
  .map(({ main_market: main, sub_markets: [sub] }) => ({
    markets: [
      {
        market_id: sub?.sub_market_id,
        kind: 'sub',
        main_market_id: main.market_id,
        market_url: sub?.market_url,
        market_title: sub?.sub_market_title,
        venue: venueOf(new URL(main.market_url).host),
        outcomes: sub?.outcomes,
        first_news_at: at,
        last_news_at: at,
        news_count: 1,
        last_snapshot: { ...sub?.market_snapshot, scored_at: at },
        refs: [sub?.market_url],
      },
    ],
    next_cursor: null,
    unknown: ['no-such-market'],
  }))[0];

const EXAMPLES: Readonly<Record<string, Example>> = {
  readNews: { response: { items: [exampleItem()], next_cursor: at } },
  findMarkets: { response: EXAMPLE_MARKETS },
  readHistory: {
    response: {
      changes: [
        {
          position: SAMPLE_POSITION,
          // Without an item: the page of the reference has the example item often enough.
          kind: 'retracted',
          known_at: plus(at, SECOND),
          scored_at: at,
          id: SAMPLE_ID,
          revision: 2,
          item: null,
        },
      ],
      position: SAMPLE_POSITION,
      complete: true,
    },
  },
  openStream: {
    response: {
      messages: [
        { type: 'item', position: SAMPLE_POSITION, known_at: at, scored_at: at, item: exampleItem() },
      ],
      position: SAMPLE_POSITION,
      more: false,
    },
  },
  readChanges: {
    response: {
      // Without an item: the page of the reference has the example item often enough.
      messages: [{ type: 'retraction', position: SAMPLE_POSITION, known_at: at, id: SAMPLE_ID }],
      position: SAMPLE_POSITION,
      more: false,
    },
  },
  readOwnKey: {
    response: {
      key_id: KEY_ID,
      prefix: 'svc_q9T2mZ0a',
      label: 'production',
      scopes: ['events.read', 'markets.read'],
      status: 'active',
      grace_until: null,
      issued_at: at,
      expires_at: plus(startOfDay(at), 90 * DAY),
      allowed_addresses: ['203.0.113.0/24', '2001:db8::7'],
      requests_per_minute: 600,
      requests_per_day: null,
      replaced_by: null,
    },
  },
  readUsage: {
    response: {
      key_id: KEY_ID,
      plan: 'pro',
      limits: [
        used('minute', requestsPerMinute, 60, plus(at, MINUTE)),
        used('day', requestsPerDay, 86_400, plus(startOfDay(at), DAY)),
      ],
    },
  },
  readUsageHistory: {
    response: {
      since: plus(startOfHour(at), -30 * DAY),
      hours: [
        {
          hour: startOfHour(at),
          key_id: KEY_ID,
          requests: { '2xx': 1_180, '3xx': 5_204, '4xx': 3, '5xx': 0 },
        },
      ],
    },
  },
  readStatus: {
    response: {
      status: 'up',
      feed: { head: at, age_seconds: 4, position: SAMPLE_POSITION },
      streams: { open: 12 },
      parts: [{ part: 'Postgres', state: 'up' }],
    },
  },
  readItemState: {
    response: {
      id: SAMPLE_ID,
      state: 'published',
      revision: 1,
      position: SAMPLE_POSITION,
      known_at: at,
      scored_at: at,
      endpoint_published_at: exampleItem().news_event.endpoint_published_at,
      item: exampleItem(),
    },
  },
  publishNews: {
    request: EXAMPLE_PUBLICATION,
    response: { accepted: 1, unchanged: 0, rejected: [] },
  },
  readTestClock: { response: { now: at } },
  advanceTestClock: { request: { advance_seconds: 60 }, response: { now: plus(at, MINUTE) } },
  livez: { response: { status: 'alive' } },
  readyz: {
    response: { status: 'ready', parts: [{ part: 'Postgres', state: 'up', words: 'reachable' }] },
  },
  metrics: { response: '# TYPE oddswire_streams_open gauge\noddswire_streams_open 12\n' },
};

/**
 * Examples of the calls about the feed and the service itself, by operation. All items are the one of the sample feed.
 * `version` is that of the service.
 */
export const feedExamples = (version: string): Readonly<Record<string, Example>> => ({
  ...EXAMPLES,
  readIndex: index(version),
});
