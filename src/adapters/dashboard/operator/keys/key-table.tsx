import { obstaclesOf } from '../../../../domain/accounts/access.js';
import type { Account } from '../../../../domain/accounts/account.js';
import type { KeyAction } from '../../../../domain/accounts/operator-actions.js';
import { causesOf, type Revoked } from '../../../../domain/keys/api-key.js';
import type { Moment } from '../../../../domain/moment.js';
import { KeyBadge, KeyHeading, REQUESTS } from '../../keys/key-state.js';
import type { KeyView } from '../../keys/key-view.js';
import { CardTable, Cell } from '../../page/card-table.js';
import { At, AtOr, Countdown, OnAt } from '../../page/moment.js';
import { CAUSE_NAMES, capitalized, obstacleNames } from '../../page/state-text.js';
import { KEY_ACTION_TEXT } from '../accounts/action-text.js';
import { keyActionPath, newKeyPath, rotationPath } from '../addresses.js';

/** A key with the actions that would change it now. */
export type ConsoleKey = KeyView & { readonly actions: readonly KeyAction[] };

type Props = { readonly account: Account; readonly now: Moment };

export const KeyTable = ({ keys, account, now }: Props & { readonly keys: readonly ConsoleKey[] }) => (
  <CardTable
    caption="Keys in use, then revoked keys, each newest first"
    columns={['Key', 'Status', 'Created', 'Last used', REQUESTS, 'Actions']}
  >
    {keys.map((view) => (
      <tr key={view.key.id}>
        <KeyHeading apiKey={view.key} />
        <Cell of="Status">
          <KeyState view={view} account={account} now={now} />
        </Cell>
        <Cell of="Created">
          <At at={view.key.issuedAt} />
        </Cell>
        <Cell of="Last used">
          <AtOr at={view.lastUsedAt} none="Never" />
        </Cell>
        <Cell of={REQUESTS}>{view.requestsToday.toLocaleString('en-US')}</Cell>
        <Cell of="Actions">
          <Actions view={view} account={account} />
        </Cell>
      </tr>
    ))}
  </CardTable>
);

export const NewKeyLink = ({ account }: Pick<Props, 'account'>) => (
  <p>
    <a class="button" href={newKeyPath(account.id)}>
      Create key
    </a>
  </p>
);

/** The status of a key and why. Causes on the key and on the subscription are separate: each is released where it is (D21). */
const KeyState = ({ view, account, now }: Props & { readonly view: ConsoleKey }) => {
  const { key, state, graceUntil, successor, predecessor } = view;
  return (
    <>
      <KeyBadge view={view} />{' '}
      {state.status === 'revoked' ? (
        <RevokedState state={state} graceUntil={graceUntil} now={now} />
      ) : (
        capitalized(
          [
            ...causesOf(key.state).map((cause) => `${CAUSE_NAMES[cause]} (key)`),
            ...obstaclesOf(account.subscription).map((one) => `${obstacleNames([one])} (subscription)`),
          ].join(', '),
        )
      )}
      {successor !== null && ` Being replaced by ${successor.prefix}…`}
      {predecessor !== null && ` Replaces ${predecessor.prefix}…`}
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
    <OnAt at={revokedAt} />: {CAUSE_NAMES[cause]}
    {graceUntil !== null && (
      <>
        . Grace period ends in <Countdown until={graceUntil} now={now} />
      </>
    )}
    {held && '. On hold: it still counts towards the key limit'}
  </>
);

const Actions = ({
  view: { key, actions, whyNotRotate },
  account,
}: {
  readonly view: ConsoleKey;
  readonly account: Account;
}) =>
  actions.length === 0 ? (
    <span class="quiet">None</span>
  ) : (
    <span class="actions">
      {whyNotRotate === null && (
        <a href={rotationPath(account.id, key)} aria-label={`Rotate ${key.label ?? key.prefix}`}>
          Rotate
        </a>
      )}
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
