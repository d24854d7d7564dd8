import type { ComponentChildren } from 'preact';
import type { ConsoleHome } from '../../../../application/accounts/read-console-home.js';
import {
  type DependencyHealth,
  type LastNotice,
  mailHealth,
  webhookHealth,
} from '../../../../domain/accounts/dependency-health.js';
import type { Moment } from '../../../../domain/moment.js';
import { Badge } from '../../keys/key-state.js';
import { CardTable, Cell } from '../../page/card-table.js';
import { Ago } from '../../page/moment.js';
import { EVENTS_PATH } from '../addresses.js';

/** What an instance knows of what it depends on. */
export type InstanceState = {
  /** As in the response of `/readyz`. */
  readonly servers: readonly {
    readonly dependency: string;
    readonly state: 'up' | 'degraded' | 'down';
    readonly text: string;
  }[];
  /** Whether the settings have a secret for webhooks of the payment processor. */
  readonly hasWebhooks: boolean;
  readonly hasMailServer: boolean;
  readonly lastNotice: LastNotice | null;
};

type Props = {
  readonly home: Pick<ConsoleHome, 'figures' | 'lastEventAt'>;
  readonly instance: InstanceState;
  readonly now: Moment;
};

// biome-ignore format: a table is read by its columns
const BADGES: Readonly<Record<DependencyHealth, readonly [kind: 'good' | 'warning' | 'bad' | 'off', text: string]>> = {
  up:       ['good',    'Up'],
  degraded: ['warning', 'Degraded'],
  down:     ['bad',     'Down'],
  off:      ['off',     'Off'],
};

/** What this instance depends on, as it sees it now: nothing is asked for this page. */
export const DependencyTable = ({ home, instance, now }: Props) => (
  <CardTable caption="As this instance sees them" columns={['Dependency', 'Status', 'Details']}>
    {instance.servers.map(({ dependency, state, text }) => (
      <Row key={dependency} name={capitalized(dependency)} health={state}>
        {capitalized(text)}
      </Row>
    ))}
    <Row name="Payment webhooks" health={webhookHealth(instance.hasWebhooks, home.figures.failedEvents)}>
      <Webhooks {...{ home, instance, now }} />
    </Row>
    <Row name="Email" health={mailHealth(instance.hasMailServer, instance.lastNotice)}>
      <Email {...{ instance, now }} />
    </Row>
  </CardTable>
);

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const Row = ({
  name,
  health,
  children,
}: {
  readonly name: string;
  readonly health: DependencyHealth;
  readonly children: ComponentChildren;
}) => {
  const [kind, text] = BADGES[health];
  return (
    <tr>
      <th scope="row">{name}</th>
      <Cell of="Status">
        <Badge kind={kind}>{text}</Badge>
      </Cell>
      <Cell of="Details">{children}</Cell>
    </tr>
  );
};

const Webhooks = ({ home: { figures, lastEventAt }, instance, now }: Props) => {
  if (!instance.hasWebhooks) return <>No payment processor: STRIPE_WEBHOOK_SECRET is not set</>;
  return (
    <>
      Last event received: <Ago at={lastEventAt} now={now} none="none yet" />.{' '}
      {figures.failedEvents > 0 && <a href={EVENTS_PATH}>Some events failed</a>}
    </>
  );
};

/** The outcome of an attempt, in words for an operator. */
const OUTCOMES: Readonly<Record<LastNotice['outcome'], string>> = {
  sent: 'was sent',
  'put back': 'could not be sent, and is tried again',
  refused: 'was refused for its address',
  'in doubt': 'was perhaps not delivered',
};

const Email = ({ instance: { hasMailServer, lastNotice }, now }: Pick<Props, 'instance' | 'now'>) => {
  if (!hasMailServer) return <>No mail server: SMTP_URL is not set, and emails are only in the log</>;
  if (lastNotice === null) return <>This instance has sent no email to an account yet</>;
  return (
    <>
      The last email of this instance {OUTCOMES[lastNotice.outcome]}:{' '}
      <Ago at={lastNotice.at} now={now} none="" />
    </>
  );
};
