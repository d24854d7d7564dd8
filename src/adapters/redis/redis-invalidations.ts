import { randomUUID } from 'node:crypto';
import {
  invalidationMessage,
  readInvalidationMessage,
  type SentInvalidation,
} from '../../application/keys/sent-invalidation.js';
import type { Invalidation, Invalidations } from '../../application/ports/invalidations.js';
import { Listeners } from '../listeners/listeners.js';
import type { RedisConnection } from './connection.js';

const CHANNEL = 'oddswire:signals';

/** Invalidations between instances by publish and subscribe. Local listeners are called at once, without Redis. */
export class RedisInvalidations implements Invalidations {
  readonly #redis: RedisConnection;
  readonly #id = randomUUID();
  readonly #listeners = new Listeners<Invalidation>();

  constructor(redis: RedisConnection) {
    this.#redis = redis;
  }

  /** Resolves when the subscription is active. The caller need not wait. */
  start(): Promise<void> {
    return this.#redis.subscribe(CHANNEL, (message) => {
      const sent = readInvalidationMessage(message);
      if (sent !== null && sent.from !== this.#id) this.#listeners.notify(sent.invalidation);
    });
  }

  async send(invalidation: Invalidation): Promise<void> {
    this.#listeners.notify(invalidation);
    const sent: SentInvalidation = { from: this.#id, invalidation };
    try {
      await this.#redis.publish(CHANNEL, invalidationMessage(sent));
    } catch {
      // This invalidation is lost; copies follow the change logs anyway (D39).
    }
  }

  listen(listener: (invalidation: Invalidation) => void): () => void {
    return this.#listeners.add(listener);
  }
}
