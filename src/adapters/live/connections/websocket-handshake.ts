import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import * as webSockets from 'ws';
import { StreamWebSocket } from './stream-websocket.js';

/** The largest message of a client; a larger one is closed with 1009 (D55). */
const MESSAGE_BYTES_MAX = 16_384;
/** How long a client may take to answer a close frame. */
const CLOSE_MS = 1_000;

/**
 * `threshold`: `ws` itself compresses nothing, so that it never has half a frame queued (D56). Without context takeover, a
 * client can decompress each message alone, and this side keeps no context for those of the client.
 */
const DEFLATE = {
  threshold: 1e9,
  serverNoContextTakeover: true,
  clientNoContextTakeover: true,
} as const;

const server = new webSockets.WebSocketServer({
  noServer: true,
  clientTracking: false,
  WebSocket: StreamWebSocket,
  maxPayload: MESSAGE_BYTES_MAX,
  perMessageDeflate: DEFLATE,
  ...{ closeTimeout: CLOSE_MS },
});

/** The published types lack these public functions. */
const { extension, subprotocol, PerMessageDeflate } = webSockets as unknown as {
  readonly extension: { parse(header: string): Readonly<Record<string, readonly object[] | undefined>> };
  readonly subprotocol: { parse(header: string): unknown };
  readonly PerMessageDeflate: new (
    options: object,
  ) => { accept(offers: readonly object[]): { readonly server_max_window_bits?: number } };
};

/** Sixteen bytes in base64 (RFC 6455, 4.1). */
const KEY = /^[+/0-9A-Za-z]{22}==$/;

/** What is wrong with a request for a WebSocket; null if nothing is. Checked before it costs anything. */
export function handshakeFault({ headers }: Pick<IncomingMessage, 'headers'>): 'version' | 'key' | null {
  if (headers['sec-websocket-version'] !== '13') return 'version';
  return KEY.test(headers['sec-websocket-key'] ?? '') ? null : 'key';
}

/**
 * Accepts the upgrade. `headers` are complete lines of the response. Null if the client is gone. `handleUpgrade` writes the
 * response before it returns, so the listener adds the headers of this handshake and of no other.
 */
export function handshake(
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
  headers: readonly string[],
): StreamWebSocket | null {
  let accepted: StreamWebSocket | null = null;
  const addHeaders = (lines: string[]) => void lines.push(...headers);
  withoutUnusable(request.headers);
  server.on('headers', addHeaders);
  try {
    server.handleUpgrade(request, socket, head, (webSocket) => {
      accepted = webSocket;
    });
  } finally {
    server.off('headers', addHeaders);
  }
  return accepted;
}

/** Removes optional headers that `ws` would refuse, or that do not fit the prepared frames: the client gets plain ones. */
function withoutUnusable(headers: IncomingHttpHeaders): void {
  if (!isUsableExtension(headers['sec-websocket-extensions'])) delete headers['sec-websocket-extensions'];
  if (!isReadable(headers['sec-websocket-protocol'])) delete headers['sec-websocket-protocol'];
}

/** A client may ask for a smaller window than the one with which the frames were compressed. */
function isUsableExtension(header: string | undefined): boolean {
  if (header === undefined) return true;
  try {
    const offers = extension.parse(header)['permessage-deflate'];
    if (offers === undefined) return true;
    const accepted = new PerMessageDeflate({ ...DEFLATE, isServer: true }).accept(offers);
    return accepted.server_max_window_bits === undefined;
  } catch {
    return false;
  }
}

function isReadable(protocols: string | undefined): boolean {
  try {
    if (protocols !== undefined) subprotocol.parse(protocols);
    return true;
  } catch {
    return false;
  }
}
