import type { PublishMode } from '../../domain/feed/assign-scored-at.js';
import { type PublicationInput, readPublication } from '../../domain/feed/feed-item.js';
import { NOT_BACKFILL, type PublicationOutcome } from '../../domain/feed/publication-outcome.js';
import { isRefusal, type Refusal } from '../../domain/refusal.js';
import type { Clock, ClockCheck } from '../ports/clock.js';
import type { FeedWriter, ItemToPublish } from '../ports/feed/feed-store.js';
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

/** Publishes the valid items of a batch together, in order. Each invalid item gets its own refusal (D30). */
export const publishNews = ({
  feed,
  clock,
  clockCheck,
}: {
  readonly feed: FeedWriter;
  readonly clock: Clock;
  readonly clockCheck: Pick<ClockCheck, 'allowance'>;
}) =>
  async function publishNews(
    inputs: readonly PublicationInput[],
    mode: PublishMode,
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
    const published = valid.length > 0 ? await feed.publish(valid, mode) : [];
    const answers = published.values();
    return items.map((item) => (isRefusal(item) ? item : answerOf(item.id, answers.next().value?.outcome)));
  };

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
