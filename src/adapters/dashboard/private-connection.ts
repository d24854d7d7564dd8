import type { Context } from './state.js';

const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i;
const LOOPBACK_ADDRESS = /^(?:::1|(?:::ffff:)?127\.\d+\.\d+\.\d+)$/i;

/**
 * Whether plain http goes nowhere but through this machine: by who is at the other end, and by the name that the browser
 * called us by, which a page elsewhere could have made to lead here.
 */
export const isOnThisMachine = (ctx: Pick<Context, 'req' | 'get'>): boolean =>
  LOOPBACK_ADDRESS.test(ctx.req.socket.remoteAddress ?? '') && LOOPBACK_HOST.test(ctx.get('Host'));
