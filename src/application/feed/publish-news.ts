import type { PublishMode } from '../../domain/feed/assign-scored-at.js';
import { type PublicationInput, readPublication } from '../../domain/feed/feed-item.js';
import { isRefusal, type Refusal } from '../../domain/refusal.js';
import type { Clock, ClockCheck } from '../ports/clock.js';
import type { FeedWriter, ListedItem } from '../ports/feed/feed-store.js';
import { PublicationRefused } from '../unavailable.js';

const WRONG_CLOCK = [
  'This instance accepts no live publications now, because its clock differs from the clock of the database.',
  'Send it to another instance, or try again when the clock is right.',
].join(' ');

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
  ): Promise<readonly ({ readonly accepted: string } | Refusal<'invalid_body'>)[]> {
    if (mode === 'live' && !clockCheck.allowance().publishesLive) throw new PublicationRefused(WRONG_CLOCK);
    const now = clock();
    const items = inputs.map((input): ListedItem | Refusal<'invalid_body'> => {
      const publication = readPublication(input, now);
      if (isRefusal(publication)) return publication;
      const { id, scoredAt, subMarketIds, item } = publication;
      return { id, scoredAt, subMarketIds, json: Buffer.from(JSON.stringify(item)) };
    });
    const valid = items.filter((item): item is ListedItem => !isRefusal(item));
    if (valid.length > 0) await feed.publish(valid, mode);
    return items.map((item) => (isRefusal(item) ? item : { accepted: item.id }));
  };

export type PublishNews = ReturnType<typeof publishNews>;
