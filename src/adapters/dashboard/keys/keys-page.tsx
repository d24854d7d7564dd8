import type { ComponentChildren } from 'preact';
import type { Account } from '../../../domain/accounts/account.js';
import type { Plan } from '../../../domain/billing/plan.js';
import type { Moment } from '../../../domain/moment.js';
import type { Refusal } from '../../../domain/refusal.js';
import { CardTable, Cell } from '../page/card-table.js';
import { Layout } from '../page/layout.js';
import { Ago, At } from '../page/moment.js';
import { Notice } from '../page/notice.js';
import type { Viewer } from '../state.js';
import { CreateKeyForm } from './create-key-form.js';
import type { Flash } from './flash.js';
import { KeyHeading, KeyStateText, REQUESTS } from './key-state.js';
import type { KeyView } from './key-view.js';

export type KeysPageProps = {
  readonly viewer: Viewer;
  readonly account: Account;
  readonly plan: Plan;
  /** Keys that are not revoked, or in grace; newest last. */
  readonly current: readonly KeyView[];
  /** Revoked keys, newest first. */
  readonly earlier: readonly KeyView[];
  readonly whyNotIssue: Refusal | null;
  readonly now: Moment;
  readonly notice: Flash | null;
  readonly demo: ComponentChildren;
};

export const KeysPage = (props: KeysPageProps) => {
  const { viewer, current, earlier, now, notice, demo } = props;
  return (
    <Layout
      title="Keys"
      viewer={viewer}
      activePath="/dashboard/keys"
      modules={['countdown.js', 'live.js']}
      demo={demo}
    >
      {notice !== null && (
        <Notice kind={notice.kind}>
          <p>{notice.text}</p>
        </Notice>
      )}
      {current.length === 0 ? (
        <p>
          {props.whyNotIssue === null
            ? 'You have no keys yet. Create one below to get a command for your first request.'
            : 'You have no active keys.'}
        </p>
      ) : (
        <KeyTable views={current} now={now} caption="Your keys" />
      )}
      <CreateKeyForm {...props} />
      {earlier.length > 0 && (
        <details>
          <summary>Revoked keys</summary>
          <KeyTable views={earlier} now={now} caption="Revoked keys" />
        </details>
      )}
    </Layout>
  );
};

const KeyTable = ({
  views,
  now,
  caption,
}: {
  readonly views: readonly KeyView[];
  readonly now: Moment;
  readonly caption: string;
}) => (
  <CardTable caption={caption} columns={['Key', 'Status', 'Created', 'Last used', REQUESTS, 'Actions']}>
    {views.map((view) => (
      <tr key={view.key.id}>
        <KeyHeading apiKey={view.key} />
        <Cell of="Status">
          <KeyStateText view={view} now={now} />
        </Cell>
        <Cell of="Created">
          <At at={view.key.issuedAt} />
        </Cell>
        <Cell of="Last used" liveId={`used-${view.key.id}`}>
          <Ago at={view.lastUsedAt} now={now} none="Never" />
        </Cell>
        <Cell of={REQUESTS} liveId={`today-${view.key.id}`}>
          {view.requestsToday.toLocaleString('en-US')}
        </Cell>
        <Cell of="Actions">
          <KeyActions view={view} />
        </Cell>
      </tr>
    ))}
  </CardTable>
);

const KeyActions = ({ view }: { readonly view: KeyView }) => {
  const { key, state, graceUntil, successor, whyNotRotate } = view;
  const name = key.label ?? key.prefix;
  if (state.status === 'revoked' && graceUntil === null) return <span class="quiet">None</span>;
  return (
    <span class="actions">
      {state.status !== 'revoked' && (whyNotRotate === null || successor !== null) && (
        <a href={`/dashboard/keys/${key.id}/rotation`} aria-label={`Rotate ${name}`}>
          Rotate
        </a>
      )}
      {state.status === 'revoked' && (
        <a href={`/dashboard/keys/${key.id}/rotation`} aria-label={`View rotation of ${name}`}>
          View rotation
        </a>
      )}
      <a class="danger" href={`/dashboard/keys/${key.id}/revocation`} aria-label={`Revoke now: ${name}`}>
        Revoke now
      </a>
    </span>
  );
};
