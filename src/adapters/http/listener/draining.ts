import type { Middleware } from '../state.js';

/** During shutdown every response closes its connection, so that the next request goes to another instance (T8). */
export const draining =
  (isDraining: () => boolean): Middleware =>
  async (ctx, next) => {
    await next();
    if (isDraining()) ctx.set('Connection', 'close');
  };
