import 'reflect-metadata';
import { instanceCachingFactory, container as root } from 'tsyringe';
import type { Config } from './config.js';
import type { Wiring } from './parts.js';
import { wireHttp } from './wire-http.js';
import { wireStores } from './wire-stores.js';
import { wireUseCases } from './wire-use-cases.js';

/** The service as one list: every part, what it is made of, and which adapter the settings choose. */
export function compose(config: Config, replace: (wiring: Wiring) => void = () => {}) {
  const di = root.createChildContainer();
  const closers: (() => Promise<void>)[] = [];
  const wiring: Wiring = {
    // The container's own disposal does not reach what factories made: closers are kept here.
    part: (token, make) => void di.register(token, { useFactory: instanceCachingFactory(make) }),
    get: (token) => di.resolve(token),
    closing: (close) => void closers.unshift(close),
  };
  wireStores(wiring, config);
  wireUseCases(wiring, config);
  wireHttp(wiring, config);
  replace(wiring);
  return {
    get: wiring.get,
    close: async () => {
      for (const close of closers) await close();
    },
  };
}

export type Composition = ReturnType<typeof compose>;
