import type { NoAnswer } from '../../domain/destinations/delivery.js';
import { ownValue } from '../../domain/own-value.js';
import { NotConnected } from './checked-addresses.js';

// biome-ignore format: a table is read by its columns
const REASONS: Readonly<Record<string, NoAnswer>> = {
  ECONNREFUSED:  'refused',
  ECONNRESET:    'cut',
  ECONNABORTED:  'cut',
  EPIPE:         'cut',
  ETIMEDOUT:     'timed_out',
  EHOSTUNREACH:  'unreachable',
  ENETUNREACH:   'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  EACCES:        'unreachable',
  EPERM:         'unreachable',
  EMFILE:        'own_fault',
  ENFILE:        'own_fault',
  ENOBUFS:       'own_fault',
  ENOMEM:        'own_fault',
};

/** Why a request failed with an error of Node. `isSecured`: whether the TLS handshake was complete, if there is one. */
export function whyNoAnswer(fault: Error & { readonly code?: string }, isSecured: boolean): NoAnswer {
  if (fault instanceof NotConnected) return fault.why;
  const { code = '' } = fault;
  // OpenSSL has some hundred codes for handshakes that failed.
  return ownValue(REASONS, code) ?? (isSecured ? (code.startsWith('HPE_') ? 'not_http' : 'cut') : 'tls');
}
