import { jsonLog } from '../adapters/system/json-log.js';
import { Lifecycle } from '../adapters/system/lifecycle.js';
import { Metrics } from '../adapters/system/metrics.js';
import { PublicAddress } from '../adapters/system/public-address.js';
import { randomIds, randomSecrets, sha256OfKey } from '../adapters/system/random-ids.js';
import { tokenFile } from '../adapters/system/token-file.js';
import { keyFormat } from '../domain/keys/key-value.js';
import { type Tokens, tokenFaults } from '../domain/sign-in/internal-tokens.js';
import type { Config } from '../settings/config.js';
import { describeTokenFault } from '../settings/listener-settings.js';
import {
  HASH_KEY,
  IDS,
  KEY_FORMAT,
  LIFECYCLE,
  LOG,
  METRICS,
  METRICS_TEXT,
  PUBLIC_ADDRESS,
  SECRETS,
  TOKENS,
  type Wiring,
} from './parts.js';

/** What the process itself brings. */
export function wireProcess({ part, get, reporting }: Wiring, config: Config): void {
  part(LOG, () => jsonLog(config.logLevel));
  part(METRICS, () => new Metrics());
  part(LIFECYCLE, () => new Lifecycle());
  part(METRICS_TEXT, () => get(METRICS).text);
  part(TOKENS, () => tokensOf(config));
  part(IDS, () => randomIds);
  part(SECRETS, () => randomSecrets);
  part(PUBLIC_ADDRESS, () => new PublicAddress(config.publicUrl, config.port));
  part(HASH_KEY, () => sha256OfKey);
  part(KEY_FORMAT, () => keyFormat(config.keyPrefix));
  reporting(() =>
    get(LIFECYCLE).isDraining()
      ? { part: 'service', state: 'down', words: 'shutting down' }
      : { part: 'service', state: 'up', words: 'taking requests' },
  );
}

/** The tokens that are set; what is not is made once, and kept. Throws where the file holds tokens that are too weak. */
export function tokensOf({ operatorToken, publisherToken, stateDir }: Config): Tokens {
  if (operatorToken !== undefined && publisherToken !== undefined)
    return { operator: operatorToken, publisher: publisherToken };
  const { path, tokens: kept } = tokenFile(stateDir);
  const tokens = { operator: operatorToken ?? kept.operator, publisher: publisherToken ?? kept.publisher };
  const [fault] = tokenFaults(tokens);
  if (fault === undefined) return tokens;
  const names = { operator: 'the operator token', publisher: 'the publisher token' };
  throw new Error(`${path}: ${describeTokenFault(fault, names)}; delete the file, and new ones are made`);
}
