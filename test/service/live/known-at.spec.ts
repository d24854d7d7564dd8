import { expect } from 'chai';
import { readStream } from '../../support/live/stream-reader.js';
import { openWebSocket } from '../../support/live/web-socket-reader.js';
import { publication } from '../../support/objects/builders.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { redisUrl, serverUrl } from '../../support/servers/stores.js';
import { aKey, publishAll } from '../../support/service/api-calls.js';
import { Client, send } from '../../support/service/client.js';
import { launchInstance, startService } from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

type Message = {
  readonly type: string;
  readonly position: string;
  readonly known_at?: string;
  readonly id?: string;
  readonly item?: { readonly news_event: { readonly id: string } };
};

const STORES: Readonly<Record<string, () => Promise<Readonly<Record<string, string>>>>> = {
  memory: async () => ({}),
  Postgres: async () => ({ DATABASE_URL: await freshDatabase(serverUrl()), REDIS_URL: redisUrl() }),
};

const isChange = ({ type }: Message): boolean => type === 'item' || type === 'retraction';

/** The text of a message without its position, which in a replay is that of the stream, and with the id of its item only. */
const textOf = ({ position: _, item, ...message }: Message): string =>
  JSON.stringify({ ...message, item: item?.news_event.id });

describe('The messages of streams have the `known_at` of the history (D59)', function () {
  this.timeout(60_000);

  for (const [store, settings] of Object.entries(STORES)) {
    it(`in ${store}: as they happen, in batches, in replays and from another instance`, async () => {
      const environment = await settings();
      const service = await startService(environment);
      const url = service.instances[0]?.url ?? '';
      const client = await Client.of(service);
      const { key } = await aKey(client);
      const asked = async (path: string, at = url) =>
        (await send(`${at}${path}`, { headers: { 'X-API-Key': key, Accept: 'application/json' } })).json;
      const batch = async (query: string, at = url) =>
        ((await asked(`/pm/v2/stream?limit=500&${query}`, at)) as { readonly messages: readonly Message[] })
          .messages;
      const events = await readStream(url, key);
      const streams = [events, await openWebSocket(url, key)];
      const start = events.messages[0]?.position ?? '';

      await publishAll(client, [publication({ id: 'a' }), publication({ id: 'b' })]);
      await publishAll(client, [
        publication({ id: 'a', source_published_at: '2026-02-28T10:00:00Z' }),
        publication({ id: 'c' }),
      ]);
      await client.retract('b');

      const { changes } = (await asked(`/pm/v2/history?after=${start}`)) as {
        readonly changes: readonly Message[];
      };
      expect(changes).to.have.length(5);
      const known = new Map(changes.map(({ position, known_at }) => [position, known_at]));
      const expectKnown = (messages: readonly Message[]) => {
        for (const { position, known_at } of messages) expect(known_at).to.equal(known.get(position));
      };
      const live = streams.map(({ messages }) => messages as readonly Message[]);
      for (const messages of live) {
        await until(5, () => messages.filter(isChange).length);
        expectKnown(messages.filter(isChange));
      }
      const last = (events.messages as readonly Message[]).filter(isChange).slice(2).map(textOf);
      const resumed = await batch(`after=${start}`);
      expect(resumed.map(textOf)).to.deep.equal(last);
      const replayed = await batch(`since=${new Date(Date.now() - 3_600_000).toISOString()}`);
      expect(replayed.map(textOf)).to.deep.equal(last.slice(0, 2));
      // It reads what was before its start from the log.
      const other = launchInstance({ ...environment, STATE_DIR: service.stateDir });
      if (store !== 'memory')
        expect((await batch(`after=${start}`, (await other.listening).url)).map(textOf)).to.deep.equal(last);
      await Promise.all([other.listening.then(({ stop }) => stop()), service.stop()]);
    });
  }
});
