import { WebSocket } from 'ws';

/** Calls `noteClosing` of its sink before it sends a close frame, after which nothing may be written (RFC 6455, 5.5.1). */
export class StreamWebSocket extends WebSocket {
  #sink: { noteClosing(): void } | null = null;

  noteClosingIn(sink: { noteClosing(): void }): void {
    this.#sink = sink;
    if (this.readyState !== this.OPEN) sink.noteClosing();
  }

  override close(code?: number, reason?: string | Buffer): void {
    this.#sink?.noteClosing();
    super.close(code, reason);
  }
}
