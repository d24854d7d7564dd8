import { join } from 'node:path';
import type { Tokens } from './adapters/http/operations/tokens.js';
import type { Config } from './config.js';

/** Tells a person where the service is and, if it made the tokens itself, what they are. */
export function announce(
  config: Config,
  running: { readonly port: number; readonly internalPort: number },
  tokens: Tokens,
): void {
  const lines = [
    `Oddswire listens on http://localhost:${running.port} (public) and http://localhost:${running.internalPort} (internal).`,
    ...(config.operatorToken === undefined ? [`Operator token:  ${tokens.operator}`] : []),
    ...(config.publisherToken === undefined ? [`Publisher token: ${tokens.publisher}`] : []),
    ...(config.operatorToken === undefined || config.publisherToken === undefined
      ? [
          `Tokens are kept in ${join(config.stateDir, 'tokens.json')}; set OPERATOR_TOKEN and PUBLISHER_TOKEN to choose your own.`,
        ]
      : []),
  ];
  console.error(lines.join('\n'));
}
