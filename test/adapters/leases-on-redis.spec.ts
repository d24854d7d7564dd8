import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { RedisConnection } from '../../src/adapters/redis/connection.js';
import { RedisCounters } from '../../src/adapters/redis/redis-counters.js';
import { redisUrl } from '../support/stores.js';

const WORKER = resolve(import.meta.dirname, '../support/lease-worker.js');

/** D35 with leases: processes of their own, over a real Redis. */
describe('Eight processes that lease from one Redis', function () {
  this.timeout(60_000);

  const taking = async (counter: string, capacity: number) => {
    const child = spawn(process.execPath, [WORKER, redisUrl(), counter, String(capacity)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    expect(code).to.equal(0);
    return JSON.parse(out) as { readonly admitted: number; readonly refused: number };
  };

  it('admit all that there is, together, and not one more', async () => {
    const capacity = 40_000;
    const counter = `{${randomUUID()}}:minute`;
    const took = await Promise.all(Array.from({ length: 8 }, () => taking(counter, capacity)));
    const admitted = took.reduce((sum, one) => sum + one.admitted, 0);
    console.log(`      ${took.map((one) => one.admitted).join(' + ')} = ${admitted}`);
    expect(admitted).to.equal(capacity);
    for (const one of took) expect(one.admitted).to.be.greaterThan(0);
    const redis = new RedisConnection([redisUrl()]);
    await redis.start();
    const places = [{ counter, capacity, lifetimeSeconds: 60 }];
    expect(await new RedisCounters(redis).take(places, 0)).to.deep.equal({ granted: 0, counts: [capacity] });
    await redis.close();
  });
});
