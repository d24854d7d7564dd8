import type { IncomingMessage } from 'node:http';
import { takeoverOf } from '../../fast-paths/takeover.js';
import { readHeaders } from '../read-headers.js';
import type { SentCredential, SentKeys } from './sent-keys.js';

/** The key of a request that no route has read yet. */
export function requestKey(sentKeys: SentKeys, request: IncomingMessage): SentCredential {
  const { url = '', rawHeaders, socket } = request;
  const query = url.indexOf('?');
  const isUpgrade = takeoverOf(request)?.isUpgradeAsked === true;
  return sentKeys.of(socket, readHeaders(rawHeaders), query === -1 ? '' : url.slice(query + 1), isUpgrade);
}
