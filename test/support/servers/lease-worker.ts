import { once } from 'node:events';
import { LeasingCounters } from '../../../src/adapters/caching/limits/leasing-counters.js';
import { RedisConnection } from '../../../src/adapters/redis/connection.js';
import { RedisCounters } from '../../../src/adapters/redis/redis-counters.js';

/**
 * A process that takes as many permits of one counter as it can, as an instance of the service does. It stops when it
 * was refused for longer than a lease lasts, and prints the number of permits.
 */
const [url = '', counter = '', capacity = '0'] = process.argv.slice(2);
const CALLERS = 8;
const PATIENCE_MS = 1_500;

const redis = new RedisConnection([url]);
await redis.start();
// The test starts all processes at the same time.
process.stdout.write('ready\n');
await once(process.stdin, 'data');
const counters = new LeasingCounters(new RedisCounters(redis));
const permits = [{ counter, capacity: Number(capacity), lifetimeSeconds: 120 }];
let admitted = 0;
let refused = 0;
let grantedAt = performance.now();
await Promise.all(
  Array.from({ length: CALLERS }, async () => {
    while (performance.now() - grantedAt < PATIENCE_MS) {
      const { granted } = await counters.take(permits, 1);
      if (granted === 1) {
        admitted += 1;
        grantedAt = performance.now();
        // Yields to the event loop, as real requests do.
        if (admitted % 50 === 0) await new Promise((done) => setImmediate(done));
      } else {
        refused += 1;
        await new Promise((done) => setTimeout(done, 5));
      }
    }
  }),
);
await counters.close();
await redis.close();
process.stdout.write(JSON.stringify({ admitted, refused }));
process.exit(0);
