import { cachedWindows } from '../adapters/caching/limits/cached-windows.js';
import { countedPublications } from '../adapters/http/feed/counted-publications.js';
import { validator } from '../adapters/http/schema/validator.js';
import { MemoryCounters } from '../adapters/memory/limits/memory-counters.js';
import {
  noteDeletedRows,
  notedReconciliation,
  notePurge,
  noteReceipt,
  reportFailure,
} from '../adapters/system/outcome-notes.js';
import { deleteAccount } from '../application/accounts/delete-account.js';
import { Hold } from '../application/accounts/hold.js';
import { monitorAccount } from '../application/accounts/monitor-account.js';
import { NoticeNotes } from '../application/accounts/notice-notes.js';
import { openAccount } from '../application/accounts/open-account.js';
import { readConsoleHome } from '../application/accounts/read-console-home.js';
import { RunDueWork } from '../application/accounts/run-due-work.js';
import { searchConsole } from '../application/accounts/search-console.js';
import { type SendNoticesParts, sendAllNotices, sendNotices } from '../application/accounts/send-notices.js';
import { advanceClock } from '../application/advance-clock.js';
import { changePlan } from '../application/billing/change-plan.js';
import { LinkCheckout } from '../application/billing/link-checkout.js';
import { linkCustomer } from '../application/billing/link-customer.js';
import { makeCheckoutReference } from '../application/billing/make-checkout-reference.js';
import { openPortal } from '../application/billing/open-portal.js';
import { PaymentEvents } from '../application/billing/payment-events.js';
import { ReadPlanUse } from '../application/billing/read-plan-use.js';
import { reconcilePayments } from '../application/billing/reconcile-payments.js';
import { repeatPaymentNotice } from '../application/billing/repeat-payment-notice.js';
import { replayEvent } from '../application/billing/replay-event.js';
import { DeleteExpiredRows } from '../application/delete-expired-rows.js';
import { ChangeItem } from '../application/feed/change-item.js';
import { indexItems } from '../application/feed/index-items.js';
import { ProjectMarkets } from '../application/feed/project-markets.js';
import { PublicationNotes } from '../application/feed/publication-notes.js';
import { newDryRun, publishNews } from '../application/feed/publish-news.js';
import { purgeNews } from '../application/feed/purge-news.js';
import { readFeed } from '../application/feed/read-feed.js';
import { readFeedHead } from '../application/feed/read-feed-head.js';
import { ReadHistory } from '../application/feed/read-history.js';
import { readIngestion } from '../application/feed/read-ingestion.js';
import { readItemState } from '../application/feed/read-item-state.js';
import { readItemVersions } from '../application/feed/read-item-versions.js';
import { readMarkets } from '../application/feed/read-markets.js';
import { ReadPastFeed } from '../application/feed/read-past-feed.js';
import { SearchMarkets } from '../application/feed/search-markets.js';
import { DELIVERING, type HeldJob, HeldJobs } from '../application/held-jobs.js';
import { editKey } from '../application/keys/edit-key.js';
import { freshKey } from '../application/keys/fresh-key.js';
import { issueKey } from '../application/keys/issue-key.js';
import { replaceSandboxKey } from '../application/keys/replace-sandbox-key.js';
import { revokeKey } from '../application/keys/revoke-key.js';
import { rotateKey } from '../application/keys/rotate-key.js';
import { admitReader } from '../application/limits/admit-reader.js';
import { admitRequest } from '../application/limits/admit-request.js';
import { countAttempt } from '../application/limits/count-attempt.js';
import { countFreeCall } from '../application/limits/count-free-call.js';
import { DetectAbuse } from '../application/limits/detect-abuse.js';
import { GuardAddress } from '../application/limits/guard-address.js';
import { openWindows } from '../application/limits/open-windows.js';
import { QuotaMails } from '../application/limits/quota-mails.js';
import { readLimits } from '../application/limits/read-limits.js';
import { readUsageHistory } from '../application/limits/read-usage-history.js';
import { RecentRequests } from '../application/limits/recent-requests.js';
import { refund } from '../application/limits/refund.js';
import type { Clock } from '../application/ports/clock.js';
import { unlessUnavailable } from '../application/unavailable.js';
import { type Made, overlay } from './container/container.js';
import type { ExternalParts } from './external.js';

/** The rate-limit windows that are open now, and where use cases report failures and what became of emails. */
export const limitWindows = (parts: ExternalParts) => ({
  reportFailure: () => reportFailure(parts),
  noticeNotes: () => new NoticeNotes(parts),
  openWindows: () => cachedWindows(openWindows(parts)),
});

type WithWindows = ExternalParts & Made<typeof limitWindows>;

/** Use cases that need only ports and settings. */
export const portUseCases = (parts: WithWindows) => ({
  // Feed
  publishNews: () => publishNews(parts),
  newDryRun: () => newDryRun(parts),
  publicationNotes: () => new PublicationNotes(parts),
  readItemState: () => readItemState(parts),
  purgeNews: () => purgeNews(overlay(parts, { notePurge: notePurge(parts) })),
  indexItems: () => indexItems(parts),
  heldJobs: () => new HeldJobs(overlay(parts, { jobs: heldJobs(parts) })),
  projectMarkets: () => new ProjectMarkets(parts),
  readFeed: () => readFeed(parts),
  readPastFeed: () => new ReadPastFeed(parts),
  readHistory: () => new ReadHistory(parts),
  readMarkets: () => readMarkets(parts),
  readUsageHistory: () => readUsageHistory(parts),
  readFeedHead: () => readFeedHead(parts),
  // Limits
  guardAddress: () => new GuardAddress(parts),
  countAttempt: () => countAttempt(parts),
  countFreeCall: () => countFreeCall(parts),
  readLimits: () => readLimits(parts),
  refund: () => refund(overlay(parts, { refunds: new MemoryCounters(parts.clock) })),
  detectAbuse: () => new DetectAbuse(parts),
  recentRequests: () => new RecentRequests(parts),
  quotaMails: () => new QuotaMails(parts),
  // Keys
  makeKey: () => freshKey(parts),
  editKey: () => editKey(parts),
  replaceSandboxKey: () => replaceSandboxKey(parts),
  revokeKey: () => revokeKey(parts),
  // Accounts
  searchConsole: () => searchConsole(parts),
  deleteAccount: () => deleteAccount(parts),
  hold: () => new Hold(parts),
  monitorAccount: () => monitorAccount(parts),
  runDueWork: () => new RunDueWork(overlay(parts, { clock: boundedClock(parts) })),
  sendNotices: () => sendNotices(overlay(parts, { note: noteNotice(parts), clock: boundedClock(parts) })),
  deleteExpiredRows: () => new DeleteExpiredRows(overlay(parts, { note: noteDeletedRows(parts) })),
  // Billing
  repeatPaymentNotice: () => repeatPaymentNotice(parts),
  readPlanUse: () => new ReadPlanUse(parts),
  paymentEvents: () => new PaymentEvents(overlay(parts, { note: noteReceipt(parts) })),
  makeCheckoutReference: () => makeCheckoutReference(parts),
  openPortal: () => (parts.billingPortal === null ? null : openPortal({ portal: parts.billingPortal })),
});

/** Without a key for secrets, this process cannot deliver: another one may have it (D68). */
const heldJobs = ({ config }: WithWindows): readonly HeldJob[] =>
  config.databaseUrl !== undefined && config.destinations.secretsKeys.length === 0
    ? ['project markets']
    : [DELIVERING, 'project markets'];

/** What became of an email, for the metrics and for the console. */
const noteNotice =
  ({ metrics, noticeNotes }: Pick<WithWindows, 'metrics' | 'noticeNotes'>): SendNoticesParts['note'] =>
  (outcome) => {
    metrics.notice(outcome);
    noticeNotes.note(outcome);
  };

/** For background work, which judges rows of all instances. */
function boundedClock({ clock, clockCheck }: WithWindows): Clock {
  return () => clockCheck.bound(clock());
}

type WithPortUseCases = WithWindows & Made<typeof portUseCases>;

/** Use cases that call one of `portUseCases`. */
export const useCases = (parts: WithPortUseCases) => ({
  // Limits
  admitRequest: () => {
    const { detectAbuse } = parts;
    const noteUse: typeof detectAbuse.note = (...use) => detectAbuse.note(...use);
    return admitRequest(overlay(parts, { noteUse }));
  },
  // Feed
  searchMarkets: () => new SearchMarkets(parts),
  readIngestion: () => readIngestion(parts),
  readItemVersions: () => readItemVersions(parts),
  changeItem: () => {
    const { publishNews, metrics } = parts;
    return new ChangeItem(
      overlay(parts, {
        publishNews: countedPublications(publishNews, metrics),
        publicationFaults: validator('Publication'),
        noteRetraction: () => metrics.publications('retracted', 1),
      }),
    );
  },
  // Limits of holders
  admitReader: () => admitReader(parts),
  // Keys and accounts
  readConsoleHome: () => readConsoleHome(parts),
  issueKey: () => issueKey(parts),
  rotateKey: () => rotateKey(parts),
  openAccount: () => openAccount(parts),
  // Billing
  changePlan: () => changePlan(parts),
  linkCustomer: () => linkCustomer(parts),
  replayEvent: () => replayEvent(parts),
  reconcilePayments: () => notedReconciliation(reconcilePayments(parts), parts),
});

type WithUseCases = WithPortUseCases & Made<typeof useCases>;

/** Use cases that call one of `useCases`. */
export const lastUseCases = (parts: WithUseCases) => ({
  linkCheckout: () => new LinkCheckout(parts),
  advanceClock: () => {
    const { testClock, clock, runDueWork, detectAbuse, reconcilePayments, sendNotices } = parts;
    if (testClock === null) throw new Error('the clock can be advanced only with TEST_CLOCK=1');
    const jobs = [
      () => runDueWork.untilDone(),
      () => detectAbuse.scan(),
      // If the processor is unavailable, the background job retries soon.
      () => reconcilePayments(false).catch(unlessUnavailable),
      () => sendAllNotices(sendNotices),
      () => parts.deleteExpiredRows.untilDone(),
    ];
    return advanceClock({ testClock, clock, jobs });
  },
});

export type UseCaseParts = WithUseCases & Made<typeof lastUseCases>;
