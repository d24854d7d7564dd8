import { spawnSync } from 'node:child_process';
import { chownSync } from 'node:fs';

/** The user that a server runs as and that owns its files. Empty: the user of the service. */
export type ServerUser = { readonly uid?: number; readonly gid?: number };

/** Postgres refuses to run as root, so a service of root runs it as `postgres` or `nobody`. */
export function serverUser(): ServerUser {
  if (process.getuid?.() !== 0) return {};
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((which) => spawnSync('id', [which, name], { encoding: 'utf8' }));
    if (uid?.status === 0 && gid?.status === 0) return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  }
  return { uid: 65_534, gid: 65_534 };
}

export function giveTo(path: string, { uid, gid }: ServerUser): void {
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}
