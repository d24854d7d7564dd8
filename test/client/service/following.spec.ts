import { randomBytes } from 'node:crypto';
import type { StreamItem } from '@oddswire/client';
import { expect } from 'chai';
import { positionToken } from '../../../src/domain/feed/position.js';
import { type Fault, type FaultyProxy, startFaultyProxy, status } from '../../support/client/faulty-proxy.js';
import { apply, type Feed, sorted, walked } from '../../support/client/followed.js';
import type { At, Following, Query } from '../../support/client/tested-client.js';
import { type Case, runCases, type Trial } from '../../support/client/trials.js';
import { publication } from '../../support/objects/builders.js';
import { actOn, advance, aKey, publishAll } from '../../support/service/api-calls.js';
import { until } from '../../support/until.js';

const POSITION_OF_ANOTHER_FEED = positionToken({ n: 1, mark: '0123456789abcdef' });
const EVENT_STREAM = { 'Content-Type': 'text/event-stream' };

/** A program that follows after a walk, and the feed as the walk had it. */
type Started = { readonly following: Following; readonly walk: Feed };

type Known = {
  /** Gets no byte of a stream: it collects its body, or all of the response. */
  readonly collecting: FaultyProxy;
  readonly collected: readonly Started[];
};

const publish = ({ client }: Trial, id: string, headline = `Headline of ${id}`, context = 'Long.') => {
  const { news_event, ...rest } = publication({ id });
  return publishAll(client, [{ ...rest, news_event: { ...news_event, headline, long_context: context } }]);
};

async function started(trial: Trial, at: At, isAwaited = true): Promise<Started> {
  const { feed, position } = await walked(trial.direct);
  const following = trial.tested.follow(at, { after: position });
  if (isAwaited) {
    trial.followings.push(following);
    await until(true, () => following.messages.length > 0);
  }
  return { following, walk: feed };
}

/** The feed as the program has it. */
const feedOf = ({ following, walk = new Map() }: { following: Following; walk?: Feed }): Feed => {
  const feed = new Map(walk);
  for (const message of following.messages) apply(feed, message);
  return feed;
};

const expectCurrent = async ({ direct }: Trial, program: Started) => {
  const { feed } = await walked(direct);
  await until(sorted(feed), () => sorted(feedOf(program)));
};

const codeOf = async ({ ended }: Following): Promise<string> => (await ended)?.code ?? 'it did not fail';

const has = (following: Following, type: string) => following.messages.some((one) => one.type === type);

const CASES: readonly Case<Known>[] = [
  {
    name: 'through publications, replacements and retractions',
    run: async (trial) => {
      const program = await started(trial, trial.at);
      await publish(trial, 'a');
      await publish(trial, 'b');
      await publish(trial, 'a', 'Replaced: “Ω\u2028”\r\n\ndata: {}');
      await trial.client.retract('b');
      await expectCurrent(trial, program);
      const changes = program.following.messages.filter(
        ({ type }) => type === 'item' || type === 'retraction',
      );
      expect(changes.map(({ type }) => type)).to.deep.equal(['item', 'item', 'item', 'retraction']);
    },
  },
  {
    name: 'from now, from a time, and with filters',
    run: async (trial) => {
      const { at, direct, follow } = trial;
      const now = follow(at);
      await until(true, () => now.messages.length > 0);
      await publish(trial, 'now');
      await until(['now'], () => [...feedOf({ following: now }).keys()]);
      const [item] = (await direct.page({ news_id: 'now' })).items;
      const since = item?.news_event.endpoint_published_at ?? '';
      const filtered = follow(at, { since, market_id: ['sm-of-nothing'], category: ['a', 'b'] });
      const replayed = follow(at, { since });
      await until(['now'], () => [...feedOf({ following: replayed }).keys()]);
      await until(true, () => has(filtered, 'live'));
      expect(feedOf({ following: filtered }).size).to.equal(0);
    },
  },
  {
    name: 'after a crash of the user at any message: no message is lost',
    run: async (trial) => {
      const { position } = await walked(trial.direct);
      for (const id of ['c', 'd', 'e']) await publish(trial, id);
      const handled: string[] = [];
      for (let after = position; handled.at(-1) !== 'e'; ) {
        // The program stores the position with the item, and then dies.
        const following = trial.follow(trial.at, { after }, { stopsAtItem: true });
        expect(await following.ended).to.equal(null);
        const item = following.messages.at(-1) as StreamItem;
        handled.push(item.item.news_event.id);
        after = item.position;
      }
      expect(handled).to.deep.equal(['c', 'd', 'e']);
    },
  },
  {
    name: 'over a connection that is cut in the middle of a message',
    run: async (trial) => {
      const program = await started(trial, { ...trial.at, url: trial.silent.url });
      trial.silent.tear(5_000);
      await publish(trial, 'torn', 'Torn', randomBytes(10_000).toString('hex'));
      await expectCurrent(trial, program);
    },
  },
  {
    name: 'over a character that is torn: at the end of the connection, or by a proxy that lost a byte',
    run: async (trial) => {
      const item = Buffer.from('event: item\ndata: {"type":"item","position":"p","item":"€"}\n\n');
      const tornAt = item.indexOf(Buffer.from('€')) + 1;
      const damaged = Buffer.concat([item.subarray(0, tornAt), item.subarray(tornAt + 1)]);
      trial.proxy.fail(
        (response) => response.writeHead(200, EVENT_STREAM).end(item.subarray(0, tornAt)),
        (response) => response.writeHead(200, EVENT_STREAM).write(damaged),
      );
      const program = await started(trial, trial.at);
      await publish(trial, 'after-damage');
      await expectCurrent(trial, program);
      expect(program.following.messages.map(({ position }) => position)).to.not.include('p');
    },
  },
  {
    name: 'over a connection that has died without a sign, whatever the clock of the program says',
    run: async (trial) => {
      const { tested, silent, client } = trial;
      const program = await started(trial, { ...trial.at, url: silent.url });
      await tested.shiftClock(-86_400);
      silent.silence();
      await publish(trial, 'unnoticed');
      await until(true, () => feedOf(program).has('unnoticed'));
      await tested.shiftClock(0);
      await advance(client, 3_600);
      await publish(trial, 'an-hour-later');
      await expectCurrent(trial, program);
    },
  },
  {
    name: 'on the same connection while the user is slower than the heartbeat',
    run: async (trial) => {
      const before = trial.proxy.requests.length;
      let send: (message: object) => void = () => {};
      trial.proxy.fail((response) => {
        response.writeHead(200, EVENT_STREAM);
        send = (message) => void response.write(`data: ${JSON.stringify(message)}\n\n`);
        // A silence of 4 s ends the connection.
        send({ type: 'ready', position: 'p1', heartbeat_seconds: 2 });
        send({ type: 'item', position: 'p2', item: publication({ id: 'slow' }) });
      });
      const slow = trial.follow(trial.at, {}, { itemSeconds: 5 });
      await until(true, () => has(slow, 'item'));
      // It arrives while the user is busy, and nobody reads it before the 4 s are over.
      send({ type: 'heartbeat', position: 'p3' });
      await until(true, () => has(slow, 'heartbeat'));
      expect(slow.messages.map(({ position }) => position)).to.deep.equal(['p1', 'p2', 'p3']);
      expect(trial.proxy.requests.length - before).to.equal(1);
    },
  },
  {
    name: 'in batches where a stream is refused on the way, and after 503',
    run: async (trial) => {
      trial.proxy.fail(status(503), status(415), status(503));
      const program = await started(trial, trial.at);
      await publish(trial, 'batched');
      await expectCurrent(trial, program);
      expect(trial.proxy.requests.at(-1)).to.match(/^application\/json .*wait=25/);
      expect(program.following.messages[0]?.type).to.equal('live');
    },
  },
  {
    name: 'in batches where a proxy collects the stream',
    run: async (trial, { collecting, collected }) => {
      for (const program of collected) await expectCurrent(trial, program);
      await publish(trial, 'collected');
      await trial.client.retract('a');
      for (const program of collected) await expectCurrent(trial, program);
      const streams = collecting.requests.filter((one) => one.startsWith('text/event-stream '));
      expect(streams).to.have.length(2);
      for (const { following } of collected) following.stop();
      await collecting.stop();
    },
  },
  {
    name: 'until its position is of another feed, its key ends, or it would wait for a day',
    run: async (trial) => {
      const { follow, proxy, client, at } = trial;
      const codeAt = (of: At, query?: Query) => codeOf(follow(of, query));
      expect(await codeAt(at, { after: POSITION_OF_ANOTHER_FEED })).to.equal('position_expired');
      proxy.fail(status(429, { 'Retry-After': '86400' }));
      expect(await codeAt(at)).to.equal('http_429');
      const own = await aKey(client);
      const open = follow({ ...at, key: own.key });
      await until(true, () => open.messages.length > 0);
      await actOn(client, own.key_id, 'revoke', { cause: 'manual' });
      expect(await codeOf(open)).to.equal('key_revoked');
      expect(await codeAt({ ...at, key: own.key })).to.equal('key_revoked');
    },
  },
  {
    name: 'until the user aborts, in a stream and in batches: messages that have already arrived are left out',
    run: async (trial) => {
      const { position } = await walked(trial.direct);
      for (const id of ['f', 'g', 'h']) await publish(trial, id);
      for (const faults of [[], [status(415)]]) {
        trial.proxy.fail(...faults);
        const following = trial.follow(trial.at, { after: position }, { stopsAtItem: true });
        expect(await following.ended).to.equal(null);
        expect(following.messages.filter(({ type }) => type === 'item')).to.have.length(1);
      }
    },
  },
  {
    name: 'until the user aborts: the stream is then free',
    run: async (trial) => {
      const { direct, client, follow, at } = trial;
      const own = { ...at, key: (await aKey(client, 'free')).key };
      const open = async () => (await direct.status()).streams.open;
      const before = await open();
      for (let n = 0; n < 3; n += 1) {
        const following = follow(own);
        await until(true, () => following.messages.length > 0);
        following.stop();
        expect(await following.ended).to.equal(null);
        await until(true, async () => (await open()) <= before);
      }
    },
  },
];

runCases<Known>('The clients follow the feed', {
  settings: { STREAM_HEARTBEAT_SECONDS: '1' },
  prepare: async (trial) => {
    const collecting = await startFaultyProxy(trial.url);
    const withoutBody: Fault = (response) => response.writeHead(200, EVENT_STREAM).flushHeaders();
    const faults = [withoutBody, () => {}];
    collecting.failAll(({ headers }) =>
      headers.accept === 'text/event-stream' ? (faults.shift() ?? null) : null,
    );
    await publish(trial, 'first');
    const at = { ...trial.at, url: collecting.url };
    return { collecting, collected: [await started(trial, at, false), await started(trial, at, false)] };
  },
  cases: CASES,
});
