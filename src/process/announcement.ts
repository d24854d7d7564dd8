import { join } from 'node:path';
import type { Config } from '../settings/config.js';

/** Tells a person where the service is and, if it made tokens itself, in which file they are. Values are not shown. */
export function announce(
  config: Config,
  running: { readonly port: number; readonly internalPort: number },
): void {
  const { operatorToken, publisherToken, stateDir } = config;
  const made = [
    ...(operatorToken === undefined ? ['OPERATOR_TOKEN'] : []),
    ...(publisherToken === undefined ? ['PUBLISHER_TOKEN'] : []),
  ];
  const lines = [
    `Oddswire listens on http://localhost:${running.port} (public) and http://localhost:${running.internalPort} (internal).`,
    ...made.map((setting) => `${setting} is not set: the token is in ${join(stateDir, 'tokens.json')}.`),
  ];
  console.error(lines.join('\n'));
}
