import { expect } from 'chai';
import {
  ALWAYS_SERVED,
  emptyTimesAfter,
  ITERATION_BEGINS,
  isEarlyServed,
  isLeftUnread,
  isServed,
  isStanding,
  progressed,
  REQUEST_PRIORITIES,
  RETRY_SECONDS,
  type RequestPriority,
  retrySeconds,
  timesAt,
  timesOf,
} from '../../../src/domain/limits/iteration-budget.js';
import { type Offer, simulateIterations, unlimited } from './simulated-iterations.js';

describe('The budget of an iteration of the event loop', () => {
  const busy = { began: 1_000, emptyTimes: timesAt(899) };
  const burst = { began: 1_000, emptyTimes: timesAt(900) };
  /** More customers in the iteration than are always served. */
  const begun = { ...ITERATION_BEGINS, priority: 'customer', customers: ALWAYS_SERVED } as const;
  const at = (priority: RequestPriority, usedMs: number) => progressed(begun, priority, usedMs);

  it('refuses the priorities in their order while their queues are never empty', () => {
    const servedAt = (usedMs: number) => REQUEST_PRIORITIES.filter((one) => isServed(at(one, usedMs), busy));
    expect(servedAt(2)).to.deep.equal(REQUEST_PRIORITIES);
    expect(servedAt(2.1)).to.deep.equal(REQUEST_PRIORITIES.slice(1));
    expect(servedAt(5.1)).to.deep.equal(['limited', 'session', 'stream', 'customer']);
    expect(servedAt(10.1)).to.deep.equal(['session', 'stream', 'customer']);
    expect(servedAt(15.1)).to.deep.equal(['stream', 'customer']);
    expect(servedAt(25.1), 'streams have a limit of their own').to.deep.equal(['stream']);
  });

  it('is 500 ms for a burst, whose end is near', () => {
    for (const priority of REQUEST_PRIORITIES)
      expect(isServed(at(priority, 500), burst), priority).to.equal(true);
    expect(REQUEST_PRIORITIES.filter((one) => isServed(at(one, 501), burst))).to.deep.equal(['stream']);
  });

  it('serves a few customers in each iteration, however slow the machine is', () => {
    const customer = (customers: number) =>
      isServed(progressed({ ...begun, customers: customers - 1 }, 'customer', 900), busy);
    expect([customer(ALWAYS_SERVED), customer(ALWAYS_SERVED + 1)]).to.deep.equal([true, false]);
  });

  it('counts for customers only the time that customers used', () => {
    const afterCustomers = at('stranger', 20);
    const afterStrangers = progressed(afterCustomers, 'customer', 60);
    expect(isServed(afterStrangers, busy)).to.equal(true);
    expect(isServed(progressed(afterStrangers, 'customer', 66), busy)).to.equal(false);
    expect(isServed(progressed(afterStrangers, 'session', 61), busy)).to.equal(false);
  });

  it('does not count for customers the time of the requests that are always served', () => {
    expect(progressed(ITERATION_BEGINS, 'customer', 40).othersMs).to.equal(40);
  });

  it('refuses a request that was sent before its `Retry-After` was over while others are refused', () => {
    expect([isEarlyServed(-2_000, busy), isEarlyServed(-2_001, busy)]).to.deep.equal([false, true]);
  });

  it('leaves connections of customers unread, and those of others if very many are refused', () => {
    expect(REQUEST_PRIORITIES.filter((one) => isLeftUnread(one, 200))).to.deep.equal(['customer']);
    expect(REQUEST_PRIORITIES.filter((one) => isLeftUnread(one, 201))).to.deep.equal(REQUEST_PRIORITIES);
  });

  it('judges the queue of customers by their own time', () => {
    const times = emptyTimesAfter(timesAt(0), timesOf(at('stranger', 20), 300), 300);
    expect([times.customer, times.session]).to.deep.equal([300, 255]);
  });

  it('counts the queue of a priority as empty after an iteration that was shorter than its share', () => {
    const times = emptyTimesAfter(timesAt(0), { ms: 12, customersMs: 12 }, 200);
    expect(times).to.deep.equal({
      ...timesAt(0),
      session: 200,
      stream: 200,
      customer: 200,
    });
    const iteration = { began: 201, emptyTimes: times };
    expect(REQUEST_PRIORITIES.filter((one) => isStanding(one, iteration))).to.deep.equal([
      'stranger',
      'unproven',
      'limited',
    ]);
  });

  it('does not count one pause as a standing queue', () => {
    const isStandingAfter = (...iterations: readonly number[]) => {
      let times = timesAt(0);
      let now = 0;
      for (const ms of iterations) {
        now += ms;
        times = emptyTimesAfter(times, { ms, customersMs: ms }, now);
      }
      return isStanding('customer', { began: now, emptyTimes: times });
    };
    expect([isStandingAfter(400), isStandingAfter(400, 60), isStandingAfter(60, 60, 60)]).to.deep.equal([
      false,
      false,
      true,
    ]);
  });

  it('spreads the repeats of refused requests over the seconds of `Retry-After`', () => {
    expect([0, 0.34, 0.67, 0.999].map(retrySeconds)).to.deep.equal([1, 2, 3, 3]);
    expect(RETRY_SECONDS).to.deep.equal([1, 2, 3]);
  });
});

describe('A process with the budget of iterations, simulated', () => {
  /** Load of customers as a share of what the process can serve. */
  const customers = (load: number): readonly Offer[] => [{ priority: 'customer', load, connections: 5_000 }];
  const of = (result: ReturnType<typeof simulateIterations>, priority: RequestPriority) => result[priority];

  for (const load of [0.5, 1, 1.5, 2, 3]) {
    it(`serves at least 0.85 of what it can at ${load} times its capacity, and each request within 150 ms`, () => {
      const { goodput, p99Ms } = of(simulateIterations(customers(load)), 'customer');
      expect(goodput).to.be.at.least(0.85 * Math.min(1, load));
      expect(p99Ms).to.be.at.most(150);
    });
  }

  it('would answer too late without the budget: the simulation can fail', () => {
    const { p99Ms } = of(simulateIterations(customers(3), { served: unlimited }), 'customer');
    expect(p99Ms).to.be.greaterThan(400);
  });

  it('serves customers beside any number of strangers', () => {
    const result = simulateIterations([
      { priority: 'stranger', load: 3, connections: 5_000 },
      { priority: 'customer', load: 0.5, connections: 200 },
    ]);
    expect(of(result, 'customer').goodput).to.be.at.least(0.98 * 0.5);
    expect(of(result, 'customer').p99Ms).to.be.at.most(100);
  });

  it('refuses nothing after a pause of 30 ms at 0.8 of its capacity', () => {
    const result = simulateIterations(customers(0.8), { pauseMs: 30 });
    expect(of(result, 'customer').refused).to.equal(0);
  });
});
