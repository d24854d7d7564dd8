import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { StatusClass } from '../../../src/domain/limits/usage.js';
import { DAY, FIRST_MOMENT, HOUR, MICROSECOND, type Moment, plus } from '../../../src/domain/moment.js';
import { keyId, NOON } from '../../support/objects/builders.js';
import { contracts } from '../adapters.js';
import { eachAdapter } from '../opening.js';

/** A unique key: tests share their stores. */
const aKey = () => keyId(`key_${randomUUID()}`);
const inAnHour = plus(NOON, HOUR);

eachAdapter('UsageHistory', contracts.usageHistories, (instance) => {
  it('counts requests by key, hour and status class', async () => {
    const usage = await instance();
    const [key, other] = [aKey(), aKey()];
    for (const status of [200, 204, 304, 402, 429, 429, 503]) usage.note(key, status, NOON);
    usage.note(key, 200, plus(inAnHour, -MICROSECOND));
    usage.note(key, 200, inAnHour);
    usage.note(other, 200, NOON);
    const count = (statusClass: StatusClass, requests: number, hour: Moment = NOON, of = key) => ({
      key: of,
      hour,
      statusClass,
      requests,
    });
    expect(await usage.of([key, other], NOON)).to.have.deep.members([
      count('2xx', 3),
      count('3xx', 1),
      count('4xx', 3),
      count('5xx', 1),
      count('2xx', 1, inAnHour),
      count('2xx', 1, NOON, other),
    ]);
  });

  it('goes on counting after it was read', async () => {
    const usage = await instance();
    const key = aKey();
    for (const requests of [1, 2, 3]) {
      usage.note(key, 200, NOON);
      expect(await usage.of([key], NOON)).to.deep.equal([{ key, hour: NOON, statusClass: '2xx', requests }]);
    }
  });

  it('adds up the notes of several instances, concurrent and in sequence', async () => {
    const [left, right] = [await instance(), await instance()];
    const keys = Array.from({ length: 20 }, aKey);
    for (let round = 1; round <= 5; round += 1) {
      for (const key of keys) left.note(key, 200, NOON);
      for (const key of [...keys].reverse()) right.note(key, 200, NOON);
      await Promise.all([left.of(keys, NOON), right.of(keys, NOON)]);
      expect((await left.of(keys, NOON)).map(({ requests }) => requests)).to.deep.equal(
        keys.map(() => 2 * round),
      );
    }
  });

  it('returns only the requested keys, each once, and hours that begin at or after `since`', async () => {
    const usage = await instance();
    const [key, other] = [aKey(), aKey()];
    for (const at of [plus(NOON, -1), NOON, inAnHour]) usage.note(key, 200, at);
    usage.note(other, 200, NOON);
    const hours = async (keys: readonly (typeof key)[], since: Moment) =>
      (await usage.of(keys, since)).map(({ hour }) => hour).sort();
    expect(await hours([key], NOON)).to.deep.equal([NOON, inAnHour]);
    expect(await hours([key, key], plus(NOON, 1))).to.deep.equal([inAnHour]);
    expect(await hours([key], FIRST_MOMENT)).to.deep.equal([plus(NOON, -HOUR), NOON, inAnHour]);
    expect(await hours([], FIRST_MOMENT)).to.deep.equal([]);
    expect(await hours([aKey()], FIRST_MOMENT)).to.deep.equal([]);
  });

  it('keeps counts for 31 days', async () => {
    const usage = await instance();
    const key = aKey();
    for (const at of [NOON, plus(NOON, 31 * DAY + HOUR - MICROSECOND)]) usage.note(key, 200, at);
    expect((await usage.of([key], FIRST_MOMENT)).map(({ hour }) => hour).sort()).to.deep.equal([
      NOON,
      plus(NOON, 31 * DAY),
    ]);
  });
});
