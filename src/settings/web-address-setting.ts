import { isPlainLoopback } from '../domain/plain-loopback.js';
import type { EnvironmentReader } from './environment.js';

/** The URL of a web service that receives secrets: https, or http on this machine. Undefined if it is not set. */
export function readWebAddress(read: EnvironmentReader, name: string): string | undefined {
  const url = read.url(name, ['https', 'http']);
  if (url === undefined || url.startsWith('https:') || isPlainLoopback(url)) return url;
  read.refuse(
    `${name} must start with https://; http:// is allowed only for localhost and loopback addresses`,
  );
  return undefined;
}
