// Fast path. Gain, with heartbeats in the write of a change: 1.16 times the CPU time of a bare loop instead of 1.32, with 10 000
// WebSockets and an item a second (2026-11-24, `npm run bench:live`). Delete it, with `shared-messages.ts` and
// `StreamSink.sendShared`, if the goals of `bench:live` are reached without it: `LoggedChanges.collect` then serves every stream.
import { type Position, samePosition } from '../../domain/feed/position.js';
import { passesAll } from '../../domain/feed/stream-filter.js';
import type { Message } from '../live/messages/message.js';
import type { Stream } from '../live/stream.js';
import { SharedMessages } from './shared-messages.js';

/** What one stream was sent: all changes after a position, up to the newest one. */
type SharedStep = {
  readonly from: Position;
  readonly newest: Position | null;
  readonly messages: SharedMessages;
  readonly changes: number;
  /** When this process got the last change in it. */
  readonly at: number | null;
};

/** Most streams have no filter and are at the same position: what one of them was sent is sent to the others too. */
export class SharedChanges {
  #last: SharedStep | null = null;

  /** What the stream is to be sent. Null if it is not known. */
  of(stream: Stream, newest: Position | null): SharedStep | null {
    const { progress } = stream;
    const last = this.#last;
    if (last === null || !mayShare(stream) || progress === 'head' || progress.of !== 'log') return null;
    const isSame = samePosition(progress.position, last.from) && samePosition(newest, last.newest);
    return isSame ? last : null;
  }

  /** Notes what a stream at `from` was sent, if it depends on nothing but its position. */
  note(stream: Stream, step: Omit<SharedStep, 'messages'>, messages: readonly Message[]): void {
    if (step.changes > 0 && mayShare(stream) && messages.length === step.changes)
      this.#last = { ...step, messages: new SharedMessages([...messages]) };
  }
}

/** Whether what the stream is sent depends on nothing but its position. */
const mayShare = ({ filter, payment, sink }: Stream): boolean =>
  payment === 'nothing' && passesAll(filter) && sink.room === Number.POSITIVE_INFINITY;
