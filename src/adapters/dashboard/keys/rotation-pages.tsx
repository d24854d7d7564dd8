import type { ComponentChildren } from 'preact';
import type { Account } from '../../../domain/accounts/account.js';
import { GRACE } from '../../../domain/keys/api-key.js';
import type { KeyValue } from '../../../domain/keys/key-value.js';
import { MINUTE, type Moment } from '../../../domain/moment.js';
import { FormToken, Layout, type Viewer } from '../page/layout.js';
import { Ago, At, Countdown } from '../page/moment.js';
import { Notice } from '../page/notice.js';
import { accountRefusalText } from '../page/refusal-text.js';
import type { Flash } from './flash.js';
import { KeyStateText } from './key-state.js';
import { NewKeyValue } from './key-value.js';
import type { KeyView } from './key-view.js';

const MINUTES = GRACE / MINUTE;

const nameOf = ({ key }: KeyView): string => key.label ?? `${key.prefix}…`;

const STEPS = ['New value', 'Deploy it', 'Retire the old one', 'Done'] as const;

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
  /** Null before there is one. */
  readonly newer: KeyView | null;
  readonly now: Moment;
  readonly flash: Flash | null;
  readonly demo: ComponentChildren;
};

/** The four steps of contract section 5.4, each as a page that tells where it stands. */
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
        <a href="/dashboard/keys">Back to the keys</a>
      </p>
    </Layout>
  );
};

const Begin = ({ viewer, account, older }: RotationProps) => (
  <>
    <Steps current={0} />
    <p>
      A rotation makes a second key beside <strong>{nameOf(older)}</strong>. Both work until you retire the
      old one, which then works for {MINUTES} minutes more. Nothing is interrupted, and the allowance is not
      touched.
    </p>
    {older.whyNotRotate === null ? (
      <form method="post" action={`/dashboard/keys/${older.key.id}/rotation`}>
        <FormToken viewer={viewer} />
        <input type="hidden" name="seen" value={account.keys.at(-1)?.id ?? ''} />
        <button type="submit">Make the new value</button>
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
    <p>
      Deploy the new key wherever the old one is used. When the old one is not used any more, retire it
      {newer.key.overlapEndsAt !== null && (
        <>
          {' '}
          (the service does so by itself on <At at={newer.key.overlapEndsAt} />)
        </>
      )}
      .
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
            Last used: <Ago at={view.lastUsedAt} now={now} none="never" />
          </dd>
          <dd id={`today-${view.key.id}`} data-live="">
            Requests today: {view.requestsToday}
          </dd>
        </div>
      ))}
    </dl>
    <Retire {...{ viewer, account, older }} />
  </>
);

/** Only a key that is active when it is retired has some minutes more (D22), and is served then if its subscription is. */
function retirementText({ state, refusal }: KeyView): string {
  if (state.status !== 'active')
    return 'Retiring cannot be taken back: the old key is on hold, so it gets 401 at once and for good.';
  return refusal === null
    ? `Retiring cannot be taken back: the old key works for ${MINUTES} minutes more, then gets 401 for good.`
    : `Retiring cannot be taken back: ${MINUTES} minutes later the old key gets 401 for good.`;
}

const Retire = ({ viewer, account, older }: Pick<RotationProps, 'viewer' | 'account' | 'older'>) =>
  older.whyNotRetire === null ? (
    <form method="post" action={`/dashboard/keys/${older.key.id}/retirement`}>
      <FormToken viewer={viewer} />
      <p id="retire">{retirementText(older)}</p>
      <button type="submit" aria-describedby="retire">
        Retire the old key
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
          Done: <code>{older.key.prefix}…</code> gets 401 from now on
          {newer !== null && (
            <>
              , and <code>{newer.key.prefix}…</code> is the key
            </>
          )}
          .
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
              works for <Countdown until={older.graceUntil} now={now} /> more, until{' '}
              <At at={older.graceUntil} />.
            </>
          ) : (
            <KeyStateText view={older} now={now} />
          )}{' '}
          Last used: <Ago at={older.lastUsedAt} now={now} none="never" />.
        </p>
      </Notice>
    </>
  );

/** What a form that made a key answers: the value, here and never again. */
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
  /** The key that it is to replace; null for one more key. */
  readonly rotates: KeyView['key'] | null;
  readonly demo: ComponentChildren;
}) => (
  <Layout title="Your new key" viewer={viewer} activePath="/dashboard/keys" modules={['copy.js']} demo={demo}>
    {rotates !== null && <Steps current={0} />}
    <NewKeyValue value={value} publicUrl={publicUrl} />
    <p>
      {rotates === null ? (
        <a class="button" href="/dashboard/keys">
          I have copied it
        </a>
      ) : (
        <a class="button" href={`/dashboard/keys/${rotates.id}/rotation`}>
          I have copied it: next, deploy it
        </a>
      )}
    </p>
  </Layout>
);

/** Asked before a key is gone for good. */
export const RevocationPage = ({
  viewer,
  view,
  demo,
}: {
  readonly viewer: Viewer;
  readonly view: KeyView;
  readonly demo: ComponentChildren;
}) => (
  <Layout title={`Revoke ${nameOf(view)} now`} viewer={viewer} activePath="/dashboard/keys" demo={demo}>
    <Notice kind="warning">
      <p>
        Every request with <code>{view.key.prefix}…</code> gets 401 from this moment on, without the {MINUTES}{' '}
        minutes of a rotation, and the key never works again. Do this when it has leaked.
      </p>
    </Notice>
    <form method="post" action={`/dashboard/keys/${view.key.id}/revocation`}>
      <FormToken viewer={viewer} />
      <button type="submit" class="danger">
        Revoke it now
      </button>{' '}
      <a href="/dashboard/keys">Keep it</a>
    </form>
    <p>
      To replace it without an interruption, <a href={`/dashboard/keys/${view.key.id}/rotation`}>rotate it</a>{' '}
      instead.
    </p>
  </Layout>
);
