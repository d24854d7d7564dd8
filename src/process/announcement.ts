import { join } from 'node:path';
import type { Config } from '../settings/config.js';

type Ports = { readonly port: number; readonly internalPort: number };

/** Where the service listens. */
export const addressesText = ({ port, internalPort }: Ports): string =>
  `Oddswire listens on http://localhost:${port} (public) and http://localhost:${internalPort} (internal).`;

/** Prints where the service listens, and the file that has the generated tokens. It does not print the tokens. */
export function announce({ operatorToken, publisherToken, stateDir }: Config, running: Ports): void {
  const generated = [
    ...(operatorToken === undefined ? ['OPERATOR_TOKEN'] : []),
    ...(publisherToken === undefined ? ['PUBLISHER_TOKEN'] : []),
  ];
  const lines = [
    addressesText(running),
    ...generated.map(
      (setting) => `${setting} is not set: using the generated token in ${join(stateDir, 'tokens.json')}.`,
    ),
  ];
  console.error(lines.join('\n'));
}
