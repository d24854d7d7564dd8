import { isRepeatable } from '../../domain/ignored-parameters.js';
import type { KeyFormat } from '../../domain/keys/key-value.js';
import type { Fault } from '../../domain/refusal.js';
import { answerRefusal } from './answer/problem.js';
import { parameters } from './parameters.js';
import type { Route } from './routes.js';
import type { RouteHandler } from './state.js';

/**
 * Routes whose requests with an unknown parameter are 400, after their tokens were checked (D11): a publisher who writes
 * `?mod=backfill` must not publish live. `known` has the parameters by method and path.
 */
export const refusingUnknownParameters = (
  routes: readonly Route[],
  known: Readonly<Record<string, readonly string[]>>,
  keyFormat: KeyFormat,
): readonly Route[] =>
  routes.map((route) => ({
    ...route,
    methods: Object.fromEntries(
      Object.entries(route.methods).map(([method, handlers]) => {
        const check = onlyParameters(known[`${method} ${route.path}`] ?? [], keyFormat);
        return [method, [...handlers.slice(0, -1), check, ...handlers.slice(-1)]];
      }),
    ),
  }));

const onlyParameters =
  (known: readonly string[], keyFormat: KeyFormat): RouteHandler =>
  (ctx, next) => {
    const unknown = parameters(ctx.querystring).filter(({ name }) => !known.includes(name));
    if (unknown.length === 0) return next();
    const takes = known.length === 0 ? 'this call has no parameters' : `known here: ${known.join(', ')}`;
    const faults = unknown.slice(0, 20).map(
      ({ name }): Fault => ({
        parameter: isRepeatable(name, keyFormat) ? name : '',
        code: 'unknown_parameter',
        message: `is not a parameter of this call; ${takes}`,
      }),
    );
    return answerRefusal(ctx, { refused: 'invalid_parameter', faults });
  };
