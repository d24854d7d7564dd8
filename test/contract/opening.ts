import type { Knex } from 'knex';
import { RedisConnection } from '../../src/adapters/redis/connection.js';
import { Breaker } from '../../src/adapters/resilience/breaker.js';
import { guarded, type PromisePort } from '../../src/adapters/resilience/guarded.js';
import { Throttle, throttled } from '../../src/adapters/resilience/throttle.js';
import { freshSchema, redisUrl } from '../support/servers/stores.js';

/**
 * When an instance of the service sees the writes of another instance. `immediate`: in its next read. `eventual`: it
 * reads from copies, or from permits taken in advance; `caughtUp` resolves once all instances show every earlier write.
 */
export type Freshness =
  | { readonly freshness: 'immediate' }
  | { readonly freshness: 'eventual'; readonly caughtUp: () => Promise<void> };

/** An open store, and a factory of instances over it. */
export type Opened<Port> = Freshness & {
  readonly instance: () => Promise<Port>;
  readonly close: () => Promise<void>;
};

export type Open<Port> = () => Promise<Opened<Port>>;

/** The adapters of a port, by name. */
export type Adapters<Port, Names extends string> = Readonly<Record<Names, Open<Port>>>;

/** Resolves once every instance shows all writes so far. */
export const caughtUp = (store: Freshness): Promise<void> =>
  store.freshness === 'eventual' ? store.caughtUp() : Promise.resolve();

export const inMemory =
  <Port>(make: () => Port): Open<Port> =>
  async () => {
    const store = make();
    return { freshness: 'immediate', instance: async () => store, close: async () => {} };
  };

/** An adapter with a Postgres schema of its own. Each instance has its own connections. */
export const inPostgres =
  <Port>(make: (db: Knex, url: string) => Port): Open<Port> =>
  async () => {
    const schema = await freshSchema();
    return {
      freshness: 'immediate',
      instance: async () => make(schema.connect(), schema.url),
      close: schema.close,
    };
  };

/** An adapter on the Redis of the tests. Each instance has its own connection. */
export const overRedis =
  <Port>(make: (connect: () => Promise<RedisConnection>) => Promise<Port>): Open<Port> =>
  async () => {
    const opened: RedisConnection[] = [];
    const connect = async () => {
      const redis = new RedisConnection([redisUrl()]);
      opened.push(redis);
      await redis.start();
      return redis;
    };
    const close = async () => {
      await Promise.all(opened.map((redis) => redis.close()));
    };
    return { freshness: 'immediate', instance: () => make(connect), close };
  };

/** A wrapper around each instance of another adapter, with the same freshness. */
export const around =
  <Port>(open: Open<Port>, wrap: (port: Port) => Port): Open<Port> =>
  async () => {
    const store = await open();
    return { ...store, instance: async () => wrap(await store.instance()) };
  };

/** Longer than any call of a test takes. */
const DEADLINE_MS = 10_000;

/** A port behind a breaker that stays closed, with a deadline for some of its methods. */
export const guard = <Port extends PromisePort<Port>>(
  port: Port,
  ...withDeadline: readonly (keyof Port)[]
): Port => {
  const breaker = new Breaker({ what: 'the store', probe: async () => {} });
  const deadlines: Partial<Record<keyof Port, number>> = {};
  for (const method of withDeadline) deadlines[method] = DEADLINE_MS;
  return guarded(port, 'the store', breaker, deadlines);
};

/** A port with few concurrent calls. */
export const throttle = <Port extends object>(port: Port): Port =>
  throttled(port, new Throttle({ max: 3, waitingMax: 10_000 }));

export function eachAdapter<Port>(
  port: string,
  adapters: Readonly<Record<string, Open<Port>>>,
  suite: (instance: () => Promise<Port>, caughtUp: () => Promise<void>) => void,
): void {
  for (const [name, open] of Object.entries(adapters)) {
    describe(`${port} (${name})`, () => {
      let store: Opened<Port>;
      before(async () => {
        store = await open();
      });
      after(() => store.close());
      suite(
        () => store.instance(),
        () => caughtUp(store),
      );
    });
  }
}
