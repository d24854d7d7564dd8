import type { ComponentChildren } from 'preact';
import type { Account } from '../../../domain/accounts/account.js';
import { GRACE } from '../../../domain/keys/api-key.js';
import { type RotationStep, rotationStep } from '../../../domain/keys/rotation-step.js';
import { MINUTE, type Moment } from '../../../domain/moment.js';
import { FormToken, Layout } from '../page/layout.js';
import { Ago, Countdown, OnAt } from '../page/moment.js';
import { Notice } from '../page/notice.js';
import { accountRefusalText } from '../page/refusal-text.js';
import type { Viewer } from '../state.js';
import type { Flash } from './flash.js';
import { Badge, KeyStateText, nameOf, requestsTodayText } from './key-state.js';
import type { KeyView } from './key-view.js';
import { RotationSteps } from './rotation-steps.js';

const MINUTES = GRACE / MINUTE;

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
  const step = rotationStep(older.state, newer);
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
      <RotationSteps current={step} />
      {step === 'done' ? (
        <Retired {...props} />
      ) : newer === null ? (
        <Begin {...props} />
      ) : (
        <Deploy {...props} newer={newer} step={step} />
      )}
      <p>
        <a href="/dashboard/keys">Back to keys</a>
      </p>
    </Layout>
  );
};

const Begin = ({ viewer, account, older }: RotationProps) => (
  <>
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

type DeployProps = RotationProps & { readonly newer: KeyView; readonly step: RotationStep };

const Deploy = ({ viewer, older, newer, account, now, step }: DeployProps) => (
  <>
    <p>Deploy the new key everywhere the old key is used. Retire the old key once it is no longer used.</p>
    <p id="safety" role="status" data-live="">
      <Safety step={step} />
    </p>
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
    <div id="retirement" data-live="">
      <Retire {...{ viewer, account, older, step }} />
    </div>
  </>
);

/** Whether the older key can be retired without an outage, as far as the service sees it. */
const Safety = ({ step }: { readonly step: RotationStep }) =>
  step === 'retire' ? (
    <Badge kind="good">Safe to retire</Badge>
  ) : (
    <>
      <Badge kind="warning">New key: not used yet</Badge> Wait for its first request.
    </>
  );

/** What the service does by itself (D23): nothing after it kept the old key because the new one was suspended. */
const RetirementTime = ({ newer }: { readonly newer: KeyView }) =>
  newer.retiresPredecessorAt !== null ? (
    <>
      The old key is retired automatically <OnAt at={newer.retiresPredecessorAt} />.
    </>
  ) : newer.lastUsedAt === null ? (
    <>The old key is retired automatically 24 hours after the first request with the new one.</>
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

type RetireProps = Pick<DeployProps, 'viewer' | 'account' | 'older' | 'step'>;

/** Possible before the new key is used too, but then not the main action of the page. */
const Retire = ({ viewer, account, older, step }: RetireProps) =>
  older.whyNotRetire === null ? (
    <form method="post" action={`/dashboard/keys/${older.key.id}/retirement`}>
      <FormToken viewer={viewer} />
      <p id="retire">{retirementText(older)}</p>
      <button type="submit" aria-describedby="retire" class={step === 'retire' ? undefined : 'plain'}>
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
  ) : (
    <Notice kind="warning">
      <p>
        The old key <code>{older.key.prefix}…</code>{' '}
        {older.refusal === null ? (
          <>
            expires in <Countdown until={older.graceUntil} now={now} />, <OnAt at={older.graceUntil} />.
          </>
        ) : (
          <KeyStateText view={older} now={now} />
        )}{' '}
        Last used: <Ago at={older.lastUsedAt} now={now} none="never" />.
      </p>
    </Notice>
  );
