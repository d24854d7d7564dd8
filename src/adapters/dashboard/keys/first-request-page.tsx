import type { ComponentChildren } from 'preact';
import type { ApiKey } from '../../../domain/keys/api-key.js';
import type { FirstRequest } from '../../../domain/keys/first-request.js';
import { Layout } from '../page/layout.js';
import type { Viewer } from '../state.js';

const firstRequestPath = ({ id }: ApiKey): string => `/dashboard/keys/${id}/first-request`;

const WAITING = 'Waiting for your first request…';

export function firstRequestText(first: FirstRequest): string {
  switch (first.state) {
    case 'waiting':
      return WAITING;
    case 'refused':
      return 'Your request was answered with an error (4xx): its `detail` says what to do. Waiting for the next one…';
    case 'answered':
      return `✓ ${first.statusClass === '2xx' ? '200' : '304'} at ${first.at.slice(11, 16)} UTC`;
  }
}

/**
 * Whether the first request with a key has arrived. A script asks for it (`browser/first-request.ts`); without it the link does, in
 * a tab of its own, because this page shows the key only once.
 */
export const FirstRequestWait = ({ apiKey }: { readonly apiKey: ApiKey }) => (
  <p class="first-request">
    <span id="first-request" role="status" data-asks={firstRequestPath(apiKey)}>
      {WAITING}
    </span>{' '}
    <a href={firstRequestPath(apiKey)} target="_blank" rel="noopener">
      Check<span class="hidden"> for the first request, in a new tab</span>
    </a>
  </p>
);

export const FirstRequestPage = ({
  viewer,
  apiKey,
  first,
  demo,
}: {
  readonly viewer: Viewer;
  readonly apiKey: ApiKey;
  readonly first: FirstRequest;
  readonly demo: ComponentChildren;
}) => (
  <Layout title="First request" viewer={viewer} activePath="/dashboard/keys" demo={demo}>
    <p>
      Key {apiKey.label} <code>{apiKey.prefix}…</code>
    </p>
    <p class="first-request" data-state={first.state}>
      {firstRequestText(first)}
    </p>
    <p class="actions">
      {first.state !== 'answered' && (
        <a class="button" href={firstRequestPath(apiKey)}>
          Check again
        </a>
      )}
      <a href="/dashboard/keys">Go to keys</a>
    </p>
  </Layout>
);
