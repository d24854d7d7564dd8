import type { ComponentChildren } from 'preact';
import type { ApiKey } from '../../../domain/keys/api-key.js';
import type { KeyValue } from '../../../domain/keys/key-value.js';
import { Layout } from '../page/layout.js';
import type { Viewer } from '../state.js';
import { FirstRequestWait } from './first-request-page.js';
import { NewKeyValue } from './key-value.js';
import { RotationSteps } from './rotation-steps.js';

/** The answer to a form that created a key. It shows the value, once, and then the first request with it. */
export const NewKeyPage = ({
  viewer,
  issued: { key, value },
  publicUrl,
  rotates,
  demo,
}: {
  readonly viewer: Viewer;
  readonly issued: { readonly key: ApiKey; readonly value: KeyValue };
  readonly publicUrl: string;
  /** The key that the new one replaces; null for an additional key. */
  readonly rotates: ApiKey | null;
  readonly demo: ComponentChildren;
}) => (
  <Layout
    title="Your new key"
    viewer={viewer}
    activePath="/dashboard/keys"
    modules={['copy.js', 'first-request.js']}
    demo={demo}
  >
    {rotates !== null && <RotationSteps current="deploy" />}
    <NewKeyValue value={value} publicUrl={publicUrl} />
    <FirstRequestWait apiKey={key} />
    <p>
      {rotates === null ? (
        <a href="/dashboard/keys">Done</a>
      ) : (
        <a href={`/dashboard/keys/${rotates.id}/rotation`}>Continue rotation</a>
      )}
    </p>
  </Layout>
);
