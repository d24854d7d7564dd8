import { type Position, samePosition } from '../../../src/domain/feed/position.js';
import { type Progress, readStreamPosition } from '../../../src/domain/feed/stream-position.js';
import { isInItems, logPositionOf, neededChanges } from '../../../src/domain/feed/stream-start.js';
import type { ReceivedMessage } from './frame-reader.js';

/** Where a position is: in a replay before everything in the log. */
type Point = { readonly isReplay: boolean; readonly at: string };

/** What a client may rely on within one connection (D49, D50). Throws if it does not hold. */
export class CheckedConnection {
  readonly #resumedFrom: string | null;
  readonly #isKnown: (position: Position) => boolean;
  readonly #changes = new Set<string>();
  #began: Position | null = null;
  #last: Point | null = null;
  #lastChange: Point | null = null;
  #isReady = false;
  #isLive = false;
  #isClosing = false;

  /** `isKnown` tells whether the log has or had a change with this position. */
  constructor(resumedFrom: string | null, isKnown: (position: Position) => boolean) {
    this.#resumedFrom = resumedFrom;
    this.#isKnown = isKnown;
  }

  get isLive(): boolean {
    return this.#isLive;
  }

  check(message: ReceivedMessage): void {
    if (this.#isClosing) throw new Error(`a message after closing: ${message.json}`);
    this.#checkType(message);
    const point = this.#checkPosition(message.position);
    if (message.type !== 'item' && message.type !== 'retraction') return;
    this.#checkChange(message, point);
  }

  /** The messages of a batch have no `ready` before them. */
  checkBatch(messages: readonly ReceivedMessage[], position: string): void {
    this.#isReady = true;
    for (const message of messages) this.check(message);
    this.#checkPosition(position);
  }

  #checkType({ type, position, json }: ReceivedMessage): void {
    if ((type === 'ready') === this.#isReady) throw new Error(`ready is not first, or not once: ${json}`);
    if (type === 'ready' && this.#resumedFrom !== null && position !== this.#resumedFrom)
      throw new Error(`resumed from ${this.#resumedFrom}, but ready at ${position}`);
    if (type === 'live' && this.#isLive) throw new Error('live twice');
    this.#isReady = true;
    this.#isLive ||= type === 'live';
    this.#isClosing = type === 'closing';
  }

  #checkPosition(position: string): Point {
    const progress = readStreamPosition(position);
    if (progress === null || !neededChanges(progress).every((one) => this.#isKnown(one)))
      throw new Error(`not a position of this feed: ${position}`);
    const point = pointOf(progress);
    if (this.#last !== null && isBefore(point, this.#last))
      throw new Error(`a position went back: ${position}`);
    this.#last = point;
    if (isInItems(progress)) {
      this.#began ??= progress.began;
      if (!samePosition(this.#began, progress.began)) throw new Error('a replay began twice');
    }
    return point;
  }

  #checkChange({ type, json }: ReceivedMessage, point: Point): void {
    // An item has the number of its revision, and a retraction that of its change.
    const change = type === 'item' ? json.slice(json.indexOf('"item":')) : `retracted ${point.at}`;
    if (this.#changes.has(change)) throw new Error(`twice on one connection: ${json}`);
    this.#changes.add(change);
    if (this.#lastChange !== null && !isBefore(this.#lastChange, point))
      throw new Error(`not after the change before it: ${json}`);
    this.#lastChange = point;
  }
}

const NUMBER_DIGITS = 16;

function pointOf(progress: Progress): Point {
  if (isInItems(progress)) return { isReplay: true, at: progress.reached };
  const at = String(logPositionOf(progress).n).padStart(NUMBER_DIGITS, '0');
  return { isReplay: false, at };
}

const isBefore = (one: Point, other: Point): boolean =>
  one.isReplay === other.isReplay ? one.at < other.at : one.isReplay;
