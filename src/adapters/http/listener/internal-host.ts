import { isIP } from 'node:net';
import { answerProblem } from '../answer/problem.js';
import type { Middleware } from '../state.js';

const DETAIL =
  'The Host must be an IP address, localhost, or a name in the setting INTERNAL_HOSTS. Use one of them in the URL, or add this name to INTERNAL_HOSTS.';

/**
 * Refuses a Host that is not an IP address, localhost or one of `names`. With DNS rebinding, the name of a web page
 * resolves to this listener, and the browser sends that name as Host; without this check the page could read every
 * response. Browsers always send a Host, so HTTP/1.0 without one passes.
 */
export function internalHost(names: readonly string[]): Middleware {
  const known = new Set(['localhost', ...names.map((name) => name.toLowerCase())]);
  return (ctx, next) => {
    const { host } = ctx.req.headers;
    if (host === undefined || isKnown(host, known)) return next();
    ctx.set('Connection', 'close'); // The rest of the body is not read.
    answerProblem(ctx, 'bad_request', { detail: DETAIL });
  };
}

function isKnown(host: string, known: ReadonlySet<string>): boolean {
  const [, ipv6, name = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host) ?? [];
  if (ipv6 !== undefined) return isIP(ipv6) === 6;
  return isIP(name) === 4 || known.has(name.toLowerCase().replace(/\.$/, ''));
}
