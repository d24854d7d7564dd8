import type { ComponentChildren } from 'preact';
import { GRACE } from '../../../domain/keys/api-key.js';
import { MINUTE } from '../../../domain/moment.js';
import { FormToken, Layout } from '../page/layout.js';
import { Notice } from '../page/notice.js';
import type { Viewer } from '../state.js';
import { nameOf } from './key-state.js';
import type { KeyView } from './key-view.js';

/** Confirmation before a key is revoked. */
export const RevocationPage = ({
  viewer,
  view,
  demo,
}: {
  readonly viewer: Viewer;
  readonly view: KeyView;
  readonly demo: ComponentChildren;
}) => (
  <Layout title={`Revoke ${nameOf(view)}`} viewer={viewer} activePath="/dashboard/keys" demo={demo}>
    <Notice kind="warning">
      <p>
        Requests with <code>{view.key.prefix}…</code> will return 401 immediately. There is no{' '}
        {GRACE / MINUTE}
        -minute grace period as in a rotation. This cannot be undone. Revoke a key if it has leaked.
      </p>
    </Notice>
    <form method="post" action={`/dashboard/keys/${view.key.id}/revocation`}>
      <FormToken viewer={viewer} />
      <button type="submit" class="danger">
        Revoke key
      </button>{' '}
      <a href="/dashboard/keys">Cancel</a>
    </form>
    <p>
      To replace the key without interruption,{' '}
      <a href={`/dashboard/keys/${view.key.id}/rotation`}>rotate it</a> instead.
    </p>
  </Layout>
);
