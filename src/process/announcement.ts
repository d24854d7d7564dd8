import { join } from 'node:path';
import type { Config } from '../settings/config.js';

/** Prints where the service listens, and the file that has the generated tokens. It does not print the tokens. */
export function announce(
  config: Config,
  running: { readonly port: number; readonly internalPort: number },
): void {
  const { operatorToken, publisherToken, stateDir } = config;
  const generated = [
    ...(operatorToken === undefined ? ['OPERATOR_TOKEN'] : []),
    ...(publisherToken === undefined ? ['PUBLISHER_TOKEN'] : []),
  ];
  const lines = [
    `Oddswire listens on http://localhost:${running.port} (public) and http://localhost:${running.internalPort} (internal).`,
    ...generated.map(
      (setting) => `${setting} is not set: using the generated token in ${join(stateDir, 'tokens.json')}.`,
    ),
  ];
  console.error(lines.join('\n'));
}
