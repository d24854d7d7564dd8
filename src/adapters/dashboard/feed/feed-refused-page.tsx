import type { ComponentChildren } from 'preact';
import type { ReaderRefusal } from '../../../application/limits/admit-reader.js';
import { MessagePage } from '../page/message-page.js';
import { waitText } from '../page/moment.js';
import type { Viewer } from '../state.js';
import { windowText } from './code-text.js';

/** Replaces the feed when it is refused. The banner of every page explains a refused state. */
export const FeedRefusedPage = ({
  viewer,
  refusal,
  path,
  demo,
}: {
  readonly viewer: Viewer;
  readonly refusal: ReaderRefusal;
  /** The path of the requested page. */
  readonly path: string;
  readonly demo: ComponentChildren;
}) =>
  refusal.refused === 'rate_limited' ? (
    <MessagePage
      title="Rate limit exceeded"
      viewer={viewer}
      activePath="/dashboard/feed"
      next={{ path, label: 'Try again' }}
      demo={demo}
    >
      <p>
        You have used all your requests for {refusal.violated.map(windowText).join(' and ')}. Feed pages and
        requests with your keys share this limit. Try again in {waitText(refusal.retryAfterSeconds)}.
      </p>
    </MessagePage>
  ) : (
    <MessagePage
      title="Feed not available"
      viewer={viewer}
      activePath="/dashboard/feed"
      next={{ path: '/dashboard/subscription', label: 'View subscription' }}
      demo={demo}
    >
      <p>
        This page counts as a request, and your requests are refused now. The notice above explains how to
        restore access.
      </p>
    </MessagePage>
  );
