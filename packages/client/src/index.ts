export type * from './api.js';
export { type ClientCode, type ErrorCode, OddswireError } from './errors.js';
export type { History } from './history.js';
export type { MarketWalk } from './market-walk.js';
export type { FeedMessage, Progress } from './messages.js';
export { Oddswire } from './oddswire.js';
export type { FollowOptions, HistoryOptions, Options, RequestOptions } from './options.js';
export type { FollowQuery, HistoryQuery, MarketsQuery, PageQuery } from './query.js';
export type { Page, Walk } from './walk.js';
