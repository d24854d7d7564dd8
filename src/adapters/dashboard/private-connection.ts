import type { Context } from './state.js';

const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i;
const LOOPBACK_ADDRESS = /^(?:::1|(?:::ffff:)?127\.\d+\.\d+\.\d+)$/i;

/**
 * Whether plain http stays on this machine. Both the client address and the `Host` must be loopback: another site could
 * make its own host name resolve to this machine.
 */
export const isOnThisMachine = (ctx: Pick<Context, 'req' | 'get'>): boolean =>
  LOOPBACK_ADDRESS.test(ctx.req.socket.remoteAddress ?? '') && LOOPBACK_HOST.test(ctx.get('Host'));
