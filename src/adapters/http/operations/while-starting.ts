import { answerProblem } from '../answer/problem.js';
import type { Middleware } from '../state.js';
import { answerReadiness } from './health.js';

/** They need no store. The metrics state that the process is not ready. */
const ANSWERED: ReadonlySet<string> = new Set(['/livez', '/metrics']);

/**
 * Until the service has started, `/readyz` states what the start waits for. All other paths except `/livez` and `/metrics`
 * answer 503, because the stores are not ready.
 */
export const whileStarting =
  (start: { readonly isStarting: () => boolean; readonly waitingFor: () => string | null }): Middleware =>
  (ctx, next) => {
    if (!start.isStarting() || ANSWERED.has(ctx.path)) return next();
    const waitsFor = start.waitingFor();
    if (ctx.path === '/readyz') {
      const text = waitsFor ?? 'starting';
      return answerReadiness(ctx, [{ dependency: 'service', state: 'down', text }]);
    }
    ctx.set('Connection', 'close'); // The rest of the body is not read.
    answerProblem(ctx, 'unavailable', {
      detail: `The service is starting${waitsFor === null ? '' : ` (${waitsFor})`}. Try again in a moment.`,
    });
  };
