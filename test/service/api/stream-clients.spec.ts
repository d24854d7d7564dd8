import { expect } from 'chai';
import { type StreamMessage, streamClients } from '../../support/live/stream-clients.js';
import { type Change, changesIn, publishInTwoRounds } from '../../support/live/two-rounds.js';
import { type SilentProxy, startSilentProxy } from '../../support/servers/silent-proxy.js';
import { aKey } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

describe('The stream, for clients that others have written', () => {
  const clients = streamClients();
  const received = new Map<string, StreamMessage[]>();
  let closes: readonly (() => void)[] = [];
  let service: Service;
  let proxy: SilentProxy;
  let expected: readonly Change[];

  before(async () => {
    service = await startService();
    const client = await Client.of(service);
    const { key } = await aKey(client);
    proxy = await startSilentProxy(service.instances[0]?.url ?? '');
    closes = Object.entries(clients).map(([name, { follow }]) => {
      const messages: StreamMessage[] = [];
      received.set(name, messages);
      const url = new URL('/pm/v2/stream', proxy.url);
      url.searchParams.set('client', name);
      return follow({ url, key }, (message) => messages.push(message));
    });
    const all = [...received.values()];
    await until(true, () => all.every(([first]) => first?.type === 'ready'));
    expected = await publishInTwoRounds({
      ...{ client, key, proxy },
      received: (changes) => until(true, () => all.every((each) => changesIn(each).length >= changes)),
    });
  });
  after(async () => {
    for (const close of closes) close();
    await proxy.stop();
    await service.stop();
  });

  for (const [name, { compression }] of Object.entries(clients)) {
    const messages = () => received.get(name) ?? [];

    it(`sends ${name} each change once and in order, also when the connection is cut`, () => {
      expect(changesIn(messages())).to.deep.equal(expected);
    });

    it(`opens each connection of ${name} with ready, and sends live when it has resumed`, () => {
      const types = messages().map(({ type }) => type);
      const connections = types.join(' ').split(/(?=ready)/);
      expect(connections).to.have.length(2);
      expect(connections[0])
        .to.match(/^ready/)
        .and.not.to.include('live');
      expect(connections[1]).to.match(/^ready( item| heartbeat)* live( item| heartbeat)*$/);
    });

    it(`compresses for ${name} as it asks: ${compression}`, () => {
      const parameter = new URLSearchParams({ client: name }).toString();
      const exchanges = proxy.exchanges.filter(({ request }) =>
        [' ', '&'].some((end) => request.includes(parameter + end)),
      );
      expect(exchanges).to.have.length(2);
      const header = { gzip: 'Content-Encoding: gzip', 'permessage-deflate': 'permessage-deflate', none: '' };
      for (const { request, response } of exchanges) {
        expect(/gzip|permessage-deflate/.test(request)).to.equal(compression !== 'none');
        expect(response).to.include(header[compression]);
        if (compression === 'none') expect(response).not.to.match(/gzip|deflate/);
      }
    });
  }
});
