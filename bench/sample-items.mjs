import { sampleFeed } from '../dist/src/adapters/sample/sample-feed.js';
import { fromEpochMillis } from '../dist/src/domain/moment.js';

const ITEMS = 1_500;

/** Items of the sample generator as NDJSON. */
export const sampleItems = () =>
  sampleFeed(ITEMS, fromEpochMillis(Date.now()))
    .map((item) => `${JSON.stringify(item)}\n`)
    .join('');
