import type { Refusal } from '../../../domain/refusal.js';
import type { SharedMessages } from '../../fast-paths/shared-messages.js';
import type { Message } from '../messages/message.js';

/** Why the service ends a stream: a refusal, its own stop, or a state that will pass. */
export type EndCause = Refusal | 'restart' | 'overloaded' | 'unavailable';

/** Why a stream ended: a code of a problem, or what happened to the connection. */
export type CloseReason = string;

/**
 * The connection of a stream, or the batch that it fills. Nothing is queued for it: after a `send` that returns false, the
 * stream waits until the connection has accepted everything (D53).
 */
export interface StreamSink {
  /** The name of the form in metrics and in the log. */
  readonly form: 'sse' | 'websocket' | 'batch';
  /** False while earlier messages are not accepted. */
  readonly isWritable: boolean;
  /** The most messages of the next `send`: what a batch can still take. */
  readonly room: number;
  /** The bytes written so far. */
  readonly bytes: number;
  /** Returns whether everything is accepted. The messages are written together. */
  send(messages: readonly Message[]): boolean;
  /** The same for changes that many streams are sent. */
  sendShared(shared: SharedMessages): void;
  /** Calls `done` once, when everything is accepted. */
  whenWritable(done: () => void): void;
  /** Called when there is nothing more to send at the moment. */
  caughtUp(): void;
  /** Called when a batch has looked at as much as its permit covers (D58). */
  permitUsed(): void;
  /** Writes the last message and closes the connection. `status` is that of the problem in it. */
  end(closing: Message, status: number, cause: EndCause): void;
  /** Closes the connection without a message. */
  destroy(): void;
}
