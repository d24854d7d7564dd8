import type { StoredDestination } from '../../../application/ports/destinations/destinations.js';
import type { AccountId } from '../../../domain/accounts/account.js';
import type { Batch, Destination, DestinationId } from '../../../domain/destinations/destination.js';
import type { DestinationState } from '../../../domain/destinations/destination-state.js';

/** What an owner decides. Its account and state have columns of their own. */
export type DestinationBody = Omit<Destination, 'id' | 'account' | 'state'>;

export type DestinationRow = {
  readonly id: DestinationId;
  readonly account_id: AccountId;
  readonly version: string;
  readonly body: DestinationBody;
  readonly state: DestinationState;
  readonly n: string;
  readonly mark: string;
  readonly generation: number;
  readonly batch: Batch | null;
};

export const DESTINATION_COLUMNS = [
  'id',
  'account_id',
  'version',
  'body',
  'state',
  'n',
  'mark',
  'generation',
  'batch',
] as const;

export const storedDestinationOf = (row: DestinationRow): StoredDestination => {
  const { id, account_id: account, body, state, mark, generation, batch } = row;
  return {
    destination: { id, account, ...body, state },
    progress: { position: { n: Number(row.n), mark }, batch, generation },
    version: Number(row.version),
  };
};

/** The columns that a change by an owner or an operator writes. */
export function columnsOf({ id: _id, account: _account, state, ...body }: Destination) {
  const { target } = body;
  return {
    body: JSON.stringify(body),
    state: JSON.stringify(state),
    token_hash: target.kind === 'feed' ? target.tokenHash : null,
  };
}
