import type { ComponentChildren } from 'preact';
import type { Plan } from '../../../domain/billing/plan.js';
import type { KeyId } from '../../../domain/keys/api-key.js';
import type { LoggedRequest } from '../../../domain/limits/request-log.js';
import { ALL_REQUESTS } from '../../../domain/limits/request-statistics.js';
import type { Moment } from '../../../domain/moment.js';
import type { Fault } from '../../../domain/refusal.js';
import { RequestLog } from '../limits/request-log.js';
import { FormToken, Layout } from '../page/layout.js';
import { Ago, At } from '../page/moment.js';
import { Notice } from '../page/notice.js';
import { grouped } from '../page/number-text.js';
import { faultText } from '../page/refusal-text.js';
import type { Viewer } from '../state.js';
import type { Flash } from './flash.js';
import { AddressesField, ExpiryField, LabelField, LimitField } from './key-fields.js';
import { KeyStateText } from './key-state.js';
import type { KeyView } from './key-view.js';
import type { TypedKey } from './typed-key.js';

const REQUESTS_SHOWN = 20;

export type SettingsPageProps = {
  readonly viewer: Viewer;
  readonly view: KeyView;
  readonly plan: Plan;
  readonly now: Moment;
  /** The address of the visitor; null if it is not known. */
  readonly here: string | null;
  readonly typed: TypedKey;
  /** The settings that the form began with. */
  readonly seen: string;
  /** The last requests with the key, newest first. */
  readonly requests: readonly LoggedRequest[];
  /** The open streams of each key of the account. */
  readonly streams: ReadonlyMap<KeyId, number>;
  readonly faults: readonly Fault[];
  readonly notice: Flash | null;
  readonly demo: ComponentChildren;
};

/** One key: its state, and what its owner has set for it (D72). */
export const SettingsPage = (props: SettingsPageProps) => {
  const { viewer, view, faults, notice, demo } = props;
  const { label, prefix, state } = view.key;
  return (
    <Layout
      title={label ?? `${prefix}…`}
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
      {faults.length > 0 && (
        <Notice kind="bad">
          <p>Nothing was changed.</p>
          <ul>
            {faults.map((fault) => (
              <li key={fault.parameter}>{faultText(fault)}</li>
            ))}
          </ul>
        </Notice>
      )}
      <Facts {...props} />
      {state.status === 'revoked' ? null : <Settings {...props} />}
      <LastRequests {...props} />
      <p>
        <a href="/dashboard/keys">Back to keys</a>
      </p>
    </Layout>
  );
};

/** Those with which a problem of a program begins; the Usage page has all of them, with filters. */
const LastRequests = ({ view: { key }, requests }: SettingsPageProps) => {
  const address = { path: '/dashboard/usage', parameters: { key: key.id } };
  const shown = requests.slice(0, REQUESTS_SHOWN);
  return <RequestLog requests={shown} keys={[key]} filter={ALL_REQUESTS} address={address} source={null} />;
};

type LastRequestProps = { readonly request: LoggedRequest | undefined; readonly now: Moment };

const LastRequest = ({ request, now }: LastRequestProps) =>
  request === undefined ? null : (
    <>
      <dt>Last request</dt>
      <dd>
        <Ago at={request.at} now={now} none="" />, status {request.status}, from {request.network}
      </dd>
    </>
  );

/** `2 of 5`; if other keys have some open, too: `2 of 5, other keys: 1`. A plan limits those of all keys together (D51). */
function streamsText(key: KeyId, streams: ReadonlyMap<KeyId, number>, plan: Plan): string {
  const own = streams.get(key) ?? 0;
  const others = [...streams.values()].reduce((sum, open) => sum + open, 0) - own;
  return `${grouped(own)} of ${grouped(plan.streams)}${others === 0 ? '' : `, other keys: ${grouped(others)}`}`;
}

const Facts = ({ view, now, requests, streams, plan }: SettingsPageProps) => {
  const { key, lastUsedAt, requestsToday, successor, whyNotRotate } = view;
  const isRevoked = key.state.status === 'revoked';
  return (
    <section aria-label="State of the key">
      <dl class="facts">
        <dt>Key</dt>
        <dd>
          <code>{key.prefix}…</code>
        </dd>
        <dt>Status</dt>
        <dd id={`state-${key.id}`} data-live="">
          <KeyStateText view={view} now={now} />
        </dd>
        <dt>Created</dt>
        <dd>
          <At at={key.issuedAt} />
        </dd>
        <dt>Last used</dt>
        <dd id={`used-${key.id}`} data-live="">
          <Ago at={lastUsedAt} now={now} none="Never" />
        </dd>
        <LastRequest request={requests[0]} now={now} />
        <dt>Requests today</dt>
        <dd id={`today-${key.id}`} data-live="">
          {requestsToday.toLocaleString('en-US')}
        </dd>
        <dt>Open streams</dt>
        <dd id={`streams-${key.id}`} data-live="">
          {streamsText(key.id, streams, plan)}
        </dd>
        <dt>Scopes</dt>
        <dd>{key.scopes.join(', ')}</dd>
      </dl>
      {!isRevoked && (
        <p class="actions">
          {(whyNotRotate === null || successor !== null) && (
            <a href={`/dashboard/keys/${key.id}/rotation`}>Rotate</a>
          )}
          <a class="danger" href={`/dashboard/keys/${key.id}/revocation`}>
            Revoke now
          </a>
        </p>
      )}
    </section>
  );
};

const Settings = ({ viewer, view, plan, now, here, typed, seen, faults }: SettingsPageProps) => (
  <section aria-labelledby="settings">
    <h2 id="settings">Settings</h2>
    <form method="post" action={`/dashboard/keys/${view.key.id}`} class="key-settings">
      <FormToken viewer={viewer} />
      <input type="hidden" name="seen" value={seen} />
      <LabelField typed={typed} faults={faults} />
      <ExpiryField typed={typed} faults={faults} now={now} />
      <AddressesField typed={typed} faults={faults} here={here} />
      <div class="limits">
        <LimitField typed={typed} faults={faults} name="minute" most={plan.requestsPerMinute} />
        <LimitField typed={typed} faults={faults} name="day" most={plan.requestsPerDay} />
      </div>
      <button type="submit">Save changes</button>
    </form>
  </section>
);
