import type { PublishMode } from '../../domain/feed/assign-scored-at.js';
import { type PublicationInput, readPublication } from '../../domain/feed/feed-item.js';
import {
  judgePublications,
  NOT_BACKFILL,
  type OfferedItem,
  type PublicationOutcome,
} from '../../domain/feed/publication-outcome.js';
import { isRefusal, type Refusal } from '../../domain/refusal.js';
import type { Clock, ClockCheck } from '../ports/clock.js';
import type { FeedItems, FeedWriter, ItemToPublish } from '../ports/feed/feed-store.js';
import { PublicationRefused } from '../unavailable.js';

const WRONG_CLOCK = [
  'This instance accepts no live publications now, because its clock differs from the clock of the database.',
  'Send it to another instance, or try again when the clock is right.',
].join(' ');

/** The id of an item that is in the feed now, and whether this call changed it (D11). */
export type PublicationAnswer =
  | { readonly accepted: string }
  | { readonly unchanged: string }
  | Refusal<'invalid_body'>;

type Clocks = { readonly clock: Clock; readonly clockCheck: Pick<ClockCheck, 'allowance'> };

/** Publishes the valid items of a batch together, in order. Each invalid item gets its own refusal (D30). */
export const publishNews = ({
  feed,
  clock,
  clockCheck,
}: Clocks & { readonly feed: Pick<FeedWriter, 'publish'> }) =>
  async function publishNews(
    inputs: readonly PublicationInput[],
    mode: PublishMode,
  ): Promise<readonly PublicationAnswer[]> {
    return answersTo(inputs, mode, { clock, clockCheck }, (items) => feed.publish(items, mode));
  };

/**
 * A dry run of publications (D140): the answers are those of `publishNews`, and nothing is stored. One run is one request, and its
 * later items are judged as if its earlier ones had been stored.
 */
export const newDryRun = ({ feedItems, clock, clockCheck }: Clocks & { readonly feedItems: FeedItems }) =>
  function newDryRun(): PublishNews {
    const accepted = new Map<string, OfferedItem>();
    return (inputs, mode) =>
      answersTo(inputs, mode, { clock, clockCheck }, async (items) => {
        const found = await feedItems.find(items.map(({ id }) => id));
        const stored = found.items.map((item) => [item.id, item] as const);
        const own = items.flatMap(({ id }) => {
          const item = accepted.get(id);
          return item === undefined ? [] : [[id, item] as const];
        });
        const judged = judgePublications(
          items.map((item) => ({ ...item, mode })),
          new Map<string, Pick<OfferedItem, 'scoredAt' | 'json'>>([...stored, ...own]),
        );
        for (const { outcome, item } of judged) if (outcome === 'accepted') accepted.set(item.id, item);
        return judged;
      });
  };

type Judge = (
  items: readonly ItemToPublish[],
) => Promise<readonly { readonly outcome: PublicationOutcome }[]>;

/** `judge` gets the valid items, and returns what becomes of each in their order. */
async function answersTo(
  inputs: readonly PublicationInput[],
  mode: PublishMode,
  { clock, clockCheck }: Clocks,
  judge: Judge,
): Promise<readonly PublicationAnswer[]> {
  if (mode === 'live' && !clockCheck.allowance().publishesLive) throw new PublicationRefused(WRONG_CLOCK);
  const now = clock();
  const items = inputs.map((input): ItemToPublish | Refusal<'invalid_body'> => {
    const publication = readPublication(input, now, mode);
    if (isRefusal(publication)) return publication;
    const { item, ...rest } = publication;
    return { ...rest, json: Buffer.from(JSON.stringify(item)) };
  });
  const valid = items.filter((item): item is ItemToPublish => !isRefusal(item));
  const judged = valid.length > 0 ? await judge(valid) : [];
  const answers = judged.values();
  return items.map((item) => (isRefusal(item) ? item : answerOf(item.id, answers.next().value?.outcome)));
}

function answerOf(id: string, outcome: PublicationOutcome | undefined): PublicationAnswer {
  switch (outcome) {
    case 'accepted':
      return { accepted: id };
    case 'unchanged':
      return { unchanged: id };
    case 'not_backfill':
      return { refused: 'invalid_body', faults: [NOT_BACKFILL] };
    case undefined:
      throw new Error('the store answered fewer publications than it got');
  }
}

export type PublishNews = ReturnType<typeof publishNews>;
export type NewDryRun = ReturnType<typeof newDryRun>;
