import type { Plans } from '../domain/billing/plan.js';
import { targetFault, withHostParameters } from '../domain/database-hosts.js';
import { ABUSE_RULES, type AbuseRules } from '../domain/limits/abuse.js';
import { SLOT_LEASE_SECONDS } from '../domain/limits/streams.js';
import { DAY, type Duration, SECOND } from '../domain/moment.js';
import { REDIS_SCHEMES, redisUrls, redisUrlsFault } from '../domain/redis-urls.js';
import { type DestinationSettings, readDestinations } from './destination-settings.js';
import { type Environment, EnvironmentReader } from './environment.js';
import { type IdentitySettings, readIdentity } from './identity-settings.js';
import { type ListenerSettings, readListeners } from './listener-settings.js';
import { LOG_FORMATS, type LogFormat } from './log-format.js';
import { LOG_LEVELS, type LogLevel } from './log-level.js';
import { type PageSettings, readPages } from './page-settings.js';
import { type PaymentSettings, readPayments } from './payment-settings.js';
import { readPlans } from './plan-settings.js';
import { readWebAddress } from './web-address-setting.js';

/** The settings of the service (D43), read once at the start. `docs/settings.md` describes each one. */
export type Config = ListenerSettings &
  PageSettings & {
    readonly stateDir: string;
    /** Undefined: `http://localhost` with the port of the public listener. */
    readonly publicUrl: string | undefined;
    readonly keyPrefix: string;
    readonly queryKeyAllowed: boolean;
    readonly testClock: boolean;
    readonly logLevel: LogLevel;
    readonly logFormat: LogFormat;
    readonly traces: {
      /** Undefined: spans are not recorded. */
      readonly url: string | undefined;
      /** The percentage of the requests that are recorded without the word of a trusted caller. */
      readonly percent: number;
    };
    readonly trustedProxyHops: number;
    /** Number of processes on one port; more than one run under a supervisor. */
    readonly workers: number;
    readonly drainDelayMs: number;
    readonly anonymousPerMinute: number;
    readonly requestsInHandMax: number;
    /** The most open streams of this process (D51). */
    readonly streamsMax: number;
    /** How long the slot of a stream is kept without a renewal. */
    readonly streamSlotSeconds: number;
    /** The interval of heartbeats and pings on a stream. */
    readonly streamHeartbeatSeconds: number;
    /** The most open connections of one client address on which no valid key was sent; 0: no limit. */
    readonly connectionsPerAddress: number;
    /** How long the body of a webhook or a form may take to arrive. */
    readonly bodyMs: number;
    /** How long a client may read nothing of a response. */
    readonly unreadAnswerMs: number;
    /** How long an idle connection stays open after a response. */
    readonly keepAliveMs: number;
    /** Emails to addresses without an account, per client subnet. */
    readonly signInMailsPerDay: number;
    /** Accounts that people open by signing in, per client subnet. */
    readonly newAccountsPerDay: number;
    readonly gateMaxStale: Duration;
    /** Copies of keys are compared with the database after this time, or up to twice as long. */
    readonly keyCompareMs: number;
    readonly plans: Plans;
    /** Undefined: stores in memory, unless `embeddedDatabase` is set. */
    readonly databaseUrl: string | undefined;
    /** The folder of an embedded Postgres, started and stopped with the service. */
    readonly embeddedDatabase: string | undefined;
    readonly databaseReplicaUrls: readonly string[];
    readonly migrateAtStart: boolean;
    /** The number of newest items that each process copies and serves from memory. */
    readonly hotItems: number;
    readonly feedChangesKept: Duration;
    readonly payments: PaymentSettings;
    readonly identity: IdentitySettings;
    readonly destinations: DestinationSettings;
    readonly abuse: AbuseRules;
    /** Undefined: emails are written to the log instead. */
    readonly smtpUrl: string | undefined;
    /** Whether emails may be sent over an unencrypted connection. */
    readonly smtpAllowsPlain: boolean;
    readonly mailFrom: string;
    /** Empty: each process has its own counters. Several: the nodes of a cluster. */
    readonly redisUrls: readonly string[];
  };

/**
 * The settings, or every fault in them, one line each. `warn` receives a line for each variable that looks like a
 * misspelt setting.
 */
export function readConfig(
  environment: Environment,
  warn: (line: string) => void = () => {},
): Config | { readonly faults: readonly string[] } {
  const read = new EnvironmentReader(environment);
  const config: Config = {
    ...readListeners(read),
    stateDir: read.given('STATE_DIR') ?? './var',
    publicUrl: readPublicUrl(read),
    keyPrefix: read.matching(
      'KEY_PREFIX',
      'svc_',
      /^[a-z0-9]{1,10}_$/,
      '1 to 10 characters of a–z and 0–9, then “_”',
    ),
    queryKeyAllowed: read.flag('ALLOW_QUERY_KEY', true),
    testClock: read.flag('TEST_CLOCK', false),
    ...readLogs(read),
    workers: readWorkers(read),
    trustedProxyHops: read.whole('TRUSTED_PROXY_HOPS', 0, 0, 10),
    drainDelayMs: read.whole('DRAIN_DELAY_MS', 1_000, 0, 60_000),
    anonymousPerMinute: read.whole('ANONYMOUS_PER_MINUTE', 30, 1, 1_000_000),
    requestsInHandMax: read.whole('REQUESTS_IN_HAND_MAX', 1_000, 1, 100_000),
    ...readStreams(read),
    connectionsPerAddress: read.whole('CONNECTIONS_PER_ADDRESS', 256, 0, 1_000_000),
    bodyMs: read.whole('BODY_TIMEOUT_MS', 5_000, 100, 60_000),
    unreadAnswerMs: read.whole('UNREAD_ANSWER_TIMEOUT_MS', 30_000, 100, 600_000),
    keepAliveMs: 1_000 * read.whole('KEEP_ALIVE_SECONDS', 65, 1, 3_600),
    signInMailsPerDay: read.whole('SIGN_IN_MAILS_PER_DAY', 30, 1, 1_000_000),
    newAccountsPerDay: read.whole('NEW_ACCOUNTS_PER_DAY', 10, 1, 1_000_000),
    plans: readPlans(read),
    ...readDatabase(read),
    ...readCopies(read),
    payments: readPayments(read),
    identity: readIdentity(read),
    destinations: readDestinations(read),
    ...readPages(read),
    abuse: readAbuse(read),
    ...readMail(read),
    redisUrls: readRedisUrls(read),
  };
  for (const line of read.unknown) warn(line);
  return read.faults.length > 0 ? { faults: read.faults } : config;
}

const readLogs = (read: EnvironmentReader) => ({
  logLevel: read.oneOf('LOG_LEVEL', 'info', LOG_LEVELS),
  logFormat: read.oneOf('LOG_FORMAT', 'auto', LOG_FORMATS),
  traces: { url: readWebAddress(read, 'TRACES_URL'), percent: read.whole('TRACES_PERCENT', 1, 0, 100) },
});

const readMail = (read: EnvironmentReader) => ({
  smtpUrl: read.url('SMTP_URL', ['smtp', 'smtps']),
  smtpAllowsPlain: read.flag('SMTP_ALLOW_PLAIN', false),
  mailFrom: read.matching(
    'MAIL_FROM',
    'Oddswire <oddswire@localhost>',
    /^[^\p{Cc}]*@[^\p{Cc}]+$/u,
    'an email address, or like Name <name@example.com>',
  ),
});

const readStreams = (read: EnvironmentReader) => ({
  streamsMax: read.whole('STREAMS_MAX', 20_000, 0, 1_000_000),
  streamSlotSeconds: read.whole('STREAM_SLOT_SECONDS', SLOT_LEASE_SECONDS, 3, 300),
  streamHeartbeatSeconds: read.whole('STREAM_HEARTBEAT_SECONDS', 15, 1, 60),
});

/** The copies that a process keeps of stored data. */
const readCopies = (read: EnvironmentReader) => ({
  gateMaxStale: read.whole('GATE_MAX_STALE', 600, 5, 86_400) * SECOND,
  keyCompareMs: read.whole('KEY_COMPARE_SECONDS', 600, 1, 86_400) * 1_000,
  hotItems: read.whole('HOT_ITEMS', 10_000, 1, 1_000_000),
  feedChangesKept: read.whole('CHANGES_KEPT_DAYS', 7, 1, 365) * DAY,
});

const EMBEDDED = 'embedded:';

function readDatabase(read: EnvironmentReader) {
  const given = read.given('DATABASE_URL');
  const embeddedDatabase = given?.startsWith(EMBEDDED) ? given.slice(EMBEDDED.length) : undefined;
  if (embeddedDatabase === '')
    read.refuse('DATABASE_URL must name a folder after "embedded:", like embedded:./var/postgres');
  const url = given === undefined || embeddedDatabase !== undefined ? [] : [withHostParameters(given)];
  const valid = url.filter((each) => each !== null);
  if (valid.length < url.length)
    read.refuse('DATABASE_URL must be one URL; set replicas in DATABASE_REPLICA_URLS');
  const [databaseUrl] = read.urls('DATABASE_URL', POSTGRES, valid);
  const fault = databaseUrl === undefined ? null : targetFault(databaseUrl);
  if (fault !== null) read.refuse(`DATABASE_URL ${fault}`);
  const databaseReplicaUrls = read.urls('DATABASE_REPLICA_URLS', POSTGRES);
  if (databaseReplicaUrls.length > 0 && given === undefined) {
    read.refuse('DATABASE_REPLICA_URLS needs DATABASE_URL; set DATABASE_URL to the primary');
  }
  const migrateAtStart = read.oneOf('MIGRATE', 'on', ['on', 'off']) === 'on';
  return { databaseUrl, embeddedDatabase, databaseReplicaUrls, migrateAtStart };
}

const POSTGRES = ['postgres', 'postgresql'];

function readRedisUrls(read: EnvironmentReader): readonly string[] {
  const given = read.given('REDIS_URL');
  const urls = read.urls('REDIS_URL', REDIS_SCHEMES, given === undefined ? [] : redisUrls(given));
  const fault = redisUrlsFault(urls);
  if (fault !== null) read.refuse(`REDIS_URL ${fault}`);
  return urls;
}

function readWorkers(read: EnvironmentReader): number {
  const workers = read.whole('WEB_CONCURRENCY', 1, 1, 64);
  const isShared = read.given('DATABASE_URL') !== undefined && read.given('REDIS_URL') !== undefined;
  if (workers > 1 && !isShared)
    read.refuse('WEB_CONCURRENCY above 1 needs DATABASE_URL and REDIS_URL; processes share data only there');
  return workers;
}

function readPublicUrl(read: EnvironmentReader): string | undefined {
  const url = read.given('PUBLIC_URL');
  if (url !== undefined && !/^https?:\/\/[^/?#]+$/.test(url)) {
    read.refuse(
      `PUBLIC_URL must be like https://api.example.com, without a path, but it is ${JSON.stringify(url)}`,
    );
  }
  return url;
}

function readAbuse(read: EnvironmentReader): AbuseRules {
  const { networksMax, refusedMinutes, refusedLeast } = ABUSE_RULES;
  return {
    networksMax: read.whole('ABUSE_NETWORKS', networksMax, 1, 1_000_000),
    refusedMinutes: read.whole('ABUSE_REFUSED_MINUTES', refusedMinutes, 1, 1_000_000),
    refusedLeast: read.whole('ABUSE_REFUSED_LEAST', refusedLeast, 1, 1_000_000_000),
  };
}
