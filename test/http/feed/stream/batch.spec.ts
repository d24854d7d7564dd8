import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import sinon from 'sinon';
import { itemContent } from '../../../../src/adapters/live/messages/content.js';
import { Message } from '../../../../src/adapters/live/messages/message.js';
import {
  type FakeStream,
  fakeStreams,
  largeItem,
  message,
  tokenAt,
} from '../../../support/live/fake-streams.js';
import { askStream, BATCH_PATHS } from '../../../support/live/stream-callers.js';
import { askWaitingBatch, usedRequests } from '../../../support/live/waiting-batches.js';
import {
  type Answer,
  ask,
  bearer,
  type Composed,
  composed,
  keyHolder,
  publish,
} from '../../../support/service/composed.js';
import { conformance, type OpenApi } from '../../../support/service/conformance.js';

const retraction = (n: number): Message => message('retraction', n, { known_at: null, id: `ne_${n}` });
const VARY = {
  '/pm/v2/stream': 'Authorization, X-API-Key, Accept, Accept-Encoding',
  '/pm/v2/changes': 'Authorization, X-API-Key, Accept-Encoding',
} as const;
type Batch = {
  readonly messages: readonly { readonly id: string }[];
  readonly position: string;
  readonly more: boolean;
};
const ids = (answer: Answer) => answer.json<Batch>().messages.map(({ id }) => id);

for (const path of BATCH_PATHS)
  describe(`A batch of ${path}`, () => {
    let service: Composed;
    let key: Readonly<Record<string, string>>;
    const streams = fakeStreams();
    before(async () => {
      service = await composed({}, streams.replace);
    });
    beforeEach(async () => {
      key = bearer((await keyHolder(service)).value);
    });
    afterEach(() => {
      streams.onStart = () => {};
      streams.mayWait = true;
      sinon.restore();
    });
    after(() => service.stop());

    /** Asks for a batch of a stream that does this when it starts. */
    const batchOf = (
      does: (stream: FakeStream) => void,
      query = '',
      headers: Readonly<Record<string, string>> = {},
    ) => {
      streams.onStart = does;
      return askStream(service, 'batch', { ...key, ...headers }, query, path);
    };
    const waiting = (query: string, then: (stream: FakeStream) => void | Promise<void>) =>
      askWaitingBatch({ service, streams, key, path }, query, then);
    const used = () => usedRequests(service, key);

    it('is the items and retractions that follow, without the other messages of a stream (D58)', async () => {
      const answer = await batchOf((stream) => {
        stream.send(retraction(2), message('live', 2), retraction(3));
        stream.send(message('heartbeat', 4));
        stream.sink.caughtUp();
      });
      expect(answer.status).to.equal(200);
      expect(answer.headers).to.include({
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        vary: VARY[path],
        'x-ratelimit-remaining': '2999',
      });
      expect(answer.json()).to.deep.equal({
        messages: [
          { type: 'retraction', position: tokenAt(2), known_at: null, id: 'ne_2' },
          { type: 'retraction', position: tokenAt(3), known_at: null, id: 'ne_3' },
        ],
        position: tokenAt(4),
        more: false,
      });
    });

    it('is empty if there is nothing', async () => {
      const answer = await batchOf((stream) => stream.sink.caughtUp());
      expect(answer.json()).to.deep.equal({ messages: [], position: tokenAt(1), more: false });
    });

    it('conforms to the published schema, with items of the feed', async () => {
      await publish(service, 'ne_1', 'ne_2');
      const holds = conformance((await ask(`${service.url}/openapi.json`)).json<OpenApi>());
      const { items } = await service.parts.feed.page({
        before: null,
        since: null,
        newsId: null,
        marketId: null,
        terms: [],
        count: 2,
      });
      for (const encoding of ['identity', 'gzip']) {
        const answer = await batchOf(
          (stream) => {
            for (const item of items)
              stream.send(new Message('item', tokenAt(2), itemContent(item, 'whole', null)));
            stream.send(retraction(3));
            stream.sink.caughtUp();
          },
          '',
          { 'Accept-Encoding': encoding },
        );
        const body = encoding === 'gzip' ? gunzipSync(answer.body) : answer.body;
        expect(JSON.parse(body.toString()).messages).to.have.length(3);
        const answered = {
          ...answer,
          headers: answer.headers as Record<string, string>,
          text: body.toString(),
        };
        expect(holds('GET', path, answered, true)).to.deep.equal([]);
      }
    });

    it('has at most `limit` messages, and then does not wait (D58)', async () => {
      const rooms: number[] = [];
      const answer = await batchOf((stream) => {
        for (let n = 2; stream.sink.isWritable; n += 1) {
          rooms.push(stream.sink.room);
          stream.send(retraction(n));
        }
      }, '?limit=3&wait=30');
      expect(ids(answer)).to.deep.equal(['ne_2', 'ne_3', 'ne_4']);
      expect(answer.json<Batch>().position).to.equal(tokenAt(4));
      expect(answer.json<Batch>().more).to.equal(true);
      expect(rooms).to.deep.equal([3, 2, 1]);
    });

    it('has 100 messages at most by default', async () => {
      const answer = await batchOf((stream) => {
        for (let n = 2; stream.sink.isWritable; n += 1) stream.send(retraction(n));
      });
      expect(ids(answer)).to.have.length(100);
    });

    it('waits for the first message, and ends with it (D58)', async () => {
      const { answer, stream } = await waiting('?wait=30', (started) => {
        started.sink.caughtUp();
        expect(started.sink.isWritable).to.equal(true);
        started.send(retraction(2));
        expect(started.sink.isWritable).to.equal(true);
        started.sink.caughtUp();
      });
      expect(ids(answer)).to.deep.equal(['ne_2']);
      expect(stream.figures.reason).to.equal('complete');
      expect(stream.sink.isWritable).to.equal(false);
    });

    it('waits at most the time that was asked for', async () => {
      const timers = sinon.useFakeTimers({
        toFake: ['setTimeout', 'clearTimeout'],
        shouldClearNativeTimers: true,
      });
      const { answer } = await waiting('?wait=30', async ({ sink }) => {
        sink.caughtUp();
        await timers.tickAsync(29_999);
        expect(sink.isWritable).to.equal(true);
        await timers.tickAsync(1);
      });
      expect(ids(answer)).to.deep.equal([]);
    });

    it('does not wait if too many batches of the subscription wait (D58)', async () => {
      streams.mayWait = false;
      const answer = await batchOf((stream) => stream.sink.caughtUp(), '?wait=30');
      expect(ids(answer)).to.deep.equal([]);
    });

    it('is answered with what it has when the service stops (D58)', async () => {
      const { answer } = await waiting('?wait=30', (stream) => {
        stream.send(retraction(2));
        stream.end('restart', 1_000);
      });
      expect([answer.status, ids(answer)]).to.deep.equal([200, ['ne_2']]);
      const empty = await waiting('?wait=30', (stream) => stream.end('restart', 1_000));
      expect([empty.answer.status, ids(empty.answer)]).to.deep.equal([200, []]);
    });

    it('is the refusal if its key is revoked meanwhile, whatever it has, and costs nothing (D58)', async () => {
      const { answer } = await waiting('?wait=30', (stream) => {
        stream.send(retraction(2));
        stream.end({ refused: 'key_revoked' });
      });
      expect([answer.status, answer.json().code]).to.deep.equal([401, 'key_revoked']);
      expect(answer.headers['www-authenticate']).to.match(/^Bearer/);
      expect(answer.headers['x-ratelimit-remaining']).to.equal('3000');
      expect(await used()).to.equal(0);
    });

    it('is a 503 if the store fails and it has nothing, else what it has', async () => {
      const empty = await waiting('', (stream) => stream.end('unavailable'));
      expect([empty.answer.status, empty.answer.json().code]).to.deep.equal([503, 'unavailable']);
      expect(empty.answer.headers['x-ratelimit-remaining']).to.equal('2999');
      const some = await waiting('', (stream) => {
        stream.send(retraction(2));
        stream.end('unavailable');
      });
      expect([some.answer.status, ids(some.answer)]).to.deep.equal([200, ['ne_2']]);
    });

    it('ends for the registry when the client leaves', async () => {
      const next = streams.next();
      const controller = new AbortController();
      const asked = fetch(`${service.url}${path}?wait=30`, {
        headers: { ...key, Accept: 'application/json' },
        signal: controller.signal,
      }).catch(() => 'gone');
      const stream = await next;
      await stream.started;
      controller.abort();
      await stream.ended;
      expect(await asked).to.equal('gone');
      expect(stream.sink.isWritable).to.equal(false);
    });

    describe('that is compressed', () => {
      it('has the same text, joined from the compressed contents (D58)', async () => {
        const messages = Array.from({ length: 45 }, (_, i) => largeItem(i + 2, 3_000));
        const does = (stream: FakeStream) => {
          stream.send(...messages);
          stream.sink.caughtUp();
        };
        const plain = await batchOf(does, '', { 'Accept-Encoding': 'identity' });
        const compressed = messages.map(({ content }) => content.deflated);
        const gzipped = await batchOf(does, '', { 'Accept-Encoding': 'gzip, br' });
        expect(gzipped.headers['content-encoding']).to.equal('gzip');
        expect(gunzipSync(gzipped.body).equals(plain.body)).to.equal(true);
        for (const piece of compressed) expect(gzipped.body.includes(piece)).to.equal(true);
        expect(JSON.parse(plain.body.toString()).messages).to.have.length(45);
      });

      it('is not if it is empty', async () => {
        const answer = await batchOf((stream) => stream.sink.caughtUp(), '', { 'Accept-Encoding': 'gzip' });
        expect(answer.headers['content-encoding']).to.equal(undefined);
      });
    });

    for (const [accept, form] of [
      ['application/json', 'batch'],
      ['text/html, APPLICATION/JSON;q=0.9', 'batch'],
      ['application/json, text/event-stream', 'sse'],
      ['text/event-stream', 'sse'],
      ['*/*', 'sse'],
      ['application/*', 'sse'],
      ['application/jsonp', 'sse'],
      ['', 'sse'],
    ] as const) {
      const expected = path === '/pm/v2/changes' ? 'batch' : form;
      it(`is answered for “Accept: ${accept}” with ${expected} (D58)`, async () => {
        streams.onStart = (stream) => {
          if (stream.request.form === 'batch') stream.sink.caughtUp();
          else stream.end('restart');
        };
        const next = streams.next();
        const answer = await ask(`${service.url}${path}`, { headers: { ...key, Accept: accept } });
        expect((await next).request.form).to.equal(expected);
        expect(answer.headers['content-type']).to.match(expected === 'sse' ? /event-stream/ : /json/);
      });
    }
  });
