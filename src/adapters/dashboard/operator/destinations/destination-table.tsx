import type { Destination } from '../../../../domain/destinations/destination.js';
import { DestinationStateText } from '../../destinations/destination-state.js';
import { filterText, KIND_NAMES, targetText } from '../../destinations/destination-text.js';
import { CardTable, Cell } from '../../page/card-table.js';
import { At } from '../../page/moment.js';
import { accountPath, destinationActionPath } from '../addresses.js';
import { DESTINATION_ACTION_TEXT, destinationActions } from './destination-actions.js';

/** Destinations with the actions that would change them now. */
export const DestinationTable = ({
  destinations,
  caption,
}: {
  readonly destinations: readonly Destination[];
  readonly caption: string;
}) => (
  <CardTable
    caption={caption}
    columns={['Destination', 'Account', 'Kind', 'To', 'Filter', 'Status', 'Created', 'Actions']}
  >
    {destinations.map((destination) => (
      <tr key={destination.id}>
        <th scope="row">
          {destination.label} <code>{destination.id}</code>
        </th>
        <Cell of="Account">
          <a href={accountPath(destination.account)}>
            <code>{destination.account}</code>
          </a>
        </Cell>
        <Cell of="Kind">{KIND_NAMES[destination.target.kind]}</Cell>
        <Cell of="To">{targetText(destination.target)}</Cell>
        <Cell of="Filter">{filterText(destination.filter)}</Cell>
        <Cell of="Status">
          <DestinationStateText destination={destination} />
        </Cell>
        <Cell of="Created">
          <At at={destination.createdAt} />
        </Cell>
        <Cell of="Actions">
          <Actions destination={destination} />
        </Cell>
      </tr>
    ))}
  </CardTable>
);

const Actions = ({ destination }: { readonly destination: Destination }) => (
  <span class="actions">
    {destinationActions(destination).map((action) => {
      const { name, isDangerous } = DESTINATION_ACTION_TEXT[action];
      return (
        <a
          key={action}
          href={destinationActionPath(destination.id, action)}
          class={isDangerous ? 'danger' : undefined}
          aria-label={`${name}: ${destination.label}`}
        >
          {name}
        </a>
      );
    })}
  </span>
);
