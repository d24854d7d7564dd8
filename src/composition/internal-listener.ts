import { accountViews } from '../adapters/http/accounts/account-views.js';
import { internalApi } from '../adapters/http/internal-api.js';
import { internalHost } from '../adapters/http/listener/internal-host.js';
import { parserErrors } from '../adapters/http/listener/parser-errors.js';
import { getOpenApi } from '../adapters/http/operations/get-open-api.js';
import { whileStarting } from '../adapters/http/operations/while-starting.js';
import { publishingGuide } from '../adapters/reference/publishing-guide.js';
import { countWrongToken } from '../application/limits/count-wrong-token.js';
import { type Made, overlay } from './container/container.js';
import { firstMiddleware } from './listeners.js';
import type { PublicParts } from './public-listener.js';

export const internalTools = (parts: PublicParts) => ({
  /** The answer of `/metrics`; a worker replaces it by the metrics of all workers. */
  metricsText: () => parts.metrics.text,
  accountViews: () => accountViews(parts),
  countWrongToken: () => countWrongToken(overlay(parts, { warn: parts.internalLog.wrongTokens })),
  internalParserErrors: () =>
    parserErrors(overlay(parts, { guardAddress: null, listenerLog: parts.internalLog })),
});

/** The listener for publishers, operators and monitoring (D30). */
export const internalListener = (parts: PublicParts & Made<typeof internalTools>) => ({
  internalApi: () => {
    const first = {
      ...firstMiddleware(parts, parts.internalLog),
      internalHost: internalHost(parts.config.internalHosts),
      whileStarting: whileStarting(parts.lifecycle),
    };
    return internalApi(
      first,
      overlay(parts, {
        getOpenApi: getOpenApi('internal', parts),
        guide: publishingGuide(parts.publicAddress.url),
      }),
    );
  },
});
