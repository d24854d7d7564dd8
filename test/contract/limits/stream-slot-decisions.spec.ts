import { expect } from 'chai';
import fc from 'fast-check';
import type { SlotRequest, StreamSlots } from '../../../src/application/ports/limits/stream-slots.js';
import {
  isReplacedLately,
  protectedSeconds,
  type SlotHolder,
  slotFor,
  streamsBeyond,
} from '../../../src/domain/limits/streams.js';
import { MINUTE } from '../../../src/domain/moment.js';
import { runs } from '../../support/objects/builders.js';
import { aSubscription, heldBy, requestOf } from '../../support/objects/streams.js';
import { contracts } from '../adapters.js';
import { eachAdapter } from '../opening.js';

const ALLOWED = 3;

type Open = SlotHolder & { readonly request: SlotRequest };

/** The open streams of a subscription by the rules of the domain. Its clock stands still, but for the replacements. */
class Model {
  readonly #of = aSubscription({ allowed: ALLOWED });
  readonly #slots: StreamSlots;
  #open: readonly Open[] = [];
  #replaced: readonly (readonly [key: string, minute: number])[] = [];
  minute = 0;

  constructor(slots: StreamSlots) {
    this.#slots = slots;
  }

  async open(key: string, isResumed: boolean): Promise<void> {
    const request = requestOf(this.#of, { key, isResumed });
    const replacedLately = this.#replaced.filter(
      ([of, minute]) => of === key && isReplacedLately(60 * minute, 60 * this.minute),
    ).length;
    const decision = slotFor(this.#open, { ...request, replacedLately }, 0);
    const replaced = decision.granted ? decision.replaced : null;
    if (replaced !== null) this.#replaced = [...this.#replaced, [key, this.minute]];
    if (decision.granted) {
      const kept = this.#open.filter((one) => one !== replaced);
      this.#open = [...kept, { request, key: request.key, protectedUntil: 0 }];
    }
    const open = this.#open.length;
    expect(await this.#slots.open(request)).to.deep.equal(
      decision.granted
        ? { granted: true, open, replaced: replaced?.request.stream ?? null }
        : { granted: false, open },
    );
  }

  async close(i: number): Promise<void> {
    const closed = this.#open[i];
    if (closed === undefined) return;
    this.#open = this.#open.filter((one) => one !== closed);
    await this.#slots.close(closed.request);
  }

  async renew(secondsSincePong: readonly (number | null)[]): Promise<void> {
    const sinceOf = (i: number) => secondsSincePong[i] ?? null;
    const held = this.#open.map(({ request }, i) => heldBy(request, { secondsSincePong: sinceOf(i) }));
    this.#open = this.#open.map((one, i) => ({ ...one, protectedUntil: protectedSeconds(sinceOf(i), 30) }));
    expect(await this.#slots.renew(held)).to.deep.equal([]);
  }

  async reduce(allowed: number): Promise<void> {
    const ended = streamsBeyond(this.#open, allowed);
    this.#open = this.#open.filter((one) => !ended.includes(one));
    await this.#slots.reduce(this.#of.subscription, allowed);
  }
}

type Step = (model: Model, advance: (by: number) => void) => Promise<void>;

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(fc.constantFrom('k1', 'k2'), fc.boolean()).map(
      ([key, isResumed]): Step =>
        (model) =>
          model.open(key, isResumed),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.nat(ALLOWED - 1).map(
      (i): Step =>
        (model) =>
          model.close(i),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.array(fc.constantFrom(null, 0, 30), { minLength: ALLOWED, maxLength: ALLOWED }).map(
      (since): Step =>
        (model) =>
          model.renew(since),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.nat(ALLOWED).map(
      (allowed): Step =>
        (model) =>
          model.reduce(allowed),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.nat(10).map(
      (minutes): Step =>
        async (model, advance) => {
          model.minute += minutes;
          advance(minutes * MINUTE);
        },
    ),
  },
);

eachAdapter('StreamSlots', contracts.streamSlots, (instance) => {
  it('decide as the rules of the domain do, whatever is opened, closed, renewed and reduced', async () => {
    const { slots, advance } = await instance();
    const property = fc.asyncProperty(fc.array(steps, { maxLength: 40 }), async (taken) => {
      const model = new Model(slots);
      for (const step of taken) await step(model, advance);
    });
    await fc.assert(property, runs(60));
  });
});
