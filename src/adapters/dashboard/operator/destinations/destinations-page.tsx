import type { Destination } from '../../../../domain/destinations/destination.js';
import { Layout } from '../../page/layout.js';
import { Notice } from '../../page/notice.js';
import type { Viewer } from '../../state.js';
import type { DoneNotice } from '../accounts/action-text.js';
import { accountPath, DESTINATIONS_PATH, destinationActionPath } from '../addresses.js';
import { type ReasonFault, ReasonForm } from '../reason-form.js';
import { DESTINATION_ACTION_TEXT, type OperatorDestinationAction } from './destination-actions.js';
import { DestinationTable } from './destination-table.js';

export const DestinationsPage = ({
  viewer,
  destinations,
  listedMax,
  notice,
}: {
  readonly viewer: Viewer;
  readonly destinations: readonly Destination[];
  readonly listedMax: number;
  readonly notice: DoneNotice | null;
}) => (
  <Layout title="Destinations" viewer={viewer} activePath={DESTINATIONS_PATH}>
    {notice !== null && (
      <Notice kind={notice.kind}>
        <p>{notice.text}</p>
      </Notice>
    )}
    {destinations.length === 0 ? (
      <p>No account has a destination.</p>
    ) : (
      <DestinationTable
        destinations={destinations}
        caption={`Destinations of all accounts: failing ones first, then disabled ones, ${listedMax} at most`}
      />
    )}
  </Layout>
);

/** Explains the consequence of an action and asks for its reason. */
export const DestinationActionPage = ({
  viewer,
  destination,
  action,
  fault,
}: {
  readonly viewer: Viewer;
  readonly destination: Destination;
  readonly action: OperatorDestinationAction;
  readonly fault: ReasonFault | null;
}) => {
  const { name, consequence, isDangerous } = DESTINATION_ACTION_TEXT[action];
  const { id, label, account } = destination;
  return (
    <Layout title={`${name} ${label}`} viewer={viewer} activePath={DESTINATIONS_PATH}>
      <p>
        Account{' '}
        <a href={accountPath(account)}>
          <code>{account}</code>
        </a>
        , destination <code>{id}</code>
      </p>
      <Notice kind={isDangerous ? 'warning' : 'good'}>
        <p>{consequence}</p>
      </Notice>
      <ReasonForm
        {...{ viewer, isDangerous, fault }}
        action={destinationActionPath(id, action)}
        button={name}
      >
        <a href={DESTINATIONS_PATH}>Cancel</a>
      </ReasonForm>
    </Layout>
  );
};
