import type { PublishNews } from '../../../application/feed/publish-news.js';
import { isRefusal } from '../../../domain/refusal.js';

/** Counts published items by result, for metrics. */
export type PublicationCounts = {
  publications(result: 'accepted' | 'unchanged' | 'rejected' | 'retracted', items: number): void;
};

/** Counts the items of each publication by result. */
export const countedPublications =
  (publish: PublishNews, counts: PublicationCounts): PublishNews =>
  async (inputs, mode) => {
    const answers = await publish(inputs, mode);
    const rejected = answers.filter(isRefusal).length;
    counts.publications('rejected', rejected);
    const unchanged = answers.filter((answer) => 'unchanged' in answer).length;
    counts.publications('unchanged', unchanged);
    counts.publications('accepted', answers.length - rejected - unchanged);
    return answers;
  };
