import { readPublication } from '../feed/feed-item.js';
import { type Moment, plus } from '../moment.js';
import { isRefusal } from '../refusal.js';
import type { StoryStep } from '../stories/story.js';
import { StoryPrices } from '../stories/story-prices.js';
import { storyPublication } from '../stories/story-publication.js';
import { stepInRound } from '../stories/story-rounds.js';
import { CHANGE_EVERY, CHANGES_KEPT, timeOfChange } from './sandbox-time.js';

/** An item of the sandbox as it is stored in a feed. */
export type SandboxItem = {
  readonly id: string;
  readonly scoredAt: Moment;
  readonly subMarketIds: readonly string[];
  /** The JSON of the feed item, UTF-8. */
  readonly json: Buffer;
};

type OfItem = {
  readonly n: number;
  readonly id: string;
  /** How often the id has changed, this time included. */
  readonly revision: number;
  /** The next change of the id; null if there is none. */
  readonly nextOfId: number | null;
};

/** A change of the sandbox. The `scoredAt` of a retraction is that of the item. */
export type SandboxChange = OfItem &
  (
    | { readonly kind: 'published' | 'replaced'; readonly scoredAt: Moment; readonly item: SandboxItem }
    | { readonly kind: 'retracted'; readonly scoredAt: Moment }
  );

type Publication = Extract<SandboxChange, { readonly item: SandboxItem }>;

/**
 * The changes of the sandbox (D77): the steps of the stories, one after the other, in rounds without an end. Each change is a
 * function of its number and the stories, so every process has the same log. Rounds that were computed are kept as long as the
 * feed can show them.
 */
export class SandboxLog {
  readonly #readSteps: () => readonly StoryStep[];
  #steps: readonly StoryStep[] | null = null;
  readonly #rounds = new Map<number, readonly SandboxChange[]>();

  /** `readSteps` returns the steps of one round. It is called at the first change that is asked for. */
  constructor(readSteps: () => readonly StoryStep[]) {
    this.#readSteps = readSteps;
  }

  change(n: number): SandboxChange {
    this.#steps ??= this.#readSteps();
    const index = (n - 1) % this.#steps.length;
    const change = this.#round(this.#steps, (n - 1 - index) / this.#steps.length)[index];
    if (change === undefined) throw new Error(`the sandbox has no change ${n}`);
    return change;
  }

  /** The changes with `first <= number <= last`, oldest first. */
  changes(first: number, last: number): readonly SandboxChange[] {
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => this.change(first + i));
  }

  /** The publications whose items are in the feed after change `n`, newest first: each is computed when it is read. Older items have left it. */
  *published(n: number): Generator<Publication> {
    for (let at = n; at > n - CHANGES_KEPT; at -= 1) {
      const change = this.change(at);
      if (change.kind !== 'retracted' && (change.nextOfId === null || change.nextOfId > n)) yield change;
    }
  }

  /** The head after change `n`: the time of the newest publication. */
  headAfter(n: number): Moment {
    let last = n;
    while (this.change(last).kind === 'retracted') last -= 1;
    return timeOfChange(last);
  }

  #round(steps: readonly StoryStep[], round: number): readonly SandboxChange[] {
    const known = this.#rounds.get(round);
    if (known !== undefined) return known;
    const computed = changesOfRound(steps, round);
    this.#rounds.set(round, computed);
    // A past page at the oldest change needs as many changes before it.
    const kept = Math.ceil((2 * CHANGES_KEPT) / steps.length) + 2;
    for (const other of this.#rounds.keys()) {
      if (this.#rounds.size <= kept) break;
      if (other !== round) this.#rounds.delete(other);
    }
    return computed;
  }
}

type Known = {
  readonly revision: number;
  readonly firstAt: Moment;
  readonly scoredAt: Moment;
  isLive: boolean;
};

/** The changes of a round. The first round is 0. */
function changesOfRound(steps: readonly StoryStep[], round: number): readonly SandboxChange[] {
  const first = round * steps.length + 1;
  const ids = steps.map((step) => stepInRound(step, round + 1).story.id);
  const known = new Map<string, Known>();
  const prices = new StoryPrices();
  let source = plus(timeOfChange(first), -CHANGE_EVERY);
  return steps.map((step, i): SandboxChange => {
    const { kind, story } = stepInRound(step, round + 1);
    const n = first + i;
    const before = known.get(story.id);
    const next = ids.indexOf(story.id, i + 1);
    const change = {
      n,
      id: story.id,
      revision: (before?.revision ?? 0) + 1,
      nextOfId: next === -1 ? null : first + next,
    };
    if (kind === 'retract') {
      prices.retract(story.id);
      if (before === undefined) throw new Error(`${story.id} is retracted before it is published`);
      known.set(story.id, { ...before, revision: change.revision, isLive: false });
      return { ...change, kind: 'retracted', scoredAt: before.scoredAt };
    }
    const at = timeOfChange(n);
    const isReplaced = before?.isLive === true;
    const firstAt = isReplaced ? before.firstAt : at;
    const publication = storyPublication(story, prices, at, source);
    source = publication.news_event.source_published_at;
    known.set(story.id, { revision: change.revision, firstAt, scoredAt: at, isLive: true });
    return {
      ...change,
      kind: isReplaced ? 'replaced' : 'published',
      scoredAt: at,
      item: itemOf(publication, at, firstAt),
    };
  });
}

/** The item as the service would have stored it. A replaced item keeps the time at which it was published first (D41). */
function itemOf(input: ReturnType<typeof storyPublication>, at: Moment, firstAt: Moment): SandboxItem {
  const news_event = { ...input.news_event, endpoint_published_at: firstAt };
  const publication = readPublication({ ...input, news_event }, at, 'backfill');
  if (isRefusal(publication)) throw new Error(`a story is not valid: ${JSON.stringify(publication.faults)}`);
  const { id, scoredAt, subMarketIds, item } = publication;
  return { id, scoredAt, subMarketIds, json: Buffer.from(JSON.stringify(item)) };
}
