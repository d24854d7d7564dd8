import { setTimeout } from 'node:timers/promises';
import { internalTokens } from '../adapters/system/internal-tokens.js';
import { Lifecycle } from '../adapters/system/lifecycle.js';
import { Metrics } from '../adapters/system/metrics/metrics.js';
import { processLog } from '../adapters/system/process-log.js';
import { ProcessPauses } from '../adapters/system/process-pauses.js';
import { PublicAddress } from '../adapters/system/public-address.js';
import { randomIds, randomSecrets, sha256OfKey } from '../adapters/system/random-ids.js';
import type { MonotonicClock } from '../application/ports/monotonic-clock.js';
import { keyFormat, publicSandboxKey, sandboxKeyFormat } from '../domain/keys/key-value.js';
import type { Config } from '../settings/config.js';
import { VERSION } from '../settings/version.js';
import type { Made } from './container/container.js';
import type { Hooks } from './container/hooks.js';

/** The settings. Those that use cases take are also separate components. */
export const settings = (config: Config) => ({
  version: () => VERSION,
  config: () => config,
  plans: () => config.plans,
  abuseRules: () => config.abuse,
  anonymousPerMinute: () => config.anonymousPerMinute,
  feedChangesKept: () => config.feedChangesKept,
});

/** Components that need only the process and its settings. */
export const ownProcess = ({ config }: Made<typeof settings>, { reporting, running, states }: Hooks) => {
  const lifecycle = new Lifecycle();
  reporting(lifecycle.report);
  return {
    log: () => processLog(config),
    metrics: () => new Metrics({ version: VERSION, isReady: lifecycle.isReady }),
    lifecycle: () => lifecycle,
    pauses: () => running(new ProcessPauses()),
    monotonicClock: (): MonotonicClock => () => performance.now(),
    /** The states of the dependencies, for `/readyz`. */
    dependencyStates: () => states,
    tokens: () => internalTokens(config),
    publicAddress: () => new PublicAddress(config.publicUrl, config.port),
    keyFormat: () => keyFormat(config.keyPrefix),
    sandboxKeyFormat: () => sandboxKeyFormat(config.keyPrefix),
    publicSandboxKey: () => publicSandboxKey(sandboxKeyFormat(config.keyPrefix)),
    ids: () => randomIds,
    secrets: () => randomSecrets,
    hashKey: () => sha256OfKey,
    pause: () => (ms: number) => setTimeout<void>(ms),
  };
};

export type ProcessParts = Made<typeof settings> & Made<typeof ownProcess>;
