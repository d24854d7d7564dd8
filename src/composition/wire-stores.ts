import type { Config } from '../settings/config.js';
import type { Wiring } from './parts.js';
import { wireMemoryCounters, wireMemorySignals, wireMemoryStores } from './wire-memory.js';
import { wirePostgresSignals, wirePostgresStores } from './wire-postgres.js';
import { wireRedis } from './wire-redis.js';

/** Every port with the adapter that the settings choose (D43). */
export function wireStores(wiring: Wiring, config: Config): void {
  const { databaseUrl, redisUrls } = config;
  if (redisUrls.length > 0) wireRedis(wiring, redisUrls);
  else wireMemoryCounters(wiring);

  if (databaseUrl !== undefined) {
    const db = wirePostgresStores(wiring, config, databaseUrl);
    if (redisUrls.length === 0) wirePostgresSignals(wiring, databaseUrl, db);
  } else {
    wireMemoryStores(wiring, config);
    if (redisUrls.length === 0) wireMemorySignals(wiring);
  }
}
