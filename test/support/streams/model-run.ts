import sinon from 'sinon';
import { nextImmediate } from '../next-immediate.js';
import { NOON } from '../objects/builders.js';
import type { Action, Case } from './model-actions.js';
import { ModelClient, type Resumption } from './model-client.js';
import { HEARTBEAT_MS, ModelInstance } from './model-instance.js';
import { itemOf, MARKETS, wholeFeed } from './model-items.js';
import { RestorableFeed } from './restorable-feed.js';
import { SlowAnswers } from './slow-answers.js';

/** More rounds than any run needs until all clients have every change. */
const ROUNDS_MAX = 1_000;
const IMMEDIATES_PER_ROUND = 12;

/** Runs a case. Throws if a client has another state than the feed at the end, or got what it must not get (D49, D50). */
export async function runModel(model: Case, resumption: Resumption = 'received'): Promise<void> {
  const timers = sinon.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
  });
  const run = new ModelRun(model, resumption, (ms) => timers.tick(ms));
  try {
    await run.start();
    for (const action of model.actions) await run.act(action);
    await run.settle();
    run.expectEqualStates();
  } finally {
    await run.close();
    timers.restore();
  }
}

class ModelRun {
  readonly #feed = new RestorableFeed();
  readonly #store: SlowAnswers;
  readonly #model: Case;
  readonly #clients: readonly ModelClient[];
  readonly #tick: (ms: number) => void;
  #instances: readonly ModelInstance[];
  #faults: unknown[] = [];
  #answers = 0;

  constructor(model: Case, resumption: Resumption, tick: (ms: number) => void) {
    this.#model = model;
    this.#tick = tick;
    const { immediates } = model;
    this.#store = new SlowAnswers(() => {
      this.#answers += 1;
      return immediates[this.#answers % immediates.length] ?? 0;
    });
    const report = (fault: unknown) => void this.#faults.push(fault);
    this.#clients = model.clients.map((plan) => new ModelClient(plan, this.#feed, resumption, report));
    this.#instances = [this.#newInstance(), this.#newInstance()];
  }

  async start(): Promise<void> {
    for (const instance of this.#instances) void instance.start();
    await this.#immediates(IMMEDIATES_PER_ROUND);
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.close();
    await Promise.all(this.#instances.map((instance) => instance.close()));
    await this.#immediates(IMMEDIATES_PER_ROUND);
  }

  async act(action: Action): Promise<void> {
    await this.#act(action);
    this.#throwFaults();
  }

  /** The store answers, connections accept everything, and clients reconnect, until each has every change. */
  async settle(): Promise<void> {
    this.#store.isAway = false;
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      await this.#getAll();
      if (round > 2 && this.#clients.every(({ isCaughtUp }) => isCaughtUp)) return;
      this.#stepAll(round);
      this.#throwFaults();
    }
    const late = this.#clients.filter(({ isCaughtUp }) => !isCaughtUp);
    throw new Error(`clients do not catch up: ${JSON.stringify(late.map(({ plan }) => plan))}`);
  }

  expectEqualStates(): void {
    for (const { plan, held, since } of this.#clients) {
      const expected = wholeFeed(this.#feed, plan);
      for (const [id, item] of held)
        if (expected.get(id) !== item) throw new Error(`${id} is not in the feed as held: ${item}`);
      for (const [id, item] of expected)
        if ((since === null || item >= since) && !held.has(id)) throw new Error(`${id} is missing: ${item}`);
    }
  }

  async #act(action: Action): Promise<void> {
    switch (action.do) {
      case 'publish':
        return void (await this.#feed.publish(action.items.map(itemOf), action.mode));
      case 'publishMany':
        return void (await this.#feed.publish(manyItems(action), 'live'));
      case 'retract':
        return void (await this.#feed.retract(action.id));
      case 'trim':
        return void (await this.#feed.trim(action.count));
      case 'restore': {
        const { head } = this.#feed.state;
        await this.#feed.restore(action.operations);
        if (action.isHeadRaised) await this.#feed.raiseHead(head, NOON);
        return;
      }
      case 'follow':
        return this.#instance(action.instance).follow();
      case 'kill':
        return this.#kill(action.instance, action.share);
      case 'away':
        this.#store.isAway = action.isAway;
        return;
      case 'tick':
        return this.#tick(HEARTBEAT_MS);
      case 'rounds':
        for (let round = 0; round < action.count; round += 1) {
          await this.#getAll();
          this.#stepAll(round);
        }
        return;
      case 'immediates':
        return this.#immediates(action.count);
      case 'step':
        return this.#client(action.client).step(this.#instance(action.instance));
      case 'accept':
        return this.#client(action.client).accept();
      case 'receive':
        return this.#client(action.client).receive(action.share);
      case 'disconnect':
        return this.#client(action.client).disconnect(action.share);
    }
  }

  /** The instances follow the logs, and the connections accept everything. */
  async #getAll(): Promise<void> {
    for (const instance of this.#instances) instance.follow();
    this.#tick(HEARTBEAT_MS);
    for (let i = 0; i < IMMEDIATES_PER_ROUND; i += 1) {
      await nextImmediate();
      for (const client of this.#clients) client.accept();
    }
  }

  #stepAll(round: number): void {
    this.#clients.forEach((client, i) => void client.step(this.#instance(i + round)));
  }

  async #kill(index: number, share: number): Promise<void> {
    const killed = this.#instance(index);
    for (const client of this.#clients) if (client.isOn(killed)) client.disconnect(share);
    await killed.close();
    const started = this.#newInstance();
    this.#instances = this.#instances.map((one) => (one === killed ? started : one));
    void started.start();
  }

  async #immediates(count: number): Promise<void> {
    for (let i = 0; i < count; i += 1) await nextImmediate();
  }

  #newInstance(): ModelInstance {
    const report = (fault: unknown) => void this.#faults.push(fault);
    return new ModelInstance({ ...this.#model.sizes, feed: this.#feed, store: this.#store, report });
  }

  #instance(index: number): ModelInstance {
    const instance = this.#instances[index % this.#instances.length];
    if (instance === undefined) throw new Error('there is no instance');
    return instance;
  }

  #client(index: number): ModelClient {
    const client = this.#clients[index % this.#clients.length];
    if (client === undefined) throw new Error('there is no client');
    return client;
  }

  #throwFaults(): void {
    const [fault] = this.#faults;
    if (fault !== undefined) throw fault;
  }
}

/** Items beside those of other actions, so many that replays need several reads. */
const manyItems = ({ count, from }: { readonly count: number; readonly from: number }) =>
  Array.from({ length: count }, (_, i) => {
    const market = MARKETS[i % MARKETS.length];
    return itemOf({
      id: `many ${from + i}`,
      markets: market === undefined ? [] : [market],
      category: i % 2 === 0 ? 'x' : 'y',
      minutes: i % 61,
      characters: i % 40,
    });
  });
