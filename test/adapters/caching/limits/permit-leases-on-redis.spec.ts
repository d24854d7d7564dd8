import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { RedisConnection } from '../../../../src/adapters/redis/connection.js';
import { RedisCounters } from '../../../../src/adapters/redis/redis-counters.js';
import { redisUrl } from '../../../support/servers/stores.js';

const WORKER = resolve(import.meta.dirname, '../../../support/servers/lease-worker.js');

/** D35 with permit leases: separate processes over a real Redis. */
describe('Eight processes with permit leases from one Redis', function () {
  this.timeout(60_000);

  const worker = (counter: string, capacity: number) => {
    const child = spawn(process.execPath, [WORKER, redisUrl(), counter, String(capacity)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const ready = once(child.stdout, 'data');
    const run = async () => {
      child.stdin.write('go\n');
      const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
      expect(code).to.equal(0);
      return (JSON.parse(out) as { readonly admitted: number }).admitted;
    };
    return { ready, run };
  };

  it('together admit exactly the capacity', async () => {
    const capacity = 40_000;
    const counter = `{${randomUUID()}}:minute`;
    const workers = Array.from({ length: 8 }, () => worker(counter, capacity));
    await Promise.all(workers.map(({ ready }) => ready));
    const admittedByWorker = await Promise.all(workers.map((one) => one.run()));
    const admitted = admittedByWorker.reduce((sum, one) => sum + one, 0);
    console.log(`      ${admittedByWorker.join(' + ')} = ${admitted}`);
    expect(admitted).to.equal(capacity);
    const redis = new RedisConnection([redisUrl()]);
    await redis.start();
    const permits = [{ counter, capacity, lifetimeSeconds: 60 }];
    expect(await new RedisCounters(redis).take(permits, 0)).to.deep.include({
      granted: 0,
      counts: [capacity],
    });
    await redis.close();
  });
});
