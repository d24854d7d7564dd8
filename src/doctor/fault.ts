import type { ConnectionFault } from '../adapters/findings/connection-fault.js';
import { Unavailable } from '../application/unavailable.js';

/** The code and the message of an error: of its cause, where adapters wrapped it, or of the first attempt to connect. */
export function faultOf(thrown: unknown): ConnectionFault {
  if (thrown instanceof Unavailable && thrown.cause !== undefined) return faultOf(thrown.cause);
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return faultOf(thrown.errors[0]);
  if (!(thrown instanceof Error)) return { code: 'unknown', message: String(thrown) };
  const { code } = thrown as { readonly code?: unknown };
  // An error of Redis has no code: its message begins with one.
  const written = /^[A-Z]{3,}\b/.exec(thrown.message)?.[0];
  return { code: typeof code === 'string' ? code : (written ?? thrown.name), message: thrown.message };
}
