import { expect } from 'chai';
import { sha256OfKey } from '../../../src/adapters/system/random-ids.js';
import type { GateEntry } from '../../../src/application/ports/keys/gate.js';
import type { KeyHash, KeyValue } from '../../../src/domain/keys/key-value.js';
import { type Composed, composed, keyHolder, requestNews, signal } from '../../support/service/composed.js';
import { type RawSocket, rawSocket } from '../listener/raw-socket.js';

const UNKNOWN_KEY = `svc_${'B'.repeat(42)}A`;

describe('Lookups of unknown keys, while the store is slow,', () => {
  let service: Composed;
  let key: string;
  let known: RawSocket;
  let lookedUp: ReturnType<typeof signal>;
  let release: ReturnType<typeof signal>;

  beforeEach(async () => {
    [lookedUp, release] = [signal(), signal()];
    const entries = new Map<KeyHash, GateEntry>();
    const slow = sha256OfKey(UNKNOWN_KEY as KeyValue);
    // Four requests may be in progress; one subnet may have half of the lookups before admission.
    service = await composed({ REQUESTS_IN_HAND_MAX: '4' }, () => ({
      gate: () => ({
        find: async (hash) => {
          if (hash !== slow) return entries.get(hash) ?? null;
          lookedUp.send();
          await release.sent;
          return null;
        },
      }),
    }));
    const holder = await keyHolder(service);
    key = holder.value;
    const account = await service.parts.accounts.find(holder.account);
    const { id, state, scopes, hash } = holder.key;
    if (account !== null)
      entries.set(hash, { key: { id, state, scopes }, subscription: account.subscription });
    known = await rawSocket(service.port);
    await page(known);
  });
  afterEach(() => {
    release.send();
    known.socket.destroy();
    return service.stop();
  });

  /** The start of the status line when the holder requests a page. */
  const page = async (on: RawSocket): Promise<string> => {
    const before = on.received().length;
    on.send(`GET /pm/v2/news HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\n\r\n`);
    await on.until('\r\n\r\n', before);
    return on.received().slice(before, before + 12);
  };

  it('delay no other request, whether it is the first of its connection or not', async () => {
    const guess = requestNews(service, UNKNOWN_KEY);
    await lookedUp.sent;
    expect(await page(known)).to.equal('HTTP/1.1 200');
    const first = await rawSocket(service.port);
    expect(await page(first)).to.equal('HTTP/1.1 200');
    first.socket.destroy();
    release.send();
    expect((await guess).status).to.equal(401);
  });

  it('are refused as overloaded beyond the share of their subnet, and known keys are still served', async () => {
    const guesses = [requestNews(service, UNKNOWN_KEY), requestNews(service, UNKNOWN_KEY)];
    await lookedUp.sent;
    expect((await requestNews(service, UNKNOWN_KEY)).json()).to.include({ status: 503, code: 'overloaded' });
    expect(await page(known)).to.equal('HTTP/1.1 200');
    const another = await rawSocket(service.port);
    expect(await page(another), 'on a new connection').to.equal('HTTP/1.1 200');
    another.socket.destroy();
    release.send();
    expect((await Promise.all(guesses)).map(({ status }) => status)).to.deep.equal([401, 401]);
  });
});
