import type { KnownTimelines } from '../../domain/former-primary.js';
import { Listeners } from '../listeners/listeners.js';
import type { RedisConnection } from './connection.js';

const CHANNEL = 'oddswire:timelines';

/**
 * The timelines of Postgres that the instances have seen, by publish and subscribe (D75). A message can be lost, so each instance
 * sends them again with each heartbeat. A version that does not know the channel does not receive them.
 */
export class RedisTimelines {
  readonly #redis: Pick<RedisConnection, 'publish' | 'subscribe'>;
  readonly #listeners = new Listeners<KnownTimelines>();

  constructor(redis: Pick<RedisConnection, 'publish' | 'subscribe'>) {
    this.#redis = redis;
  }

  /** Resolves when the subscription is active. The caller need not wait. */
  start(): Promise<void> {
    return this.#redis.subscribe(CHANNEL, (message) => this.#listeners.notify(readTimelines(message)));
  }

  async announce(known: KnownTimelines): Promise<void> {
    if (known.size === 0) return;
    // The next heartbeat sends it again.
    await this.#redis.publish(CHANNEL, JSON.stringify([...known])).catch(() => {});
  }

  listen(listener: (seen: KnownTimelines) => void): () => void {
    return this.#listeners.add(listener);
  }
}

/** Leaves out what is not a timeline, because other programs may use the channel. */
function readTimelines(message: string): KnownTimelines {
  try {
    const sent: unknown = JSON.parse(message);
    return new Map(Array.isArray(sent) ? sent.filter(isTimeline) : []);
  } catch {
    return new Map();
  }
}

const isTimeline = (sent: unknown): sent is readonly [string, number] =>
  Array.isArray(sent) && sent.length === 2 && typeof sent[0] === 'string' && Number.isSafeInteger(sent[1]);
