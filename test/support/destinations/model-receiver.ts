import type { Delivery } from '../../../src/application/ports/destinations/deliver.js';
import type { Attempt } from '../../../src/domain/destinations/delivery.js';
import { type Held, heldItem } from '../streams/model-items.js';

/** What a receiver does with a delivery: `lost`: it takes it, and the answer does not arrive. */
export type Outcome = 'taken' | 'refused' | 'lost' | 'gone';

const ANSWERS: Readonly<Record<Outcome, Pick<Attempt, 'status' | 'error'>>> = {
  taken: { status: 204, error: null },
  refused: { status: 500, error: null },
  lost: { status: null, error: 'timed_out' },
  gone: { status: 410, error: null },
};

type Message =
  | {
      readonly type: 'item';
      readonly scored_at: string;
      readonly item: { readonly news_event: { readonly id: string } };
    }
  | { readonly type: 'retraction'; readonly id: string };

/** The receiver of a destination: it applies what it gets, and walks the feed when it gets a reset. */
export class ModelReceiver {
  readonly deliveries: Delivery[] = [];
  /** What it did with each of them. */
  readonly answers: Outcome[] = [];
  readonly outcomes: Outcome[] = [];
  held: Held;
  readonly #walk: () => Held;

  constructor(walk: () => Held) {
    this.#walk = walk;
    this.held = walk();
  }

  receive(delivery: Delivery): Attempt {
    const outcome = this.outcomes.shift() ?? 'taken';
    this.deliveries.push(delivery);
    this.answers.push(outcome);
    if (outcome === 'taken' || outcome === 'lost') this.#apply(delivery);
    return { ...ANSWERS[outcome], retryAfter: null, durationMs: 1 };
  }

  #apply({ content, messages }: Delivery): void {
    if (content === 'reset') this.held = this.#walk();
    for (const json of messages) {
      const text = json.toString();
      const message = JSON.parse(text) as Message;
      if (message.type === 'retraction') this.held.delete(message.id);
      else {
        const item = text.slice(text.indexOf('"item":') + '"item":'.length, -1);
        this.held.set(message.item.news_event.id, heldItem(message.scored_at, item));
      }
    }
  }
}
