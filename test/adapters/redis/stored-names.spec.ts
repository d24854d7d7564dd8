import { expect } from 'chai';
import { createClient } from 'redis';
import { RedisConnection } from '../../../src/adapters/redis/connection.js';
import { RedisAbuseSignals } from '../../../src/adapters/redis/redis-abuse-signals.js';
import { RedisCounters } from '../../../src/adapters/redis/redis-counters.js';
import { RedisInvalidations } from '../../../src/adapters/redis/redis-invalidations.js';
import { RedisStreamSlots } from '../../../src/adapters/redis/redis-stream-slots.js';
import { RedisTimelines } from '../../../src/adapters/redis/redis-timelines.js';
import { countAttempt } from '../../../src/application/limits/count-attempt.js';
import { countWrongToken } from '../../../src/application/limits/count-wrong-token.js';
import { GuardAddress } from '../../../src/application/limits/guard-address.js';
import { openWindows } from '../../../src/application/limits/open-windows.js';
import { Quotas } from '../../../src/application/limits/quotas.js';
import type { StreamId } from '../../../src/application/ports/limits/stream-slots.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import type { SubscriptionId } from '../../../src/domain/billing/subscription.js';
import type { KeyHash } from '../../../src/domain/keys/key-value.js';
import { networksOf, refusalsOf } from '../../../src/domain/limits/abuse.js';
import {
  ATTEMPTS_FROM_ADDRESS,
  CHECKOUT_REFERENCES,
  LINKS_TO_MAILBOX,
  mailsWithoutAccount,
  NEW_KEYS,
  newAccounts,
  PORTAL_VISITS,
} from '../../../src/domain/limits/attempt.js';
import { account, keyId, NOON } from '../../support/objects/builders.js';
import { receiptOf } from '../../support/objects/receipts.js';
import { startTestRedis, type TestRedis } from '../../support/servers/redis.js';

const clock = () => NOON;
const subscription = { ...account().subscription, id: 'sub_1' as SubscriptionId };

/** During a rolling update the previous version uses the same keys and messages. */
describe('The names in Redis', () => {
  let redis: TestRedis;
  let connection: RedisConnection;
  let peer: ReturnType<typeof createClient>;
  before(async () => {
    redis = await startTestRedis();
    connection = new RedisConnection([redis.url]);
    await connection.start();
    peer = createClient({ url: redis.url });
    peer.on('error', () => {}); // The server is stopped at the end.
    await peer.connect();
  });
  after(async () => {
    peer.destroy();
    await connection.close();
    await redis.stop();
  });
  beforeEach(() => peer.flushAll());

  /** Every key with its value; for a HyperLogLog the distinct count. */
  async function stored(): Promise<Readonly<Record<string, string>>> {
    const found: Record<string, string> = {};
    for (const key of (await peer.keys('*')).sort()) {
      const value = String(await peer.get(key));
      found[key] = value.startsWith('HYLL') ? `${await peer.pfCount(key)} distinct` : value;
    }
    return found;
  }

  it('identify request counters by subscription, policy and window', async () => {
    const counters = new RedisCounters(connection);
    const { permits } = openWindows({ plans: PLANS })(subscription, NOON, null);
    await counters.take(permits, 7);
    await counters.giveBack(receiptOf(permits), 2);
    expect(await stored()).to.deep.equal({
      'oddswire:{sub_1}:minute:29539440': '5',
      'oddswire:{sub_1}:day:20513': '5',
    });
  });

  it('identify counters of requests without a key by address', async () => {
    const counters = new RedisCounters(connection);
    await new GuardAddress({ counters, clock, anonymousPerMinute: 30 }).take('192.0.2.1');
    expect(await stored()).to.deep.equal({ 'oddswire:{address:192.0.2.1}:anonymous:29539440': '1' });
  });

  it('identify counters of attempts by subject, policy and window', async () => {
    const counting = countAttempt({ counters: new RedisCounters(connection), clock });
    for (const policy of [
      ...[ATTEMPTS_FROM_ADDRESS, LINKS_TO_MAILBOX, NEW_KEYS, PORTAL_VISITS, CHECKOUT_REFERENCES],
    ]) {
      await counting('somebody', policy);
    }
    await countWrongToken({ countAttempt: counting, warn: () => {} })('192.0.2.1');
    expect(await stored()).to.deep.equal({
      'oddswire:{attempt:somebody}:sign_in_attempts:2953944': '1',
      'oddswire:{attempt:somebody}:sign_in_links:1969296': '1',
      'oddswire:{attempt:somebody}:new_keys:492324': '1',
      'oddswire:{attempt:somebody}:portal_visits:2953944': '1',
      'oddswire:{attempt:somebody}:checkout_references:2953944': '1',
      'oddswire:{attempt:token 192.0.2.1}:wrong_tokens:2953944': '1',
      'oddswire:{attempt:token 192.0.2.1}:wrong_token_warnings:29539440': '1',
    });
  });

  it('identify counters of newcomer emails and new accounts by subnet', async () => {
    const counters = new RedisCounters(connection);
    for (const policy of [mailsWithoutAccount(30), newAccounts(10)]) {
      await new Quotas({ counters, clock, policy }).take('192.0.2.0/24');
    }
    expect(await stored()).to.deep.equal({
      'oddswire:{permits:192.0.2.0/24}:newcomer_mails:20513': '1',
      'oddswire:{permits:192.0.2.0/24}:new_accounts:20513': '1',
    });
  });

  it('identify abuse signals by key or subscription, start of monitoring, and minute', async () => {
    const abuseSignals = new RedisAbuseSignals(connection);
    await abuseSignals.networks(networksOf(keyId('key_1'), subscription, NOON), [
      '10.0.0.0/24',
      '10.0.1.0/24',
    ]);
    await abuseSignals.refusals(refusalsOf(subscription.id, subscription, NOON), 7);
    expect(await stored()).to.deep.equal({
      'oddswire:{watch:networks:key_1:2026-03-01T12:00:00.000000Z}:29539440': '2 distinct',
      'oddswire:{watch:refusals:sub_1:2026-03-01T12:00:00.000000Z}:29539440': '7',
    });
  });

  it('identify the streams of a subscription, and are deleted after 10 minutes', async () => {
    const settings = { clock, monotonicClock: () => 0, leaseSeconds: 30 };
    const slots = new RedisStreamSlots(connection, settings);
    const request = { subscription: subscription.id, key: keyId('key_1'), allowed: 1, isResumed: true };
    for (const stream of ['a', 'b'] as StreamId[]) await slots.open({ ...request, stream });
    const name = 'oddswire:{sub_1}:streams';
    const names = ['', ':ended', ':leases', ':opened', ':replaced:key_1'].map((suffix) => `${name}${suffix}`);
    expect((await peer.keys('*')).sort()).to.deep.equal(names);
    for (const each of names) expect(await peer.ttl(each)).to.be.within(590, 600);
    expect(Object.keys(await peer.hGetAll(name))).to.deep.equal(['b']);
    expect((await peer.hGetAll(name))['b']).to.match(/^[\da-f-]{36} \d{16} key_1$/);
    expect(await peer.zRange(`${name}:leases`, 0, -1)).to.deep.equal(['b']);
    expect(await peer.zRange(`${name}:opened`, 0, -1)).to.deep.equal(['b']);
    expect(await peer.zRange(`${name}:ended`, 0, -1)).to.deep.equal(['a']);
    expect(await peer.zRangeWithScores(`${name}:replaced:key_1`, 0, -1)).to.deep.equal([
      { value: 'a', score: 1_772_366_400 },
    ]);
    await slots.close({ ...request, stream: 'b' as StreamId });
    expect((await peer.keys('*')).sort()).to.deep.equal([`${name}:ended`, `${name}:replaced:key_1`]);
  });

  it('include the channel of the timelines of Postgres, on which other messages are ignored', async () => {
    const timelines = new RedisTimelines(connection);
    const heard: unknown[] = [];
    timelines.listen((seen) => heard.push(...seen));
    await timelines.start();
    for (const other of ['', '{}', '[1]', '[["7"]]', '[["7","2"]]', '[[7,2]]', '[["7",2.5]]'])
      await peer.publish('oddswire:timelines', other);
    await peer.publish('oddswire:timelines', '[["7001",2],["7002",1]]');
    await timelines.announce(new Map([['7003', 5]]));
    while (heard.length < 3) await new Promise((done) => setTimeout(done, 5));
    expect(heard).to.deep.equal([
      ['7001', 2],
      ['7002', 1],
      ['7003', 5],
    ]);
  });

  it('include the channel of lost slots, one for each instance', async () => {
    const slots = new RedisStreamSlots(connection, { clock, monotonicClock: () => 0, leaseSeconds: 30 });
    await slots.start();
    const [channel = ''] = await peer.pubSubChannels('oddswire:lost-slots:*');
    expect(channel).to.match(/^oddswire:lost-slots:[\da-f-]{36}$/);
    const heard: unknown[] = [];
    slots.onLost((...loss) => heard.push(loss));
    await peer.publish(channel, 'replaced a');
    await peer.publish(channel, 'reduced b');
    while (heard.length < 2) await new Promise((done) => setTimeout(done, 5));
    expect(heard).to.deep.equal([
      ['a', 'replaced'],
      ['b', 'reduced'],
    ]);
  });

  it('include the channel of invalidations, whose messages the previous version also sends', async () => {
    const listener = peer.duplicate();
    listener.on('error', () => {});
    await listener.connect();
    const messages: string[] = [];
    await listener.subscribe('oddswire:signals', (text) => void messages.push(text));
    const invalidations = new RedisInvalidations(connection);
    await invalidations.start();
    await invalidations.send({ changed: 'account', keys: ['a hash', 'another hash'] as KeyHash[] });
    await invalidations.send({ changed: 'feed' });
    while (messages.length < 2) await new Promise((done) => setTimeout(done, 5));
    const [sender = ''] = /[\da-f-]{36}/.exec(messages[0] ?? '') ?? [];
    expect(messages).to.deep.equal([
      `{"from":"${sender}","signal":{"changed":"account","keys":["a hash","another hash"]}}`,
      `{"from":"${sender}","signal":{"changed":"feed"}}`,
    ]);
    listener.destroy();

    const heard: unknown[] = [];
    invalidations.listen((invalidation) => void heard.push(invalidation));
    await peer.publish('oddswire:signals', '{"from":"x","signal":{"changed":"account","keys":["a hash"]}}');
    await peer.publish('oddswire:signals', '{"from":"x","signal":{"changed":"feed"}}');
    while (heard.length < 2) await new Promise((done) => setTimeout(done, 5));
    expect(heard).to.deep.equal([{ changed: 'account', keys: ['a hash'] }, { changed: 'feed' }]);
  });
});
