import { type FeedItem, readPublication } from '../../domain/feed/feed-item.js';
import { type Moment, parseMoment } from '../../domain/moment.js';
import { isRefusal } from '../../domain/refusal.js';
import { samplePublication } from './sample-feed.js';

const text = '2026-01-31T12:00:00.000000Z';
/** A short story with one market, in English, that supports an outcome. */
const STORY = 1_026;

/** The time at which the item of all examples was scored. */
export const SAMPLE_SCORED_AT: Moment = required(parseMoment(text));

/** The item of all examples, in the form that a publisher sends. */
export const sampleInput = () => samplePublication(STORY, SAMPLE_SCORED_AT);

/** The item of all examples, as on a page. */
export function sampleItem(): FeedItem {
  const read = readPublication(sampleInput(), SAMPLE_SCORED_AT);
  if (isRefusal(read)) throw new Error(`the sample item is refused: ${read.refused}`);
  return read.item;
}

function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('the time of the sample item is not valid');
  return value;
}
