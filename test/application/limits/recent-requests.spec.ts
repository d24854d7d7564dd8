import { expect } from 'chai';
import { RecentRequests } from '../../../src/application/limits/recent-requests.js';
import type { RequestLogs } from '../../../src/application/ports/limits/request-logs.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import type { LoggedRequest } from '../../../src/domain/limits/request-log.js';
import { DAY, plus } from '../../../src/domain/moment.js';
import { keyId, NOON } from '../../support/objects/builders.js';
import { failedRequest, loggedRequest } from '../../support/objects/logged-requests.js';

/** A log that keeps what it was given. `add` waits until `answer` is called, if it is held. */
function heldLog() {
  const writes: (readonly LoggedRequest[])[] = [];
  const held: { isHeld: boolean; isAway: boolean; answer: () => void } = {
    isHeld: false,
    isAway: false,
    answer: () => {},
  };
  const requestLogs: RequestLogs = {
    add: async (requests) => {
      if (held.isAway) throw new Unavailable('the store');
      writes.push(requests);
      if (held.isHeld) await new Promise<void>((done) => Object.assign(held, { answer: done }));
    },
    of: async (_, since) => [loggedRequest({ at: since })],
  };
  return { writes, held, recent: new RecentRequests({ requestLogs, clock: () => NOON }) };
}

describe('Recent requests', () => {
  it('wait for the next write, and are written once', async () => {
    const { writes, recent } = heldLog();
    const [first, second] = [loggedRequest(), failedRequest()];
    for (const request of [first, second]) recent.note(request);
    expect(writes).to.deep.equal([]);
    await recent.write();
    await recent.write();
    expect(writes).to.deep.equal([[second, first]]);
  });

  it('are at most 500 in a write, failed ones first', async () => {
    const { writes, recent } = heldLog();
    const key = (i: number) => keyId(`key_${i % 100}`);
    for (let i = 0; i < 1_000; i += 1) recent.note(loggedRequest({ key: key(i) }));
    for (let i = 0; i < 100; i += 1) recent.note(failedRequest({ key: key(i) }));
    await recent.write();
    expect(writes.map((written) => written.length)).to.deep.equal([500]);
    expect(writes[0]?.slice(0, 101).map(({ status }) => status)).to.deep.equal([
      ...Array(100).fill(429),
      200,
    ]);
  });

  it('leave room for another key, however busy one key is', async () => {
    const { writes, recent } = heldLog();
    const [busy, quiet] = [keyId('busy'), keyId('quiet')];
    for (let i = 0; i < 5_000; i += 1)
      for (const make of [loggedRequest, failedRequest]) recent.note(make({ key: busy }));
    expect(recent.hasRoom(busy, 200)).to.equal(false);
    expect(recent.hasRoom(quiet, 200)).to.equal(true);
    recent.note(loggedRequest({ key: quiet }));
    await recent.write();
    expect(writes[0]?.filter(({ key }) => key === busy)).to.have.length(200);
    expect(writes[0]?.filter(({ key }) => key === quiet)).to.have.length(1);
  });

  it('are written one write at a time', async () => {
    const { writes, held, recent } = heldLog();
    held.isHeld = true;
    recent.note(loggedRequest());
    const first = recent.write();
    recent.note(loggedRequest());
    const second = recent.write();
    expect(writes).to.have.length(1);
    held.isHeld = false;
    held.answer();
    await Promise.all([first, second]);
    expect(writes).to.have.length(1);
    await recent.write();
    expect(writes.map((written) => written.length)).to.deep.equal([1, 1]);
  });

  it('are dropped if the store is unavailable', async () => {
    const { writes, held, recent } = heldLog();
    held.isAway = true;
    recent.note(loggedRequest());
    const fault = await recent.write().catch((thrown: unknown) => thrown);
    expect(fault).to.be.instanceOf(Unavailable);
    held.isAway = false;
    await recent.write();
    expect(writes).to.deep.equal([]);
  });

  it('are written before they are read, and are those of one day', async () => {
    const { writes, recent } = heldLog();
    recent.note(loggedRequest());
    const read = await recent.of([keyId('key_1')]);
    expect(writes).to.have.length(1);
    expect(read.map(({ at }) => at)).to.deep.equal([plus(NOON, -DAY)]);
  });

  it('can be read while they cannot be written', async () => {
    const { held, recent } = heldLog();
    held.isAway = true;
    recent.note(loggedRequest());
    expect(await recent.of([])).to.have.length(1);
  });
});
