import type { ComponentChildren } from 'preact';
import type { ReaderRefusal } from '../../../application/limits/admit-reader.js';
import type { Viewer } from '../page/layout.js';
import { MessagePage } from '../page/message-page.js';
import { waitText } from '../page/moment.js';

/** Instead of the feed. A state that is refused is explained by the banner of every page. */
export const FeedRefusedPage = ({
  viewer,
  refusal,
  path,
  demo,
}: {
  readonly viewer: Viewer;
  readonly refusal: ReaderRefusal;
  /** Of the page that was asked for. */
  readonly path: string;
  readonly demo: ComponentChildren;
}) =>
  refusal.refused === 'rate_limited' ? (
    <MessagePage
      title="The feed is not shown: too many requests"
      viewer={viewer}
      activePath="/dashboard/feed"
      next={{ path, label: 'Try again' }}
      demo={demo}
    >
      <p>
        Your limit of requests per {refusal.violated.join(' and per ')} is used up. Pages of the feed and
        requests with your keys count together. The feed can be read again in{' '}
        {waitText(refusal.retryAfterSeconds)}.
      </p>
    </MessagePage>
  ) : (
    <MessagePage
      title="The feed is not shown"
      viewer={viewer}
      activePath="/dashboard/feed"
      next={{ path: '/dashboard/subscription', label: 'See your subscription' }}
      demo={demo}
    >
      <p>Requests are refused for now, and so is this page. The notice above says how to restore access.</p>
    </MessagePage>
  );
