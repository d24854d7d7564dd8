import { type Finding, failed, ok } from '../../adapters/findings/check.js';

/** How a database answers a write that is rolled back. */
export type WriteFacts = {
  readonly isStandby: boolean;
  readonly isReadOnly: boolean;
  /** The grants that the role lacks, like `insert on item`. */
  readonly missingGrants: readonly string[];
  /** The error of the write; null if it succeeded. */
  readonly fault: string | null;
};

const NAMED_MAX = 5;

export function writeFinding({ isStandby, isReadOnly, missingGrants, fault }: WriteFacts): Finding {
  if (isStandby) {
    return failed(
      'the server is a standby, which accepts no writes',
      'Set DATABASE_URL to the primary, and DATABASE_REPLICA_URLS to this server. If a failover is in progress, promote a server.',
    );
  }
  if (isReadOnly) {
    return failed(
      'the database is read-only',
      'Set default_transaction_read_only to off for the server, the database and the role, or finish the failover.',
    );
  }
  if (missingGrants.length > 0) {
    const more = missingGrants.length - NAMED_MAX;
    const named = missingGrants.slice(0, NAMED_MAX).join(', ');
    return failed(
      `permissions are missing: ${named}${more > 0 ? ` and ${more} more` : ''}`,
      'Run the grants of docs/operations.md (A separate database role).',
    );
  }
  return fault === null
    ? ok('writes are accepted')
    : failed(`writes are refused: ${fault}`, 'Free disk space, or correct the permissions of the role.');
}
