import { type Finding, failed, ok, warning } from '../../adapters/findings/check.js';
import { streamsAtOnce } from '../../domain/limits/streams.js';

/** Below this limit, ordinary requests, the pools and the log already need all files. */
const FILES_MIN = 512;

/** Judges the limit of open files of one process (null: unlimited, or not known) against the streams that it may have. */
export function openFilesFinding(openFiles: number | null, streamsMax: number): Finding {
  if (openFiles === null) return ok('the system reports no limit of open files');
  const detail = `a process may open ${openFiles} files`;
  const needed = Math.ceil(streamsMax / (streamsAtOnce(1_000_000, 1_000) / 1_000));
  const advice = `Raise the limit to at least ${Math.max(needed, FILES_MIN)}: LimitNOFILE= of systemd, --ulimit nofile= of Docker, or ulimit -n.`;
  if (openFiles < FILES_MIN) return failed(`${detail}, which is too few for connections`, advice);
  const streams = streamsAtOnce(streamsMax, openFiles);
  return streams < streamsMax
    ? warning(
        `${detail}: it keeps at most ${streams} streams open, and not STREAMS_MAX=${streamsMax}`,
        advice,
      )
    : ok(`${detail}, enough for ${streamsMax} streams`);
}
