import { answerProblem } from '../answer/problem.js';
import type { Middleware } from '../state.js';
import { answerReadiness } from './health.js';

/**
 * Until the service has started, `/readyz` states what the start waits for. All other paths except `/livez` answer 503,
 * because the stores are not ready.
 */
export const whileStarting =
  (start: { readonly isStarting: () => boolean; readonly waitingFor: () => string | null }): Middleware =>
  (ctx, next) => {
    if (!start.isStarting() || ctx.path === '/livez') return next();
    const text = start.waitingFor() ?? 'starting';
    if (ctx.path === '/readyz') return answerReadiness(ctx, [{ dependency: 'service', state: 'down', text }]);
    ctx.set('Connection', 'close'); // The rest of the body is not read.
    answerProblem(ctx, 'unavailable', {
      detail: `The service is starting (${text}). Try again in a moment.`,
    });
  };
