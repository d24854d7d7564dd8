import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { MonitoredWindow } from '../../../src/domain/limits/abuse.js';
import { contracts } from '../adapters.js';
import { eachAdapter } from '../opening.js';

/** Windows of one subject in consecutive minutes. */
const windowsOf = (minutes: number): readonly MonitoredWindow[] => {
  const subject = randomUUID();
  const counters = Array.from({ length: minutes }, (_, minute) => `{watch:${subject}}:${minute}`);
  return counters.map((_, last) => ({
    counters: counters.slice(0, last + 1).toReversed(),
    lifetimeSeconds: 60,
  }));
};
const window = (): MonitoredWindow => windowsOf(1)[0] ?? { counters: [], lifetimeSeconds: 0 };
const networks = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `10.${from + i}.0.0/24`);

eachAdapter('AbuseSignals', contracts.abuseSignals, (instance) => {
  const pair = async () => [await instance(), await instance()] as const;

  it('counts each network once, on any instance and however often it is added', async () => {
    const [one, other] = await pair();
    const seen = window();
    expect(await one.networks(seen, networks(0, 30))).to.equal(30);
    expect(await other.networks(seen, networks(20, 50))).to.equal(50);
    expect(await one.networks(seen, networks(0, 50))).to.equal(50);
  });

  it('counts the networks of all minutes together, each once', async () => {
    const one = await instance();
    const [first, second, third] = windowsOf(3);
    if (first === undefined || second === undefined || third === undefined)
      throw new Error('fewer than three windows');
    expect(await one.networks(first, networks(0, 40))).to.equal(40);
    expect(await one.networks(second, networks(20, 60))).to.equal(60);
    expect(await one.networks(third, networks(59, 61))).to.equal(61);
  });

  it('counts a hundred networks approximately', async () => {
    const one = await instance();
    for (let round = 0; round < 20; round += 1) {
      const subject = window();
      const names = Array.from({ length: 100 }, () => randomUUID());
      expect(await one.networks(subject, names)).to.be.within(97, 103);
    }
  });

  it('adds the refusals of all instances and minutes exactly', async () => {
    const stores = await pair();
    const [first, second] = windowsOf(2);
    if (first === undefined || second === undefined) throw new Error('fewer than two windows');
    await Promise.all(Array.from({ length: 20 }, (_, i) => stores[(i % 2) as 0 | 1].refusals(first, 7)));
    expect(await stores[0].refusals(second, 5)).to.equal(145);
    expect(await stores[1].refusals(second, 0)).to.equal(145);
  });

  it('keeps subjects apart', async () => {
    const one = await instance();
    await one.networks(window(), networks(0, 40));
    expect(await one.networks(window(), networks(0, 1))).to.equal(1);
    expect(await one.refusals(window(), 3)).to.equal(3);
  });
});
