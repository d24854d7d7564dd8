import { randomUUID } from 'node:crypto';
import { readSentSignal, type SentSignal } from '../../application/keys/sent-signal.js';
import { Listeners } from '../../application/listeners.js';
import type { Signal, Signals } from '../../application/ports/signals.js';
import type { RedisConnection } from './connection.js';

const CHANNEL = 'oddswire:signals';

/** Hints between instances by publish and subscribe. Those of its own an instance hears at once, without Redis. */
export class RedisSignals implements Signals {
  readonly #redis: RedisConnection;
  readonly #id = randomUUID();
  readonly #listeners = new Listeners<Signal>();

  constructor(redis: RedisConnection) {
    this.#redis = redis;
  }

  /** Answers when others are heard; nobody has to wait for that. */
  start(): Promise<void> {
    return this.#redis.subscribe(CHANNEL, (message) => {
      const sent = readSentSignal(message);
      if (sent !== null && sent.from !== this.#id) this.#listeners.tell(sent.signal);
    });
  }

  async send(signal: Signal): Promise<void> {
    this.#listeners.tell(signal);
    const sent: SentSignal = { from: this.#id, signal };
    try {
      await this.#redis.publish(CHANNEL, JSON.stringify(sent));
    } catch {
      // A hint that cannot be sent is lost: copies are read again soon enough (D39).
    }
  }

  listen(listener: (signal: Signal) => void): () => void {
    return this.#listeners.add(listener);
  }
}
