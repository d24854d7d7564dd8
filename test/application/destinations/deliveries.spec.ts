import { expect } from 'chai';
import fc from 'fast-check';
import type { EmailAddress } from '../../../src/domain/accounts/email-address.js';
import type { Destination } from '../../../src/domain/destinations/destination.js';
import { fromEpochMillis, HOUR, MINUTE, type Moment } from '../../../src/domain/moment.js';
import { ModelDeliveries } from '../../support/destinations/model-deliveries.js';
import type { Outcome } from '../../support/destinations/model-receiver.js';
import { runs } from '../../support/objects/builders.js';
import { itemOf, MARKETS, wholeFeed } from '../../support/streams/model-items.js';

/** The store in memory has the time of the machine, and the model another one. */
const LATER_THAN_THE_STORE = '2100-01-01T00:00:00.000000Z' as Moment;

const FILTERS = ['', 'category=x', 'market_id=m1'];

type Action =
  | {
      readonly does: 'publish';
      readonly id: string;
      readonly markets: readonly (typeof MARKETS)[number][];
      readonly category: 'x' | 'y';
    }
  | { readonly does: 'retract'; readonly id: string }
  | { readonly does: 'turn' | 'begin turn' | 'restart' | 'edit' }
  | { readonly does: 'wait'; readonly minutes: number }
  | { readonly does: 'restore'; readonly operations: number }
  | { readonly does: 'outcomes'; readonly of: number; readonly outcomes: readonly Outcome[] };

const ids = fc.constantFrom('a', 'b', 'c', 'd');
const publish = fc.record({
  does: fc.constant('publish' as const),
  id: ids,
  markets: fc.subarray([...MARKETS], { minLength: 1 }),
  category: fc.constantFrom('x' as const, 'y' as const),
});
const actions = (withRestores: boolean) =>
  fc.array(
    fc.oneof(
      { weight: 6, arbitrary: publish },
      { weight: 2, arbitrary: fc.record({ does: fc.constant('retract' as const), id: ids }) },
      { weight: 6, arbitrary: fc.constant({ does: 'turn' as const }) },
      { weight: 2, arbitrary: fc.constant({ does: 'begin turn' as const }) },
      { weight: 1, arbitrary: fc.constant({ does: 'restart' as const }) },
      { weight: 1, arbitrary: fc.constant({ does: 'edit' as const }) },
      {
        weight: 3,
        arbitrary: fc.record({ does: fc.constant('wait' as const), minutes: fc.constantFrom(1, 31) }),
      },
      {
        weight: 3,
        arbitrary: fc.record({
          does: fc.constant('outcomes' as const),
          of: fc.nat(FILTERS.length - 1),
          outcomes: fc.array(fc.constantFrom<Outcome>('taken', 'refused', 'lost'), {
            minLength: 1,
            maxLength: 3,
          }),
        }),
      },
      {
        weight: withRestores ? 1 : 0,
        arbitrary: fc.record({
          does: fc.constant('restore' as const),
          operations: fc.integer({ min: 1, max: 3 }),
        }),
      },
    ) as fc.Arbitrary<Action>,
    { maxLength: 40 },
  );

async function run(model: ModelDeliveries, action: Action): Promise<unknown> {
  switch (action.does) {
    case 'publish':
      return model.feed.publish([itemOf({ ...action, minutes: 0, characters: 1 })], 'live');
    case 'retract':
      return model.feed.retract(action.id);
    case 'turn':
      return model.round();
    case 'begin turn':
      return model.beginRound();
    case 'restart':
      return model.restart();
    case 'edit':
      return model.edit();
    case 'wait':
      return model.wait(action.minutes * MINUTE);
    case 'restore':
      model.wait(MINUTE);
      return model.restore(action.operations);
    case 'outcomes':
      return model.receiverOf(action.of).outcomes.push(...action.outcomes);
  }
}

/** After all receivers take everything again. */
async function settled(model: ModelDeliveries): Promise<void> {
  for (const receiver of model.receivers.values()) receiver.outcomes.length = 0;
  for (let i = 0; i < 4; i += 1) {
    model.wait(HOUR);
    await model.rounds(4);
  }
}

async function modelOf(steps: readonly Action[]): Promise<ModelDeliveries> {
  const model = new ModelDeliveries();
  await model.open();
  for (const filter of FILTERS) await model.create(filter);
  for (const action of steps) await run(model, action);
  await settled(model);
  return model;
}

describe('Deliveries to destinations', () => {
  const converges = async (steps: readonly Action[]) => {
    const model = await modelOf(steps);
    expect(model.faults).to.deep.equal([]);
    for (const [i, filter] of FILTERS.entries())
      expect(model.receiverOf(i).held, filter).to.deep.equal(wholeFeed(model.feed, model.filterOf(filter)));
  };

  it('give a receiver that applies them the state of a walk, whatever fails or restarts', () =>
    fc.assert(fc.asyncProperty(actions(false), converges), runs(150)));

  it('do so also after returns of the feed to an older state', () =>
    fc.assert(fc.asyncProperty(actions(true), converges), runs(150)));

  it('are in the order of the log, and each repeat has the id and the bounds of the first try', () =>
    fc.assert(
      fc.asyncProperty(actions(false), async (steps) => {
        const model = await modelOf(steps);
        for (const { deliveries, answers } of model.receivers.values()) {
          const bounds = new Map(deliveries.map(({ id, position }) => [id, position]));
          for (const { id, position } of deliveries) expect(position).to.equal(bounds.get(id));
          const order = [...bounds.keys()];
          const tries = deliveries.map(({ id }) => order.indexOf(id));
          expect(tries).to.deep.equal(tries.toSorted((one, other) => one - other));
          for (const [i, { id }] of deliveries.entries())
            if (answers[i] !== 'taken') expect(deliveries[i + 1]?.id ?? id).to.equal(id);
        }
      }),
      runs(100),
    ));

  it('tell a receiver of a restore that leaves its position, but not a change that was left out for a later one', async () => {
    const model = await opened();
    const receiver = model.receiverOf(0);
    receiver.outcomes.push('refused');
    await publishItem(model, 'a');
    await model.round();
    await publishItem(model, 'a');
    model.wait(MINUTE);
    // The repeat leaves the first version out.
    await model.round();
    expect(receiver.deliveries.map(({ messages }) => messages.length)).to.deep.equal([1, 0]);
    await model.restore(1);
    await model.rounds(3);
    expect(receiver.deliveries.map(({ content }) => content)).to.deep.equal(['changes', 'changes', 'reset']);
    expect(receiver.held).to.deep.equal(wholeFeed(model.feed, model.filterOf('')));
  });

  it('are repeated with the filter of the first try, also after it was changed', async () => {
    const model = await opened(undefined, 'category=x');
    const receiver = model.receiverOf(0);
    receiver.outcomes.push('refused');
    await publishItem(model, 'other', 'y');
    await publishItem(model, 'a', 'x');
    await model.round();
    await model.refilter('');
    model.wait(MINUTE);
    await model.rounds(2);
    expect(receiver.deliveries.map(({ messages }) => messages.length)).to.deep.equal([1, 1]);
    await publishItem(model, 'later', 'y');
    await model.rounds(2);
    expect(receiver.deliveries.map(({ messages }) => messages.length)).to.deep.equal([1, 1, 1]);
  });

  it('keep the position of a disabled destination, and go on from there, without what was superseded', async () => {
    const model = await opened();
    const receiver = model.receiverOf(0);
    receiver.outcomes.push('gone');
    await publishItem(model, 'a');
    await model.rounds(2);
    expect((await model.only()).state.status).to.equal('disabled');
    for (const id of ['a', 'b', 'a']) await publishItem(model, id);
    await model.rounds(2);
    expect(receiver.deliveries).to.have.length(1);
    await model.happens({ event: 'enabled' });
    await model.rounds(3);
    expect((await model.only()).state.status).to.equal('active');
    expect(receiver.held).to.deep.equal(wholeFeed(model.feed, model.filterOf('')));
    // The repeat of the batch that was refused is empty; the next one has one change of each item.
    expect(receiver.deliveries.map(({ messages }) => messages.length)).to.deep.equal([1, 0, 2]);
  });

  it('are repeated for three days, with a mail after an hour and one at the end', async () => {
    const model = await opened();
    const receiver = model.receiverOf(0);
    receiver.outcomes.push(...Array.from({ length: 500 }, (): Outcome => 'refused'));
    await publishItem(model, 'a');
    const kinds: string[] = [];
    for (let hour = 0; hour < 5 * 24; hour += 1) {
      for (let i = 0; i < 2; i += 1) {
        await model.round();
        model.wait(35 * MINUTE);
      }
      for (const { notice } of await model.outbox.claim(model.now, 10))
        if (notice.news.kind !== 'key_issued') kinds.push(notice.news.kind);
    }
    expect(kinds).to.deep.equal(['destination_failing', 'destination_disabled']);
    const state = (await model.only()).state;
    expect(state).to.include({ status: 'disabled', cause: 'failed' });
    const ids = new Set(receiver.deliveries.map(({ id }) => id));
    expect(ids.size).to.equal(1);
    // 5 s, 30 s, 2 min, 10 min, then every half an hour.
    expect(receiver.deliveries.length).to.be.within(100, 150);
  });

  it('stop while the subscription is not served, and go on when it is', async () => {
    const model = await opened();
    const receiver = model.receiverOf(0);
    await model.hold(true);
    await publishItem(model, 'a');
    await model.rounds(3);
    expect(receiver.deliveries).to.deep.equal([]);
    await model.hold(false);
    await model.rounds(3);
    expect(receiver.held.size).to.equal(1);
  });

  it('wait for a permit while they catch up, and do not fail for it', async () => {
    const model = await opened();
    model.permits = ['refused', 'granted'];
    await publishItem(model, 'a');
    model.now = LATER_THAN_THE_STORE;
    await model.rounds(2);
    expect(model.receiverOf(0).deliveries).to.have.length(0);
    model.wait(HOUR);
    await model.rounds(2);
    expect(model.receiverOf(0).held.size).to.equal(1);
    expect((await model.only()).state.status).to.equal('active');
  });

  it('send one mail for the changes of ten minutes', async () => {
    const model = await opened({
      kind: 'email',
      address: 'a@example.org' as EmailAddress,
      confirmedAt: null,
    });
    const receiver = model.receiverOf(0);
    model.now = fromEpochMillis(Date.now());
    await publishItem(model, 'a');
    await model.round();
    model.wait(5 * MINUTE);
    await publishItem(model, 'b');
    await model.round();
    expect(receiver.deliveries).to.deep.equal([]);
    model.wait(6 * MINUTE);
    await model.rounds(2);
    expect(receiver.deliveries.map(({ messages }) => messages.length)).to.deep.equal([2]);
    // The next one is ten minutes later, also if many changes wait.
    for (let i = 0; i < 501; i += 1) await publishItem(model, `c-${i}`);
    await model.rounds(3);
    expect(receiver.deliveries).to.have.length(1);
    model.wait(10 * MINUTE);
    await model.rounds(3);
    expect(receiver.deliveries.map(({ messages }) => messages.length)).to.deep.equal([2, 500]);
  });

  it('are not sent after the destination was removed', async () => {
    const model = await opened();
    await publishItem(model, 'a');
    await model.remove();
    await model.rounds(3);
    expect(model.receiverOf(0).deliveries).to.deep.equal([]);
    expect(model.faults).to.deep.equal([]);
  });
});

async function opened(target?: Destination['target'], filter = ''): Promise<ModelDeliveries> {
  const model = new ModelDeliveries();
  await model.open();
  await model.create(filter, target === undefined ? {} : { target });
  await model.round();
  return model;
}

const publishItem = (model: ModelDeliveries, id: string, category: 'x' | 'y' = 'x') =>
  model.feed.publish([itemOf({ id, markets: ['m1'], category, minutes: 0, characters: 1 })], 'live');
