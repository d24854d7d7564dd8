// Fast path: part of `shared-changes.ts`, which states the gain.
import type { Message, WireForm } from '../live/messages/message.js';

/** Messages that many streams are sent together. Their frames are joined once for each form, so that a write has one buffer. */
export class SharedMessages {
  readonly messages: readonly Message[];
  readonly #frames = new Map<WireForm, Buffer>();

  constructor(messages: readonly Message[]) {
    this.messages = messages;
  }

  /** The frames of all messages, one after the other. */
  frame(form: WireForm): Buffer {
    const known = this.#frames.get(form);
    if (known !== undefined) return known;
    const frame = Buffer.concat(this.messages.map((message) => message.frame(form)));
    this.#frames.set(form, frame);
    return frame;
  }
}
