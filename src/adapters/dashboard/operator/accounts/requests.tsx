import type { VNode } from 'preact';
import type { RecentRequests } from '../../../../application/limits/recent-requests.js';
import type { Account } from '../../../../domain/accounts/account.js';
import type { Moment } from '../../../../domain/moment.js';
import { RequestLog, requestFilter } from '../../limits/request-log.js';
import type { Context } from '../../state.js';
import { tabPath } from '../addresses.js';

/** The request log of an account, as its owner sees it. It does not refresh itself: the page may be open for hours. */
export async function accountRequests(
  recentRequests: Pick<RecentRequests, 'of'>,
  { id, keys }: Account,
  now: Moment,
  ctx: Context,
): Promise<VNode> {
  const query = new URLSearchParams(ctx.querystring);
  const only = keys.find((key) => key.id === query.get('key')) ?? null;
  const chosen = only === null ? keys : [only];
  const requests = await recentRequests.of(chosen.map((key) => key.id));
  const address = { path: tabPath(id, 'requests'), parameters: only === null ? {} : { key: only.id } };
  return <RequestLog {...{ requests, keys, address, now, filter: requestFilter(query), source: null }} />;
}
