import type { ComponentChildren } from 'preact';
import type { AdmitReader, ReaderRefusal } from '../../../application/limits/admit-reader.js';
import type { Limit } from '../../../domain/limits/rate-limit.js';
import { answerPage } from '../page/answer.js';
import type { Context } from '../state.js';
import type { HolderVisit, Page } from '../visit.js';
import { RefusedPage } from './refused-page.js';

/** The status of the page for each refusal. Its reader is signed in, so 401 would be misleading. */
// biome-ignore format: a table is read by its columns
const STATUSES: Readonly<Record<ReaderRefusal['refused'], number>> = {
  key_suspended:           402,
  key_revoked:             402,
  payment_required:        402,
  subscription_incomplete: 402,
  subscription_paused:     402,
  rate_limited:            429,
};

export type CountedPageParts = {
  readonly admitReader: AdmitReader;
  readonly demo: (back: string, visit: HolderVisit) => ComponentChildren;
};

/** A page whose view counts as one request, within the state and the limits of the subscription (D109). */
export const countedPage =
  (
    { admitReader, demo }: CountedPageParts,
    activePath: string,
    show: (ctx: Context, visit: HolderVisit, limits: readonly Limit[]) => Promise<void>,
  ): Page<HolderVisit> =>
  async (ctx, visit) => {
    const refusal = await admitReader(visit.account, (limits) => show(ctx, visit, limits));
    if (refusal === null) return;
    if (refusal.refused === 'rate_limited') ctx.set('Retry-After', String(refusal.retryAfterSeconds));
    const { viewer } = visit;
    const props = { viewer, refusal, activePath, path: ctx.url, demo: demo(activePath, visit) };
    answerPage(ctx, <RefusedPage {...props} />, STATUSES[refusal.refused]);
  };
