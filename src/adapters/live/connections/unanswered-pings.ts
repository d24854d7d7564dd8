import { setImmediate } from 'node:timers/promises';
import type { WebSocket } from 'ws';

/** A connection is closed if the pings of this number are unanswered (D55). */
const UNANSWERED_PINGS_MAX = 2;

/** The pings that a WebSocket client was sent and has not answered. */
export class UnansweredPings {
  readonly #webSocket: Pick<WebSocket, 'terminate'>;
  #contents: readonly Buffer[] = [];
  #areTooMany = false;

  constructor(webSocket: Pick<WebSocket, 'terminate'>) {
    this.#webSocket = webSocket;
  }

  /** Whether the connection was closed because of them. */
  get areTooMany(): boolean {
    return this.#areTooMany;
  }

  /** Closes the connection instead if two are unanswered already. */
  sent(content: Buffer): void {
    if (this.#contents.length < UNANSWERED_PINGS_MAX) this.#contents = [...this.#contents, content];
    else void this.#closeIfUnanswered();
  }

  /** Whether the content is that of a ping that was not answered: then the earlier ones need no answer (RFC 6455, 5.5.3). */
  answered(content: Buffer): boolean {
    const isAnswer = this.#contents.some((ping) => ping.equals(content));
    if (isAnswer) this.#contents = [];
    return isAnswer;
  }

  /** After a pause of this process, the answers may be unread yet (T17): the event loop reads the sockets first. */
  async #closeIfUnanswered(): Promise<void> {
    await setImmediate();
    await setImmediate();
    if (this.#areTooMany || this.#contents.length < UNANSWERED_PINGS_MAX) return;
    this.#areTooMany = true;
    this.#webSocket.terminate();
  }
}
