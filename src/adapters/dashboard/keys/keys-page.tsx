import type { ComponentChildren } from 'preact';
import type { SandboxKey } from '../../../application/ports/keys/sandbox-keys.js';
import type { Account } from '../../../domain/accounts/account.js';
import type { Plan, Plans } from '../../../domain/billing/plan.js';
import type { Limit } from '../../../domain/limits/rate-limit.js';
import type { Moment } from '../../../domain/moment.js';
import type { Refusal } from '../../../domain/refusal.js';
import { Sparkline } from '../limits/sparkline.js';
import { CardTable, Cell } from '../page/card-table.js';
import { Layout } from '../page/layout.js';
import { Ago } from '../page/moment.js';
import { Notice } from '../page/notice.js';
import { percentText } from '../page/number-text.js';
import type { Viewer } from '../state.js';
import { CreateKeyForm } from './create-key-form.js';
import type { Flash } from './flash.js';
import { KeyAllowance } from './key-allowance.js';
import { KeyMenu } from './key-menu.js';
import { KeyStateText, LinkedKeyHeading, requestsTodayText } from './key-state.js';
import type { KeyView } from './key-view.js';
import { SandboxKeySection } from './sandbox-key-section.js';
import type { TypedKey } from './typed-key.js';
import { UsageStrip } from './usage-strip.js';

export type KeysPageProps = {
  readonly viewer: Viewer;
  readonly account: Account;
  readonly plan: Plan;
  readonly plans: Plans;
  /** Null while the counters cannot be read. */
  readonly limits: readonly Limit[] | null;
  /** Keys that are not revoked, or in grace; newest last. */
  readonly current: readonly KeyView[];
  /** Revoked keys, newest first. */
  readonly earlier: readonly KeyView[];
  readonly whyNotIssue: Refusal | null;
  /** The form for a new key, as it was typed. */
  readonly typed: TypedKey;
  /** The address of the visitor; null if it is not known. */
  readonly here: string | null;
  /** The sandbox key; null if the account has none. */
  readonly sandbox: SandboxKey | null;
  readonly now: Moment;
  readonly notice: Flash | null;
  readonly demo: ComponentChildren;
};

export const KeysPage = (props: KeysPageProps) => {
  const { viewer, current, earlier, whyNotIssue, notice, demo } = props;
  return (
    <Layout
      title="Keys"
      viewer={viewer}
      activePath="/dashboard/keys"
      modules={['countdown.js', 'live.js']}
      demo={demo}
      beside={whyNotIssue === null ? <CreateKeyForm {...props} /> : undefined}
    >
      {notice !== null && (
        <Notice kind={notice.kind}>
          <p>{notice.text}</p>
        </Notice>
      )}
      <UsageStrip limits={props.limits} />
      <KeyAllowance {...props} />
      {current.length === 0 ? (
        <p>
          {whyNotIssue === null
            ? 'You have no keys yet. Create one to get a command for your first request.'
            : 'You have no active keys.'}
        </p>
      ) : (
        <KeyTable {...props} views={current} caption="Your keys" />
      )}
      {earlier.length > 0 && (
        <details>
          <summary>Revoked keys</summary>
          <KeyTable {...props} views={earlier} caption="Revoked keys" />
        </details>
      )}
      <SandboxKeySection viewer={viewer} sandbox={props.sandbox} />
    </Layout>
  );
};

const TODAY = { label: 'Today', isNumber: true } as const;

const KeyTable = ({
  views,
  plan,
  now,
  caption,
}: Pick<KeysPageProps, 'plan' | 'now'> & {
  readonly views: readonly KeyView[];
  readonly caption: string;
}) => (
  <CardTable
    caption={caption}
    columns={['Key', 'Status', 'Last used', 'Last 24 h', TODAY, 'Actions']}
    variant="keys"
  >
    {views.map((view) => (
      <tr key={view.key.id}>
        <LinkedKeyHeading apiKey={view.key} />
        <Cell of="Status">
          <KeyStateText view={view} now={now} />
        </Cell>
        <Cell of="Last used" liveId={`used-${view.key.id}`}>
          <Ago at={view.lastUsedAt} now={now} none="Never" />
        </Cell>
        <Cell of="Last 24 h" liveId={`day-${view.key.id}`}>
          <Sparkline buckets={view.hours} period="in 24 hours" />
        </Cell>
        <Cell of={TODAY} liveId={`today-${view.key.id}`}>
          <Today view={view} plan={plan} />
        </Cell>
        <Cell of="Actions">
          <KeyActions view={view} />
        </Cell>
      </tr>
    ))}
  </CardTable>
);

/** `1,204 2%`: the requests of today, and their share of the quota of the day. Refused requests take none of it. */
const Today = ({ view, plan }: { readonly view: KeyView; readonly plan: Plan }) => (
  <>
    {requestsTodayText(view)}{' '}
    <span class="share">
      {view.requestsToday > 0 &&
        !view.onlyRefusedToday &&
        percentText(view.requestsToday / plan.requestsPerDay)}
    </span>
  </>
);

const KeyActions = ({ view }: { readonly view: KeyView }) => (
  <span class="actions">
    <RotationLink view={view} />
    <KeyMenu view={view} />
  </span>
);

const RotationLink = ({ view }: { readonly view: KeyView }) => {
  const text = rotationLinkText(view);
  const { id, label, prefix } = view.key;
  return text === null ? null : (
    <a
      class="button plain"
      href={`/dashboard/keys/${id}/rotation`}
      aria-label={`${text}: ${label ?? prefix}`}
    >
      {text}
    </a>
  );
};

/** Null if the key cannot be rotated and is in no rotation. */
function rotationLinkText({ state, graceUntil, successor, whyNotRotate }: KeyView): string | null {
  if (state.status === 'revoked') return graceUntil === null ? null : 'View rotation';
  if (successor !== null) return 'Continue rotation';
  return whyNotRotate === null ? 'Rotate' : null;
}
