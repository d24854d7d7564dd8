import { isIP } from 'node:net';
import { answerProblem } from '../answer/problem.js';
import type { Middleware } from '../state.js';

const DETAIL =
  'The internal listener answers under an IP address, localhost, or a name in the setting INTERNAL_HOSTS. Use one of them in the URL, or add this name to INTERNAL_HOSTS.';

/**
 * Refuses a Host that is neither an IP address nor one of our names. A web page whose own name is made to resolve to
 * this listener (DNS rebinding) sends its name as Host; without this check it could read every answer. A browser always
 * sends a Host, so HTTP/1.0 without one passes.
 */
export function internalHost(names: readonly string[]): Middleware {
  const known = new Set(['localhost', ...names.map((name) => name.toLowerCase())]);
  return (ctx, next) => {
    const { host } = ctx.req.headers;
    if (host === undefined || isKnown(host, known)) return next();
    ctx.set('Connection', 'close'); // A body that nobody will read may be on its way.
    answerProblem(ctx, 'bad_request', { detail: DETAIL });
  };
}

function isKnown(host: string, known: ReadonlySet<string>): boolean {
  const [, ipv6, name = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host) ?? [];
  if (ipv6 !== undefined) return isIP(ipv6) === 6;
  return isIP(name) === 4 || known.has(name.toLowerCase().replace(/\.$/, ''));
}
