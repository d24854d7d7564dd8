import { expect } from 'chai';
import { askStream, eventStream, webSocketTo } from '../../../support/live/stream-callers.js';
import { bearer, type Composed, composed, keyHolder, publish } from '../../../support/service/composed.js';

type Change = {
  readonly type: string;
  readonly id?: string;
  readonly item?: { readonly news_event: { readonly id: string } };
};
const named = ({ type, id, item }: Change) => `${type} ${item?.news_event.id ?? id}`;

describe('A stream of one news event', () => {
  let service: Composed;
  let key: Readonly<Record<string, string>>;
  beforeEach(async () => {
    service = await composed();
    key = bearer((await keyHolder(service)).value);
  });
  afterEach(() => service.stop());

  const retract = (id: string) => service.parts.feed.retract(id);
  const changes = async () => {
    await publish(service, 'ne_1', 'ne_2', 'ne_3');
    await retract('ne_1');
    await publish(service, 'ne_2');
    await retract('ne_2');
    await publish(service, 'ne_4');
  };
  /** The items and retractions in a text with a message in each line. */
  const sent = (text: string) =>
    text
      .split('\n')
      .map((line) => line.replace(/^data: /, ''))
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Change)
      .filter(({ type }) => type === 'item' || type === 'retraction')
      .map(named);
  const batch = async (query: string) => {
    const answer = await askStream(service, 'batch', key, query);
    expect(answer.headers).to.not.have.property('ignored-parameters');
    return answer.json<{ messages: readonly Change[]; position: string; more: boolean }>();
  };

  it('sends its changes as they happen, with its retraction and without others (D48)', async () => {
    const [events, socket] = [
      await eventStream(service, key, '?news_id=ne_2'),
      await webSocketTo(service, key, '?news_id=ne_2'),
    ];
    await events.until('ready');
    await socket.until('ready');
    await changes();
    for (const caller of [events, socket]) {
      await caller.until('"id":"ne_2"}');
      await caller.until('retraction');
      const texts = sent(caller.text());
      expect(texts[0]).to.match(/^(item|retraction) ne_2$/);
      expect(texts.at(-1)).to.equal('retraction ne_2');
      expect(texts.filter((text) => !text.endsWith(' ne_2'))).to.deep.equal([]);
    }
    socket.webSocket.send('{"type":"subscribe","news_id":"ne_5"}');
    await socket.until('"type":"subscribed"');
    await publish(service, 'ne_2', 'ne_5');
    await socket.until('"id":"ne_5"');
    expect(socket.text()).to.match(/"type":"subscribed","position":"[^"]+","news_id":"ne_5"\}/);
    expect(sent(socket.text()).slice(-2)).to.deep.equal(['retraction ne_2', 'item ne_5']);
    events.close();
    socket.webSocket.terminate();
  });

  it('has in a batch its changes after a position, and moves past others (D58)', async () => {
    await publish(service, 'ne_0');
    const { position: start } = await batch('?since=2026-03-01');
    await changes();
    await publish(service, 'ne_2');
    const { messages, position } = await batch(`?after=${start}&news_id=ne_2`);
    expect(messages.map(named)).to.deep.equal(['retraction ne_2', 'item ne_2']);
    expect((await batch(`?after=${start}&news_id=ne_1`)).messages.map(named)).to.deep.equal([
      'retraction ne_1',
    ]);
    const others = await batch(`?after=${start}&news_id=ne_9`);
    expect([others.messages, others.position, others.more]).to.deep.equal([[], position, false]);
    const both = await batch(`?after=${start}&news_id=ne_2&market_id=s-ne_3`);
    expect(both.messages.map(named)).to.deep.equal(['retraction ne_2']);
  });

  it('has in a replay only this item (D48)', async () => {
    await publish(service, 'ne_1', 'ne_2', 'ne_3');
    const { messages } = await batch('?since=2026-03-01&news_id=ne_2');
    expect(messages.map(named)).to.deep.equal(['item ne_2']);
    expect((await batch('?since=2026-03-01&news_id=ne_2&market_id=s-ne_1')).messages).to.deep.equal([]);
  });
});
