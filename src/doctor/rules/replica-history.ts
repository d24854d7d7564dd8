import { type Finding, failed, ok, warning } from '../../adapters/findings/check.js';

/** The last feed change of a replica, and what the primary has under its number. */
export type ReplicaFacts = {
  readonly isStandby: boolean;
  readonly lastChange: number;
  readonly mark: string | null;
  readonly primary: {
    readonly lastChange: number;
    readonly oldestChange: number;
    /** The mark of the change with the number of the replica's last change; undefined if there is none. */
    readonly markThere: string | null | undefined;
  };
};

/** A replica that is this many changes behind serves no page that a recent change affects. */
const BEHIND_MAX = 1_000;

const REBUILD = 'Stop it, and build it again from the current primary (pg_basebackup).';

/** A sentence whose subject is the address of the replica. Marks are random, so two databases have equal marks only if one is a copy of the other. */
export function replicaFinding({ isStandby, lastChange, mark, primary }: ReplicaFacts): Finding {
  const behind = primary.lastChange - lastChange;
  if (primary.markThere === undefined && lastChange < primary.oldestChange) {
    return warning(
      `ends with change ${lastChange}, which is older than the changes that the primary keeps`,
      'Check that replication runs: pg_stat_replication on the primary, pg_stat_wal_receiver on the replica.',
    );
  }
  if (primary.markThere === undefined || primary.markThere !== mark) {
    return failed(
      `ends with change ${lastChange}, which is not a change of the primary: it has another history, and serves no page`,
      REBUILD,
    );
  }
  if (!isStandby) {
    return failed('was promoted, and does not follow the primary', REBUILD);
  }
  return behind > BEHIND_MAX
    ? warning(
        `is ${behind} changes behind the primary`,
        'Check the replay of the replica: pg_last_xact_replay_timestamp().',
      )
    : ok(`has the history of the primary, ${Math.max(0, behind)} changes behind`);
}
