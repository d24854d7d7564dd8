import { fromEpochMillis } from '../dist/src/domain/moment.js';
import { sampleFeed } from '../dist/test/support/sample/sample-feed.js';

const ITEMS = 1_500;

/** Items of the sample generator as NDJSON. */
export const sampleItems = () =>
  sampleFeed(ITEMS, fromEpochMillis(Date.now()))
    .map((item) => `${JSON.stringify(item)}\n`)
    .join('');
