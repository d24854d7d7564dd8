export type * from './api.js';
export { type ClientCode, type ErrorCode, OddswireError } from './errors.js';
export type { FeedMessage, Progress } from './messages.js';
export { Oddswire } from './oddswire.js';
export type { FollowOptions, Options, RequestOptions } from './options.js';
export type { FollowQuery, PageQuery } from './query.js';
export type { Page, Walk } from './walk.js';
