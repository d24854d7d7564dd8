import { expect } from 'chai';
import { sha256OfKey } from '../../../src/adapters/system/random-ids.js';
import type { GateEntry } from '../../../src/application/ports/keys/gate.js';
import type { KeyHash, KeyValue } from '../../../src/domain/keys/key-value.js';
import { type Composed, composed, keyHolder, requestNews, signal } from '../../support/service/composed.js';
import { type RawSocket, rawSocket } from '../listener/raw-socket.js';

const UNKNOWN_KEYS = ['B', 'C', 'D'].map((start) => `svc_${start.repeat(42)}A`);
const [UNKNOWN_KEY = ''] = UNKNOWN_KEYS;

describe('Lookups of unknown keys, while the store is slow,', () => {
  let service: Composed;
  let key: string;
  let known: RawSocket;
  let lookedUp: ReturnType<typeof signal>;
  let release: ReturnType<typeof signal>;
  let entries: Map<KeyHash, GateEntry>;
  let slow: Set<KeyHash>;

  beforeEach(async () => {
    [lookedUp, release] = [signal(), signal()];
    entries = new Map();
    slow = new Set(UNKNOWN_KEYS.map((unknown) => sha256OfKey(unknown as KeyValue)));
    // Four requests may be in progress; one subnet may have half of the lookups before admission.
    service = await composed({ REQUESTS_IN_HAND_MAX: '4' }, () => ({
      gate: () => ({
        find: async (hash) => {
          if (slow.has(hash)) {
            lookedUp.send();
            await release.sent;
          }
          return entries.get(hash) ?? null;
        },
      }),
    }));
    key = (await storedKey()).value;
    known = await rawSocket(service.port);
    await page(known);
  });
  afterEach(() => {
    release.send();
    known.socket.destroy();
    return service.stop();
  });

  const storedKey = async () => {
    const { value, account: of, key: issued } = await keyHolder(service);
    const account = await service.parts.accounts.find(of);
    const { id, state, scopes, hash } = issued;
    if (account !== null)
      entries.set(hash, { key: { id, state, scopes, controls: null }, subscription: account.subscription });
    return { value, hash };
  };

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
    const [first = '', second = '', third = ''] = UNKNOWN_KEYS;
    const guesses = [requestNews(service, first), requestNews(service, second)];
    await lookedUp.sent;
    expect((await requestNews(service, third)).json()).to.include({ status: 503, code: 'overloaded' });
    expect(await page(known)).to.equal('HTTP/1.1 200');
    const another = await rawSocket(service.port);
    expect(await page(another), 'on a new connection').to.equal('HTTP/1.1 200');
    another.socket.destroy();
    release.send();
    expect((await Promise.all(guesses)).map(({ status }) => status)).to.deep.equal([401, 401]);
  });

  /** All arrive while the first one is looked up. */
  const requestsWith = async (value: string, count: number) => {
    const sockets = await Promise.all(
      Array.from({ length: count }, async () => {
        const one = await rawSocket(service.port);
        one.send('GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n');
        await one.until('"code"');
        return { ...one, from: one.received().length };
      }),
    );
    const answers = sockets.map(async ({ send, until, received, socket, from }) => {
      send(`GET /pm/v2/news HTTP/1.1\r\nHost: a\r\nX-API-Key: ${value}\r\n\r\n`);
      await until('\r\n\r\n', from);
      socket.destroy();
      return received().slice(from + 9, from + 12);
    });
    await lookedUp.sent;
    // It was sent after the others.
    await page(known);
    release.send();
    return Promise.all(answers);
  };

  it('take one place for a key: all first requests with a key that exists are answered', async () => {
    const { value, hash } = await storedKey();
    slow.add(hash);
    expect(await requestsWith(value, 6)).to.deep.equal(Array(6).fill('200'));
  });

  it('are bounded also if many requests have the same unknown key', async () => {
    const statuses = await requestsWith(UNKNOWN_KEY, 6);
    expect(statuses.filter((status) => status === '401')).to.have.length.within(1, 3);
    expect(statuses.filter((status) => status === '503')).to.have.length.within(3, 5);
  });
});
