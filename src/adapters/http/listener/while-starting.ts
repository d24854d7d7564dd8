import { answerProblem } from '../answer/problem.js';
import { answerReadiness } from '../operations/health.js';
import type { Middleware } from '../state.js';

/**
 * Until the service has started, answers /readyz with what the start waits for, and anything but /livez with 503: the
 * stores behind the other paths are not ready.
 */
export const whileStarting =
  (start: { readonly isStarting: () => boolean; readonly waitingFor: () => string | null }): Middleware =>
  (ctx, next) => {
    if (!start.isStarting() || ctx.path === '/livez') return next();
    const text = start.waitingFor() ?? 'starting';
    if (ctx.path === '/readyz') return answerReadiness(ctx, [{ dependency: 'service', state: 'down', text }]);
    ctx.set('Connection', 'close'); // A body that nobody will read may be on its way.
    answerProblem(ctx, 'unavailable', {
      detail: `The service is starting (${text}). Try again in a moment.`,
    });
  };
