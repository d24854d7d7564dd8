import { setImmediate, setTimeout } from 'node:timers/promises';
import { PublicationRefused, Unavailable } from '../../../application/unavailable.js';

/** A writer waits for the answer: after so long it is better served by 503 and a repeat. */
const WAIT_MS = 1_000;
/** Of the items of a group. A publication with more is written alone, so that the others need not wait for its statements. */
const GROUP_BYTES_MAX = 256 * 1_024;

type Outcome<Answer> = {
  readonly done: (answer: Answer) => void;
  readonly fail: (fault: unknown) => void;
};

/** Publications that wait next to each other. They are written in one transaction. */
type Group<Publication, Answer> = {
  readonly members: Map<Publication, Outcome<Answer>>;
  readonly begun: Promise<void>;
  /** The ids of their items. */
  readonly ids: Set<string>;
  bytes: number;
  hasBegun: boolean;
};

type Sized = { readonly bytes: number; readonly ids: readonly string[] };

/**
 * The writes of one instance, one after the other, so that they hold no connection while they wait. Publications that wait
 * next to each other are one write: otherwise each would wait for the commits of all earlier ones.
 */
export class WriteQueue<Publication extends Sized, Answer> {
  readonly #publishAll: (group: readonly Publication[]) => Promise<readonly Answer[]>;
  readonly #waitMs: number;
  /** Resolves when no write before the next one runs or waits. */
  #lastWrite: Promise<void> = Promise.resolve();
  /** The group at the end of the queue; null if another write is at the end. */
  #lastGroup: Group<Publication, Answer> | null = null;

  /** `publishAll` writes all of a group or nothing. `waitMs`: how long a write may wait for earlier ones. */
  constructor(
    publishAll: (group: readonly Publication[]) => Promise<readonly Answer[]>,
    waitMs: number = WAIT_MS,
  ) {
    this.#publishAll = publishAll;
    this.#waitMs = waitMs;
  }

  /** Throws `PublicationRefused` if the writes before this one take too long. It is not written then. */
  async publish(publication: Publication): Promise<Answer> {
    const group = this.#groupFor(publication);
    group.bytes += publication.bytes;
    for (const id of publication.ids) group.ids.add(id);
    const answer = new Promise<Answer>((done, fail) => group.members.set(publication, { done, fail }));
    // It may fail before it is awaited below.
    answer.catch(() => {});
    if (!(await endsWithin(group.begun, this.#waitMs)) && !group.hasBegun) {
      group.members.delete(publication);
      group.bytes -= publication.bytes;
      throw new PublicationRefused(QUEUE_FULL);
    }
    return answer;
  }

  /** Any other write. Throws `PublicationRefused` too. */
  async write<T>(work: () => Promise<T>): Promise<T> {
    this.#lastGroup = null;
    const earlier = this.#lastWrite;
    let end = () => {};
    this.#lastWrite = new Promise<void>((done) => {
      end = done;
    });
    if (!(await endsWithin(earlier, this.#waitMs))) {
      // Later writes wait for the earlier ones all the same.
      void earlier.then(end);
      throw new PublicationRefused(QUEUE_FULL);
    }
    return work().finally(end);
  }

  /** Two publications of one id are two versions, of which each is in the history (D59). So they are not in one group. */
  #groupFor({ bytes, ids }: Publication): Group<Publication, Answer> {
    const last = this.#lastGroup;
    const hasRoom = last !== null && !last.hasBegun && last.bytes + bytes <= GROUP_BYTES_MAX;
    if (hasRoom && !ids.some((id) => last.ids.has(id))) return last;
    const begun = this.#lastWrite;
    const group = { members: new Map(), begun, ids: new Set<string>(), bytes: 0, hasBegun: false };
    this.#lastGroup = group;
    this.#lastWrite = begun.then(() => this.#begin(group));
    return group;
  }

  /** Never rejects: each member gets its own answer or error. */
  async #begin(group: Group<Publication, Answer>): Promise<void> {
    group.hasBegun = true;
    const members = [...group.members];
    if (members.length === 0) return;
    const fault = await this.#attempt(members);
    if (fault === null) return;
    // If the store cannot write now, it cannot write one of them either. Any other error is that of one of them.
    const isOfAll = members.length === 1 || fault instanceof Unavailable;
    for (const member of members) {
      const own = isOfAll ? fault : await this.#attempt([member]);
      if (own !== null) member[1].fail(own);
    }
  }

  /** Writes the publications and answers them; or returns the error. */
  async #attempt(members: readonly (readonly [Publication, Outcome<Answer>])[]): Promise<unknown> {
    try {
      const answers = await this.#publishAll(members.map(([publication]) => publication));
      for (const [i, answer] of answers.entries()) members[i]?.[1].done(answer);
      return null;
    } catch (fault) {
      return fault;
    }
  }
}

const QUEUE_FULL = 'Earlier publications of this instance take too long. Send the request again.';

/** After a pause of this process, the event loop reads first what arrived meanwhile (T17). */
async function endsWithin(earlier: Promise<void>, ms: number): Promise<boolean> {
  const stopped = new AbortController();
  let isEnded = false;
  const ended = earlier.then(() => {
    isEnded = true;
    stopped.abort();
  });
  const timeLimit = setTimeout(ms, undefined, { signal: stopped.signal }).catch(() => {});
  await Promise.race([ended, timeLimit]);
  if (!isEnded) {
    await setImmediate();
    await setImmediate();
  }
  return isEnded;
}
