import type { ComponentChildren } from 'preact';
import type { SandboxKey } from '../../../application/ports/keys/sandbox-keys.js';
import type { KeyValue } from '../../../domain/keys/key-value.js';
import { SANDBOX_POLICY } from '../../../domain/limits/sandbox-limits.js';
import { FormToken, Layout } from '../page/layout.js';
import { At } from '../page/moment.js';
import type { Viewer } from '../state.js';
import { NewKeyValue } from './key-value.js';

export const SANDBOX_KEY_PATH = '/dashboard/keys/sandbox';

/** The sandbox key of the account, below its other keys. */
export const SandboxKeySection = ({
  viewer,
  sandbox,
}: {
  readonly viewer: Viewer;
  /** Null if the account has none. */
  readonly sandbox: SandboxKey | null;
}) => (
  <>
    <h2>Sandbox key</h2>
    <p>
      It opens a <a href="/docs/sandbox">feed of invented stories</a> to test a client with,{' '}
      {SANDBOX_POLICY.quota} requests a minute, and makes every error on demand. It uses no quota, and does
      not count as a key of the plan.
    </p>
    {sandbox !== null && (
      <p>
        <code>{sandbox.prefix}…</code>, created <At at={sandbox.createdAt} />
      </p>
    )}
    <div class="actions">
      <form method="post" action={SANDBOX_KEY_PATH}>
        <FormToken viewer={viewer} />
        <button type="submit" class="plain">
          {sandbox === null ? 'Create sandbox key' : 'Replace sandbox key'}
        </button>
      </form>
      {sandbox !== null && (
        <form method="post" action={`${SANDBOX_KEY_PATH}/deletion`}>
          <FormToken viewer={viewer} />
          <button type="submit" class="plain">
            Delete sandbox key
          </button>
        </form>
      )}
    </div>
  </>
);

/** The answer to a form that created a sandbox key. It shows the value, once. */
export const NewSandboxKeyPage = ({
  viewer,
  value,
  publicUrl,
  demo,
}: {
  readonly viewer: Viewer;
  readonly value: KeyValue;
  readonly publicUrl: string;
  readonly demo: ComponentChildren;
}) => (
  <Layout
    title="Your sandbox key"
    viewer={viewer}
    activePath="/dashboard/keys"
    modules={['copy.js']}
    demo={demo}
  >
    <NewKeyValue value={value} publicUrl={publicUrl} ifLost="replace" />
    <p>
      <a href="/dashboard/keys">Done</a>
    </p>
  </Layout>
);
