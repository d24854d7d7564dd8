import 'reflect-metadata';
import { instanceCachingFactory, container as root } from 'tsyringe';
import type { PartState } from '../adapters/http/operations/health.js';
import type { Config } from '../settings/config.js';
import { PART_STATES, type Wiring } from './parts.js';
import { wireDashboard } from './wire-dashboard.js';
import { wireHttp } from './wire-http.js';
import { wireIdentity } from './wire-identity.js';
import { wireMail } from './wire-mail.js';
import { wireOperatorConsole } from './wire-operator-console.js';
import { wirePayments } from './wire-payments.js';
import { wireProcess } from './wire-process.js';
import { wireSignIn } from './wire-sign-in.js';
import { wireStores } from './wire-stores.js';
import { wireUseCases } from './wire-use-cases.js';

/** The service as one list: every part, what it is made of, and which adapter the settings choose. */
export function compose(config: Config, replace: (wiring: Wiring) => void = () => {}) {
  const di = root.createChildContainer();
  const starters: ((told: AbortSignal) => Promise<void>)[] = [];
  const closers: (() => Promise<void>)[] = [];
  const reports: (() => PartState)[] = [];
  const wiring: Wiring = {
    // The container's own disposal does not reach what factories made: closers are kept here.
    part: (token, make) => void di.register(token, { useFactory: instanceCachingFactory(make) }),
    get: (token) => di.resolve(token),
    starting: (start) => void starters.push(start),
    closing: (close) => void closers.unshift(close),
    reporting: (report) => void reports.push(report),
  };
  wiring.part(PART_STATES, () => () => reports.map((report) => report()));
  wireProcess(wiring, config);
  wireStores(wiring, config);
  wirePayments(wiring, config);
  wireMail(wiring, config);
  wireIdentity(wiring, config);
  wireUseCases(wiring, config);
  wireSignIn(wiring, config);
  wireDashboard(wiring, config);
  wireOperatorConsole(wiring, config);
  wireHttp(wiring, config);
  replace(wiring);
  return {
    get: wiring.get,
    /** Brings up what the service needs before it can listen. */
    open: async (told: AbortSignal) => {
      for (const start of starters) await start(told);
    },
    close: async () => {
      for (const close of closers) await close();
    },
  };
}

export type Composition = ReturnType<typeof compose>;
