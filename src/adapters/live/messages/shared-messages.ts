import type { Message, WireForm } from './message.js';

/** Messages that many streams are sent together. Their frames are joined once for each form, so that a write has one buffer. */
export class SharedMessages {
  readonly messages: readonly Message[];
  /** The content of the ping after the last message; null if that is no heartbeat. */
  readonly ping: Buffer | null;
  readonly #frames = new Map<WireForm, Buffer>();

  constructor(messages: readonly Message[]) {
    this.messages = messages;
    this.ping = messages.at(-1)?.ping ?? null;
  }

  /** The frames of all messages, one after the other. */
  frame(form: WireForm): Buffer {
    const known = this.#frames.get(form);
    if (known !== undefined) return known;
    const frame = joined(this.messages.map((message) => message.frame(form)));
    this.#frames.set(form, frame);
    return frame;
  }
}

const joined = (frames: readonly Buffer[]): Buffer => {
  const [only, ...others] = frames;
  return only !== undefined && others.length === 0 ? only : Buffer.concat(frames);
};
