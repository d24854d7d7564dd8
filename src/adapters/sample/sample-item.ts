import type { FeedItem } from '../../domain/feed/feed-item.js';
import { type Moment, parseMoment } from '../../domain/moment.js';
import { frontPageInput, frontPageItem } from './front-page-story.js';

const text = '2026-01-31T12:00:00.000000Z';
/** The time at which the item of all examples was scored. */
export const SAMPLE_SCORED_AT: Moment = required(parseMoment(text));

/** The item of all examples, in the form that a publisher sends. */
export const sampleInput = () => frontPageInput(SAMPLE_SCORED_AT);

/** The item of all examples, as on a page. */
export const sampleItem = (): FeedItem => frontPageItem(SAMPLE_SCORED_AT);

function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('the time of the sample item is not valid');
  return value;
}
