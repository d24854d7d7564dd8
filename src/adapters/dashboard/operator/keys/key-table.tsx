import { obstaclesOf } from '../../../../domain/accounts/access.js';
import type { Account } from '../../../../domain/accounts/account.js';
import type { KeyAction } from '../../../../domain/accounts/operator-actions.js';
import { causesOf, type Revoked } from '../../../../domain/keys/api-key.js';
import type { Moment } from '../../../../domain/moment.js';
import { KeyBadge, KeyHeading, REQUESTS } from '../../keys/key-state.js';
import type { KeyView } from '../../keys/key-view.js';
import { CardTable, Cell } from '../../page/card-table.js';
import { At, AtOr, Countdown } from '../../page/moment.js';
import { CAUSE_NAMES, obstacleNames } from '../../page/state-text.js';
import { KEY_ACTION_TEXT } from '../accounts/action-text.js';
import { keyActionPath } from '../addresses.js';

/** A key with the acts on it that make sense as it stands. */
export type ConsoleKey = KeyView & { readonly actions: readonly KeyAction[] };

type Props = { readonly account: Account; readonly now: Moment };

export const KeyTable = ({ keys, account, now }: Props & { readonly keys: readonly ConsoleKey[] }) => (
  <CardTable
    caption="Keys: those that count first, then revoked ones, the latest issued first"
    columns={['Key', 'State', 'Issued', 'Last used', REQUESTS, 'Do']}
  >
    {keys.map((view) => (
      <tr key={view.key.id}>
        <KeyHeading apiKey={view.key} />
        <Cell of="State">
          <KeyState view={view} account={account} now={now} />
        </Cell>
        <Cell of="Issued">
          <At at={view.key.issuedAt} />
        </Cell>
        <Cell of="Last used">
          <AtOr at={view.lastUsedAt} none="never" />
        </Cell>
        <Cell of={REQUESTS}>{view.requestsToday.toLocaleString('en-US')}</Cell>
        <Cell of="Do">
          <Actions view={view} account={account} />
        </Cell>
      </tr>
    ))}
  </CardTable>
);

/** What requests with the key get and why; causes of the key apart from those above it, which are lifted there (D21). */
const KeyState = ({ view, account, now }: Props & { readonly view: ConsoleKey }) => {
  const { key, state, graceUntil, successor, predecessor } = view;
  return (
    <>
      <KeyBadge view={view} />{' '}
      {state.status === 'revoked' ? (
        <RevokedState state={state} graceUntil={graceUntil} now={now} />
      ) : (
        [
          ...causesOf(key.state).map((cause) => `${CAUSE_NAMES[cause]} on the key`),
          ...obstaclesOf(account.subscription).map((one) => `${obstacleNames([one])} on the subscription`),
        ].join(', ')
      )}
      {successor !== null && ` Being replaced by ${successor.prefix}…`}
      {predecessor !== null && ` The successor of ${predecessor.prefix}…`}
    </>
  );
};

const RevokedState = ({
  state: { cause, revokedAt, held },
  graceUntil,
  now,
}: {
  readonly state: Revoked;
  readonly graceUntil: Moment | null;
  readonly now: Moment;
}) => (
  <>
    {CAUSE_NAMES[cause]}, <At at={revokedAt} />
    {graceUntil !== null && (
      <>
        ; in grace for <Countdown until={graceUntil} now={now} /> more
      </>
    )}
    {held && '; held, so it keeps its place in the allowance'}
  </>
);

const Actions = ({
  view: { key, actions },
  account,
}: {
  readonly view: ConsoleKey;
  readonly account: Account;
}) =>
  actions.length === 0 ? (
    <span class="quiet">nothing</span>
  ) : (
    <span class="actions">
      {actions.map((action) => (
        <a
          key={action}
          href={keyActionPath(account, key, action)}
          class={KEY_ACTION_TEXT[action].isDangerous ? 'danger' : undefined}
          aria-label={`${KEY_ACTION_TEXT[action].name} ${key.label ?? key.prefix}`}
        >
          {KEY_ACTION_TEXT[action].name}
        </a>
      ))}
    </span>
  );
