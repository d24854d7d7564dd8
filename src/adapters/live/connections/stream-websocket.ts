import { type RawData, WebSocket } from 'ws';

/** What a client sends on a WebSocket, and its end. */
export interface WebSocketClient {
  message(data: RawData, isBinary: boolean): void;
  ping(): void;
  pong(content: Buffer): void;
  /** A frame that breaks the protocol: `ws` closes with the code for it. */
  fault(fault: Error): void;
  closed(code: number): void;
}

/**
 * Tells its sink before it sends a close frame, after which nothing may be written (RFC 6455, 5.5.1).
 *
 * It calls the methods of one client instead of listeners: with thousands of connections, these are six objects less for each.
 */
export class StreamWebSocket extends WebSocket {
  #sink: { noteClosing(): void } | null = null;
  #client: WebSocketClient | null = null;

  noteClosingIn(sink: { noteClosing(): void }): void {
    this.#sink = sink;
    if (this.readyState !== this.OPEN) sink.noteClosing();
  }

  /** Listeners get no event of the client any more, except its end. */
  setClient(client: WebSocketClient): void {
    this.#client = client;
  }

  override close(code?: number, reason?: string | Buffer): void {
    this.#sink?.noteClosing();
    super.close(code, reason);
  }

  override emit(event: string | symbol, ...args: unknown[]): boolean {
    return this.#isHandled(event, args) || super.emit(event, ...args);
  }

  /** Whether the client handles the event alone. */
  #isHandled(event: string | symbol, args: readonly unknown[]): boolean {
    const client = this.#client;
    if (client === null) return false;
    if (event === 'pong') client.pong(args[0] as Buffer);
    else if (event === 'ping') client.ping();
    else if (event === 'message') client.message(args[0] as RawData, args[1] as boolean);
    else if (event === 'error') client.fault(args[0] as Error);
    else {
      if (event === 'close') client.closed(args[0] as number);
      return false;
    }
    return true;
  }
}
