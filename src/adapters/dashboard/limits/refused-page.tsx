import type { ComponentChildren } from 'preact';
import type { ReaderRefusal } from '../../../application/limits/admit-reader.js';
import { windowText } from '../feed/code-text.js';
import { MessagePage } from '../page/message-page.js';
import { waitText } from '../page/moment.js';
import type { Viewer } from '../state.js';

/** Replaces a page that counts as a request when it is refused. The banner of every page explains a refused state. */
export const RefusedPage = ({
  viewer,
  refusal,
  activePath,
  path,
  demo,
}: {
  readonly viewer: Viewer;
  readonly refusal: ReaderRefusal;
  /** The navigation item of the requested page. */
  readonly activePath: string;
  /** The path of the requested page. */
  readonly path: string;
  readonly demo: ComponentChildren;
}) =>
  refusal.refused === 'rate_limited' ? (
    <MessagePage
      title="Rate limit exceeded"
      viewer={viewer}
      activePath={activePath}
      next={{ path, label: 'Try again' }}
      demo={demo}
    >
      <p>
        You have used all your requests for {refusal.violated.map(windowText).join(' and ')}. Pages of the
        feed and of markets share this limit with requests with your keys. Try again in{' '}
        {waitText(refusal.retryAfterSeconds)}.
      </p>
    </MessagePage>
  ) : (
    <MessagePage
      title="Page not available"
      viewer={viewer}
      activePath={activePath}
      next={{ path: '/dashboard/subscription', label: 'View plan' }}
      demo={demo}
    >
      <p>
        This page counts as a request, and your requests are refused now. The notice above explains how to
        restore access.
      </p>
    </MessagePage>
  );
