import type { Middleware } from '../state.js';

/** On the way out every answer ends its connection, so that the next request goes elsewhere (T8). */
export const draining =
  (isDraining: () => boolean): Middleware =>
  async (ctx, next) => {
    await next();
    if (isDraining()) ctx.set('Connection', 'close');
  };
