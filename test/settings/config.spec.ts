import { expect } from 'chai';
import { DUNNING } from '../../src/domain/billing/dunning.js';
import { PLANS } from '../../src/domain/billing/plan.js';
import { ABUSE_RULES } from '../../src/domain/limits/abuse.js';
import { DAY, SECOND } from '../../src/domain/moment.js';
import type { Config } from '../../src/settings/config.js';
import { acceptedSettings, settingFaults } from '../support/objects/settings.js';

const DEFAULTS: Config = {
  host: '0.0.0.0',
  port: 8_080,
  internalHost: '127.0.0.1',
  internalPort: 8_081,
  internalHosts: [],
  operatorToken: undefined,
  publisherToken: undefined,
  stateDir: './var',
  publicUrl: undefined,
  keyPrefix: 'svc_',
  queryKeyAllowed: true,
  testClock: false,
  logLevel: 'info',
  logFormat: 'auto',
  traces: { url: undefined, percent: 1 },
  trustedProxyHops: 0,
  workers: 1,
  drainDelayMs: 1_000,
  anonymousPerMinute: 30,
  requestsInHandMax: 1_000,
  streamsMax: 20_000,
  streamSlotSeconds: 30,
  streamHeartbeatSeconds: 15,
  connectionsPerAddress: 256,
  bodyMs: 5_000,
  unreadAnswerMs: 30_000,
  keepAliveMs: 65_000,
  signInMailsPerDay: 30,
  newAccountsPerDay: 10,
  gateMaxStale: 600 * SECOND,
  keyCompareMs: 600_000,
  plans: PLANS,
  databaseUrl: undefined,
  embeddedDatabase: undefined,
  databaseReplicaUrls: [],
  migrateAtStart: true,
  hotItems: 10_000,
  feedChangesKept: 7 * DAY,
  payments: {
    webhookSecrets: [],
    apiKey: undefined,
    apiUrl: 'https://api.stripe.com',
    prices: {},
    paymentLink: undefined,
    pastDue: 'serve',
    schedule: DUNNING,
  },
  identity: { oidc: undefined, github: undefined, operatorGroup: undefined },
  destinations: {
    secretsKeys: [],
    networks: [],
    allowsLoopback: false,
    ports: [],
    workers: 50,
    timeoutMs: 10_000,
  },
  operatorConsole: true,
  frontPageHeadline: false,
  securityContact: undefined,
  supportContact: undefined,
  abuse: ABUSE_RULES,
  smtpUrl: undefined,
  smtpAllowsPlain: false,
  mailFrom: 'Oddswire <oddswire@localhost>',
  redisUrls: [],
};

describe('The settings', () => {
  it('all have a default (D43)', () => {
    expect(acceptedSettings()).to.deep.equal(DEFAULTS);
  });

  it('count as absent if they are empty', () => {
    const names = ['HOST', 'PORT', 'OPERATOR_TOKEN', 'PUBLIC_URL', 'KEY_PREFIX', 'TEST_CLOCK', 'LOG_LEVEL'];
    const more = [
      'DATABASE_URL',
      'REDIS_URL',
      'DATABASE_REPLICA_URLS',
      'WEB_CONCURRENCY',
      'RATE_LIMIT_PRO_DAY',
    ];
    expect(acceptedSettings(Object.fromEntries([...names, ...more].map((name) => [name, ''])))).to.deep.equal(
      DEFAULTS,
    );
  });

  // biome-ignore format: a table is read by its columns
  const settings: readonly (readonly [name: string, value: string, set: Partial<Config>])[] = [
    ['HOST',                   '::1',                     { host: '::1' }],
    ['PORT',                   '0',                       { port: 0 }],
    ['PORT',                   '65535',                   { port: 65_535 }],
    ['INTERNAL_HOST',          '10.0.0.1',                { internalHost: '10.0.0.1' }],
    ['INTERNAL_PORT',          '9000',                    { internalPort: 9_000 }],
    ['INTERNAL_HOSTS',         'oddswire,a.b-c.example',  { internalHosts: ['oddswire', 'a.b-c.example'] }],
    ['OPERATOR_TOKEN',         'o/p+e=r~!-23456789-20',   { operatorToken: 'o/p+e=r~!-23456789-20' }],
    ['PUBLISHER_TOKEN',        'exactly-20-letters-p',    { publisherToken: 'exactly-20-letters-p' }],
    ['STATE_DIR',              '/var/lib/x',              { stateDir: '/var/lib/x' }],
    ['PUBLIC_URL',             'https://api.example.com', { publicUrl: 'https://api.example.com' }],
    ['PUBLIC_URL',             'http://localhost:8080',   { publicUrl: 'http://localhost:8080' }],
    ['KEY_PREFIX',             'acme9_',                  { keyPrefix: 'acme9_' }],
    ['ALLOW_QUERY_KEY',        '0',                       { queryKeyAllowed: false }],
    ['ALLOW_QUERY_KEY',        'False',                   { queryKeyAllowed: false }],
    ['TEST_CLOCK',             '1',                       { testClock: true }],
    ['TEST_CLOCK',             'TRUE',                    { testClock: true }],
    ['LOG_LEVEL',              'silent',                  { logLevel: 'silent' }],
    ['LOG_FORMAT',             'pretty',                  { logFormat: 'pretty' }],
    ['TRUSTED_PROXY_HOPS',     '10',                      { trustedProxyHops: 10 }],
    ['DRAIN_DELAY_MS',         '0',                       { drainDelayMs: 0 }],
    ['ANONYMOUS_PER_MINUTE',   '1',                       { anonymousPerMinute: 1 }],
    ['REQUESTS_IN_HAND_MAX',   '1',                       { requestsInHandMax: 1 }],
    ['CONNECTIONS_PER_ADDRESS', '0',                      { connectionsPerAddress: 0 }],
    ['BODY_TIMEOUT_MS',        '200',                     { bodyMs: 200 }],
    ['UNREAD_ANSWER_TIMEOUT_MS', '500',                   { unreadAnswerMs: 500 }],
    ['KEEP_ALIVE_SECONDS',     '620',                     { keepAliveMs: 620_000 }],
    ['SIGN_IN_MAILS_PER_DAY',  '1',                       { signInMailsPerDay: 1 }],
    ['NEW_ACCOUNTS_PER_DAY',   '1',                       { newAccountsPerDay: 1 }],
    ['GATE_MAX_STALE',         '5',                       { gateMaxStale: 5 * SECOND }],
    ['WEB_CONCURRENCY',        '1',                       {}],
    ['RATE_LIMIT_FREE_MINUTE', '7',                       { plans: { ...PLANS, free: { ...PLANS.free, requestsPerMinute: 7 } } }],
    ['RATE_LIMIT_BUILDER_DAY', '8',                       { plans: { ...PLANS, builder: { ...PLANS.builder, requestsPerDay: 8 } } }],
    ['RATE_LIMIT_PRO_MINUTE',  '1000000000',              { plans: { ...PLANS, pro: { ...PLANS.pro, requestsPerMinute: 1_000_000_000 } } }],
    ['STREAMS_BUILDER',        '6',                       { plans: { ...PLANS, builder: { ...PLANS.builder, streams: 6 } } }],
    ['STREAMS_MAX',            '0',                       { streamsMax: 0 }],
    ['STREAM_SLOT_SECONDS',    '3',                       { streamSlotSeconds: 3 }],
    ['STREAM_HEARTBEAT_SECONDS', '1',                     { streamHeartbeatSeconds: 1 }],
    ['DATABASE_URL',           'postgres://u:p@db/x',     { databaseUrl: 'postgres://u:p@db/x' }],
    ['DATABASE_URL',           'postgresql://db/x',       { databaseUrl: 'postgresql://db/x' }],
    ['DATABASE_URL',           'embedded:./var/pg',       { embeddedDatabase: './var/pg' }],
    ['MIGRATE',                'off',                     { migrateAtStart: false }],
    ['REDIS_URL',              'redis://a:1',             { redisUrls: ['redis://a:1'] }],
    ['REDIS_URL',              'redis://:p%25@a:1/2', { redisUrls: ['redis://:p%25@a:1/2'] }],
    ['REDIS_URL',              'redis://a:1,rediss://b',  { redisUrls: ['redis://a:1', 'rediss://b'] }],
    ['REDIS_URL',              'redis+sentinel://:p@a:1,b/n', { redisUrls: ['redis+sentinel://:p@a:1/n', 'redis+sentinel://:p@b/n'] }],
    ['HOT_ITEMS',              '7',                       { hotItems: 7 }],
    ['CHANGES_KEPT_DAYS',      '30',                      { feedChangesKept: 30 * DAY }],
    ['STRIPE_WEBHOOK_SECRET',  'whsec_a,whsec_b',         { payments: { ...DEFAULTS.payments, webhookSecrets: ['whsec_a', 'whsec_b'] } }],
    ['STRIPE_API_KEY',         'rk_live_x',               { payments: { ...DEFAULTS.payments, apiKey: 'rk_live_x' } }],
    ['STRIPE_API_URL',         'http://127.0.0.1:1',      { payments: { ...DEFAULTS.payments, apiUrl: 'http://127.0.0.1:1' } }],
    ['STRIPE_PRICES',          'p1=pro,p2=free',          { payments: { ...DEFAULTS.payments, prices: { p1: 'pro', p2: 'free' } } }],
    ['PAST_DUE',               'refuse',                  { payments: { ...DEFAULTS.payments, pastDue: 'refuse' } }],
    ['DUNNING_RETRIES',        '3',                       { payments: { ...DEFAULTS.payments, schedule: { ...DUNNING, retries: 3 } } }],
    ['DUNNING_RETRY_DAYS',     '2,5',                     { payments: { ...DEFAULTS.payments, schedule: { ...DUNNING, retryDays: [2, 5] } } }],
    ['DUNNING_DAYS',           '21',                      { payments: { ...DEFAULTS.payments, schedule: { ...DUNNING, days: 21 } } }],
    ['SMTP_URL',               'smtp://u:p@mail:587',     { smtpUrl: 'smtp://u:p@mail:587' }],
    ['SMTP_ALLOW_PLAIN',       '1',                       { smtpAllowsPlain: true }],
    ['MAIL_FROM',              'News <n@example.org>',    { mailFrom: 'News <n@example.org>' }],
    ['OIDC_NAME',              'Google',                  {}],
    ['FRONT_PAGE_HEADLINE',    'on',                      { frontPageHeadline: true }],
    ['SECURITY_CONTACT',       'mailto:a@example.com',    { securityContact: 'mailto:a@example.com' }],
    ['SUPPORT_CONTACT',        'https://example.com/h',   { supportContact: 'https://example.com/h' }],
    ['OPERATOR_CONSOLE',       'off',                     { operatorConsole: false }],
    ['ABUSE_NETWORKS',         '7',                       { abuse: { ...ABUSE_RULES, networksMax: 7 } }],
    ['ABUSE_REFUSED_MINUTES',  '8',                       { abuse: { ...ABUSE_RULES, refusedMinutes: 8 } }],
    ['ABUSE_REFUSED_LEAST',    '9',                       { abuse: { ...ABUSE_RULES, refusedLeast: 9 } }],
    ['SOMETHING_ELSE',         'x',                       {}],
  ];
  for (const [name, value, set] of settings) {
    it(`accept ${name}=${value} (D43)`, () => {
      expect(acceptedSettings({ [name]: value })).to.deep.equal({ ...DEFAULTS, ...set });
    });
  }

  // biome-ignore format: a table is read by its columns
  const refused: readonly (readonly [name: string, value: string, fault: string])[] = [
    ['PORT',                   '65536',              'PORT must be a whole number from 0 to 65535, but it is "65536"'],
    ['PORT',                   '-1',                 'PORT must be a whole number from 0 to 65535, but it is "-1"'],
    ['PORT',                   '80.5',               'PORT must be a whole number from 0 to 65535, but it is "80.5"'],
    ['PORT',                   '0x50',               'PORT must be a whole number from 0 to 65535, but it is "0x50"'],
    ['PORT',                   '8080 ',              'PORT must be a whole number from 0 to 65535, but it is "8080 "'],
    ['INTERNAL_PORT',          'http',               'INTERNAL_PORT must be a whole number from 0 to 65535, but it is "http"'],
    ['TRUSTED_PROXY_HOPS',     '11',                 'TRUSTED_PROXY_HOPS must be a whole number from 0 to 10, but it is "11"'],
    ['DRAIN_DELAY_MS',         '1e3',                'DRAIN_DELAY_MS must be a whole number from 0 to 60000, but it is "1e3"'],
    ['ANONYMOUS_PER_MINUTE',   '0',                  'ANONYMOUS_PER_MINUTE must be a whole number from 1 to 1000000, but it is "0"'],
    ['SIGN_IN_MAILS_PER_DAY',  '0',                  'SIGN_IN_MAILS_PER_DAY must be a whole number from 1 to 1000000, but it is "0"'],
    ['NEW_ACCOUNTS_PER_DAY',   '0',                  'NEW_ACCOUNTS_PER_DAY must be a whole number from 1 to 1000000, but it is "0"'],
    ['REQUESTS_IN_HAND_MAX',   '0',                  'REQUESTS_IN_HAND_MAX must be a whole number from 1 to 100000, but it is "0"'],
    ['GATE_MAX_STALE',         '4',                  'GATE_MAX_STALE must be a whole number from 5 to 86400, but it is "4"'],
    ['RATE_LIMIT_FREE_DAY',    '0',                  'RATE_LIMIT_FREE_DAY must be a whole number from 1 to 1000000000, but it is "0"'],
    ['STREAMS_PRO',            '0',                  'STREAMS_PRO must be a whole number from 1 to 100000, but it is "0"'],
    ['STREAM_SLOT_SECONDS',    '2',                  'STREAM_SLOT_SECONDS must be a whole number from 3 to 300, but it is "2"'],
    ['TEST_CLOCK',             'yes',                'TEST_CLOCK must be 1 or 0, but it is "yes"'],
    ['OPERATOR_CONSOLE',       'yes',                'OPERATOR_CONSOLE must be one of on, off, but it is "yes"'],
    ['LOG_LEVEL',              'loud',               'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent, but it is "loud"'],
    ['LOG_FORMAT',             'text',               'LOG_FORMAT must be one of auto, json, pretty, but it is "text"'],
    ['KEY_PREFIX',             'svc',                'KEY_PREFIX must be 1 to 10 characters of a–z and 0–9, then “_”, but it is "svc"'],
    ['KEY_PREFIX',             'a_b_',               'KEY_PREFIX must be 1 to 10 characters of a–z and 0–9, then “_”, but it is "a_b_"'],
    ['KEY_PREFIX',             'elevenchars_',       'KEY_PREFIX must be 1 to 10 characters of a–z and 0–9, then “_”, but it is "elevenchars_"'],
    ['PUBLIC_URL',             'api.example.com',    'PUBLIC_URL must be like https://api.example.com, without a path, but it is "api.example.com"'],
    ['PUBLIC_URL',             'https://a.example/', 'PUBLIC_URL must be like https://api.example.com, without a path, but it is "https://a.example/"'],
    ['WEB_CONCURRENCY',        '2',                  'WEB_CONCURRENCY above 1 needs DATABASE_URL and REDIS_URL; processes share data only there'],
    ['WEB_CONCURRENCY',        '0',                  'WEB_CONCURRENCY must be a whole number from 1 to 64, but it is "0"'],
    ['DATABASE_URL',           'mysql://db/x',       'DATABASE_URL must be a URL like postgres://host'],
    ['DATABASE_URL',           'postgres://a,postgres://b', 'DATABASE_URL must be one URL; set replicas in DATABASE_REPLICA_URLS'],
    ['DATABASE_URL',           'embedded:',          'DATABASE_URL must name a folder after "embedded:", like embedded:./var/postgres'],
    ['DATABASE_REPLICA_URLS',  'postgres://db/x',    'DATABASE_REPLICA_URLS needs DATABASE_URL; set DATABASE_URL to the primary'],
    ['MIGRATE',                'no',                 'MIGRATE must be one of on, off, but it is "no"'],
    ['REDIS_URL',              'cache:6379',         'REDIS_URL must be a URL like redis://host'],
    ['REDIS_URL',              'redis://a,b',        'REDIS_URL must be a URL like redis://host, or several separated by commas'],
    ['REDIS_URL',              'redis+sentinel://a',   'REDIS_URL must have the name of the primary as its path, like redis+sentinel://host,host2/name, as “sentinel monitor” has it'],
    ['REDIS_URL',              'redis://a/abc',      'REDIS_URL must have the number of a database as its path, like redis://host/1, or no path'],
    ['REDIS_URL',              'redis://:p%zz@a',    'REDIS_URL must have a user name and a password that are percent-encoded: a “%” itself is written “%25”'],
    ['DATABASE_URL',           'postgres://u:5%@a',  'DATABASE_URL must have a user name and a password that are percent-encoded: a “%” itself is written “%25”'],
    ['SMTP_URL',               'smtp://u:5%@a',      'SMTP_URL must have a user name and a password that are percent-encoded: a “%” itself is written “%25”'],
    ['STRIPE_WEBHOOK_SECRET',  'a,b,c',              'STRIPE_WEBHOOK_SECRET must be one secret, or two separated by a comma while it is rotated'],
    ['STRIPE_WEBHOOK_SECRET',  'a,',                 'STRIPE_WEBHOOK_SECRET must be one secret, or two separated by a comma while it is rotated'],
    ['STRIPE_API_URL',         'api.stripe.com',     'STRIPE_API_URL must be a URL like https://host'],
    ['STRIPE_PRICES',          'p1=gold',            'STRIPE_PRICES must be like price_1=pro,price_2=builder; plans are free, builder, pro'],
    ['STRIPE_PRICES',          'p1',                 'STRIPE_PRICES must be like price_1=pro,price_2=builder; plans are free, builder, pro'],
    ['PAST_DUE',               'ignore',             'PAST_DUE must be one of serve, refuse, but it is "ignore"'],
    ['DUNNING_RETRY_DAYS',     '4,1',                'DUNNING_RETRY_DAYS must be whole numbers in ascending order, like 1,4,8,14'],
    ['DUNNING_RETRY_DAYS',     '1,,8',               'DUNNING_RETRY_DAYS must be whole numbers in ascending order, like 1,4,8,14'],
    ['DUNNING_DAYS',           '0',                  'DUNNING_DAYS must be a whole number from 1 to 90, but it is "0"'],
    ['SMTP_URL',               'mail:25',            'SMTP_URL must be a URL like smtp://host'],
    ['SMTP_URL',               'smtp://a,smtp://b',  'SMTP_URL must be one URL'],
    ['MAIL_FROM',              'nobody',             'MAIL_FROM must be an email address, or like Name <name@example.com>, but it is "nobody"'],
    ['OIDC_ISSUER',            'https://id.example', 'OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set together: OIDC_CLIENT_ID, OIDC_CLIENT_SECRET are not set'],
    ['OIDC_CLIENT_SECRET',     'hush',               'OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set together: OIDC_ISSUER, OIDC_CLIENT_ID are not set'],
    ['OIDC_NAME',              'a\n',                'OIDC_NAME must be 1 to 40 characters, but it is "a\\n"'],
    ['OIDC_SCOPES',            'email',              'OIDC_SCOPES must be scopes separated by spaces, including openid, but it is "email"'],
    ['OIDC_SCOPES',            'openid,email',       'OIDC_SCOPES must be scopes separated by spaces, including openid, but it is "openid,email"'],
    ['OPERATOR_GROUP',         'operators',          'OPERATOR_GROUP needs OIDC_ISSUER; set OIDC_ISSUER to the provider of the group'],
    ['GITHUB_CLIENT_ID',       'Iv1.x',              'GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET must be set together: GITHUB_CLIENT_SECRET is not set'],
    ['ABUSE_NETWORKS',         '0',                  'ABUSE_NETWORKS must be a whole number from 1 to 1000000, but it is "0"'],
    ['OPERATOR_TOKEN',         'two words',          'OPERATOR_TOKEN must be printable ASCII without spaces'],
    ['PUBLISHER_TOKEN',        'schlüssel',          'PUBLISHER_TOKEN must be printable ASCII without spaces'],
  ];
  for (const [name, value, fault] of refused) {
    it(`refuse ${name}=${JSON.stringify(value)} and name the expected value`, () => {
      expect(settingFaults({ [name]: value })).to.deep.equal([fault]);
    });
  }

  it('accept several replicas of a database', () => {
    const config = acceptedSettings({
      DATABASE_URL: 'postgres://p/x',
      DATABASE_REPLICA_URLS: 'postgres://a/x,postgres://b/x',
    });
    expect(config.databaseReplicaUrls).to.deep.equal(['postgres://a/x', 'postgres://b/x']);
  });

  it('accept several workers on shared stores, which may be an embedded Postgres (D43)', () => {
    const several = { REDIS_URL: 'redis://cache', WEB_CONCURRENCY: '4' };
    for (const DATABASE_URL of ['postgres://db/x', 'embedded:./var/postgres'])
      expect(acceptedSettings({ ...several, DATABASE_URL }).workers).to.equal(4);
    expect(settingFaults(several)).to.have.length(1);
  });

  it('are refused with a list of all faults', () => {
    const found = settingFaults({
      PORT: 'x',
      KEY_PREFIX: 'x',
      OPERATOR_TOKEN: 'a b',
      REDIS_URL: 'x',
      WEB_CONCURRENCY: '2',
    });
    expect(found.map((fault) => fault.split(' ')[0])).to.have.members([
      'PORT',
      'KEY_PREFIX',
      'OPERATOR_TOKEN',
      'REDIS_URL',
      'WEB_CONCURRENCY',
    ]);
  });

  it('never show a secret in a fault', () => {
    const found = settingFaults({
      OPERATOR_TOKEN: 'hush hush',
      PUBLISHER_TOKEN: 'hush\n',
      DATABASE_URL: 'postgre://user:hush@db/x',
      DATABASE_REPLICA_URLS: 'postgres:user:hush@db/x',
      REDIS_URL: 'redis://:hush@cache,tcp://:hush@cache',
      OIDC_CLIENT_SECRET: 'hush',
      GITHUB_CLIENT_SECRET: 'hush hush',
    });
    expect(found).to.have.length(8);
    expect(found.join()).not.to.include('hush');
  });
});
