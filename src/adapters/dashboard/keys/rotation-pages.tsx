import type { ComponentChildren } from 'preact';
import type { Account } from '../../../domain/accounts/account.js';
import { GRACE } from '../../../domain/keys/api-key.js';
import type { KeyValue } from '../../../domain/keys/key-value.js';
import { MINUTE, type Moment } from '../../../domain/moment.js';
import { FormToken, Layout } from '../page/layout.js';
import { Ago, At, Countdown } from '../page/moment.js';
import { Notice } from '../page/notice.js';
import { accountRefusalText } from '../page/refusal-text.js';
import type { Viewer } from '../state.js';
import type { Flash } from './flash.js';
import { KeyStateText, requestsTodayText } from './key-state.js';
import { NewKeyValue } from './key-value.js';
import type { KeyView } from './key-view.js';

const MINUTES = GRACE / MINUTE;

const nameOf = ({ key }: KeyView): string => key.label ?? `${key.prefix}…`;

const STEPS = ['Create', 'Deploy', 'Retire', 'Done'] as const;

const Steps = ({ current }: { readonly current: 0 | 1 | 2 | 3 }) => (
  <ol class="steps">
    {STEPS.map((step, i) => (
      <li key={step} aria-current={i === current ? 'step' : undefined}>
        {step}
      </li>
    ))}
  </ol>
);

type RotationProps = {
  readonly viewer: Viewer;
  readonly account: Account;
  readonly older: KeyView;
  /** Null before the new key is created. */
  readonly newer: KeyView | null;
  readonly now: Moment;
  readonly flash: Flash | null;
  readonly demo: ComponentChildren;
};

/** The four steps of contract section 5.4. The page shows the current one. */
export const RotationPage = (props: RotationProps) => {
  const { viewer, older, newer, flash, demo } = props;
  return (
    <Layout
      title={`Rotate ${nameOf(older)}`}
      viewer={viewer}
      activePath="/dashboard/keys"
      modules={['countdown.js', 'live.js']}
      demo={demo}
    >
      {flash !== null && (
        <Notice kind={flash.kind}>
          <p>{flash.text}</p>
        </Notice>
      )}
      {older.state.status === 'revoked' ? (
        <Retired {...props} />
      ) : newer === null ? (
        <Begin {...props} />
      ) : (
        <Deploy {...props} newer={newer} />
      )}
      <p>
        <a href="/dashboard/keys">Back to keys</a>
      </p>
    </Layout>
  );
};

const Begin = ({ viewer, account, older }: RotationProps) => (
  <>
    <Steps current={0} />
    <p>
      Create a second key that replaces <strong>{nameOf(older)}</strong>. Both keys work until the old key is
      retired. Retire it yourself, or the service retires it 24 hours after the first request with the new
      key. A retired key works for {MINUTES} more minutes. Your requests are not interrupted. The second key
      does not count towards your key limit.
    </p>
    {older.whyNotRotate === null ? (
      <form method="post" action={`/dashboard/keys/${older.key.id}/rotation`}>
        <FormToken viewer={viewer} />
        <input type="hidden" name="seen" value={account.keys.at(-1)?.id ?? ''} />
        <button type="submit">Create new key</button>
      </form>
    ) : (
      <Notice kind="warning">
        <p>{accountRefusalText(older.whyNotRotate, account)}</p>
      </Notice>
    )}
  </>
);

const Deploy = ({ viewer, older, newer, account, now }: RotationProps & { readonly newer: KeyView }) => (
  <>
    <Steps current={1} />
    <p>Deploy the new key everywhere the old key is used. Retire the old key once it is no longer used.</p>
    <p id="retirement-time" data-live="">
      <RetirementTime newer={newer} />
    </p>
    <dl class="pair">
      {[older, newer].map((view, i) => (
        <div key={view.key.id}>
          <dt>
            {i === 0 ? 'Old' : 'New'} key <code>{view.key.prefix}…</code>
          </dt>
          <dd>
            <KeyStateText view={view} now={now} />
          </dd>
          <dd id={`used-${view.key.id}`} data-live="">
            Last used: <Ago at={view.lastUsedAt} now={now} none="Never" />
          </dd>
          <dd id={`today-${view.key.id}`} data-live="">
            Requests today: {requestsTodayText(view)}
          </dd>
        </div>
      ))}
    </dl>
    <Retire {...{ viewer, account, older }} />
  </>
);

/** What the service does by itself (D23): nothing after it kept the old key because the new one was suspended. */
const RetirementTime = ({ newer }: { readonly newer: KeyView }) =>
  newer.retiresPredecessorAt !== null ? (
    <>
      The old key is retired automatically on <At at={newer.retiresPredecessorAt} />.
    </>
  ) : newer.lastUsedAt === null ? (
    <>
      The new key is not used yet. The old key is retired automatically 24 hours after the first request with
      the new one.
    </>
  ) : (
    <>The old key is not retired automatically. Retire it yourself.</>
  );

/** Only a key that is active when it is retired gets a grace (D22). It is served then only if its subscription is. */
function retirementText({ state, refusal }: KeyView): string {
  if (state.status !== 'active')
    return 'The old key is suspended. Once you retire it, requests with it return 401. This cannot be undone.';
  return refusal === null
    ? `The old key works for ${MINUTES} more minutes after you retire it. Requests with it then return 401. This cannot be undone.`
    : `Requests with the old key return 401 from ${MINUTES} minutes after you retire it. This cannot be undone.`;
}

const Retire = ({ viewer, account, older }: Pick<RotationProps, 'viewer' | 'account' | 'older'>) =>
  older.whyNotRetire === null ? (
    <form method="post" action={`/dashboard/keys/${older.key.id}/retirement`}>
      <FormToken viewer={viewer} />
      <p id="retire">{retirementText(older)}</p>
      <button type="submit" aria-describedby="retire">
        Retire old key
      </button>
    </form>
  ) : (
    <Notice kind="warning">
      <p>{accountRefusalText(older.whyNotRetire, account)}</p>
    </Notice>
  );

const Retired = ({ older, newer, now }: RotationProps) =>
  older.graceUntil === null ? (
    <>
      <Steps current={3} />
      <Notice kind="good">
        <p>
          Rotation complete. Requests with <code>{older.key.prefix}…</code> now return 401.
          {newer !== null && (
            <>
              {' '}
              Use <code>{newer.key.prefix}…</code>.
            </>
          )}
        </p>
      </Notice>
    </>
  ) : (
    <>
      <Steps current={2} />
      <Notice kind="warning">
        <p>
          The old key <code>{older.key.prefix}…</code>{' '}
          {older.refusal === null ? (
            <>
              expires in <Countdown until={older.graceUntil} now={now} />, on <At at={older.graceUntil} />.
            </>
          ) : (
            <KeyStateText view={older} now={now} />
          )}{' '}
          Last used: <Ago at={older.lastUsedAt} now={now} none="never" />.
        </p>
      </Notice>
    </>
  );

/** The answer to a form that created a key. It shows the value, once. */
export const NewKeyPage = ({
  viewer,
  value,
  publicUrl,
  rotates,
  demo,
}: {
  readonly viewer: Viewer;
  readonly value: KeyValue;
  readonly publicUrl: string;
  /** The key that the new one replaces; null for an additional key. */
  readonly rotates: KeyView['key'] | null;
  readonly demo: ComponentChildren;
}) => (
  <Layout title="Your new key" viewer={viewer} activePath="/dashboard/keys" modules={['copy.js']} demo={demo}>
    {rotates !== null && <Steps current={0} />}
    <NewKeyValue value={value} publicUrl={publicUrl} />
    <p>
      {rotates === null ? (
        <a class="button" href="/dashboard/keys">
          I have copied the key
        </a>
      ) : (
        <a class="button" href={`/dashboard/keys/${rotates.id}/rotation`}>
          I have copied the key, continue
        </a>
      )}
    </p>
  </Layout>
);

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
        Requests with <code>{view.key.prefix}…</code> will return 401 immediately. There is no {MINUTES}
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
