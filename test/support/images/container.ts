import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The settings of an image, as `buildah inspect` prints them. */
export type ImageSettings = {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
  readonly Volumes: Readonly<Record<string, object>>;
  readonly Healthcheck: { readonly Test: readonly string[] };
};

export type ContainerParts = {
  /** The unpacked image. */
  readonly root: string;
  readonly settings: ImageSettings;
  /** The folder that is mounted as the only volume. */
  readonly volume: string;
};

const SCRIPT = `set -e
root=$1 volume=$2 volume_path=$3 user=$4 folder=$5; shift 5
mount --bind "$root" "$root"
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount --bind "$volume" "$root$volume_path"
mount -o remount,ro,bind "$root"
exec chroot --userspec="$user" "$root" /bin/env -i /bin/sh -c 'cd "$0" && exec /bin/env "$@"' "$folder" "$@"`;

/**
 * The program and the parameters that run a command of an image as a container engine does with `--read-only`: in its own
 * process and mount namespaces, as process 1, as the user of the image, with a read-only root file system and one volume.
 * The network is that of the machine.
 */
export function containerCommand(
  { root, settings, volume }: ContainerParts,
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): readonly [string, readonly string[]] {
  const { Env, User, WorkingDir, Volumes } = settings;
  const [volumePath = ''] = Object.keys(Volumes);
  const variables = [...Env, ...Object.entries(environment).map(([name, value]) => `${name}=${value}`)];
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child'];
  const parameters = [root, volume, volumePath, User, WorkingDir, ...variables, ...command];
  return ['unshare', [...namespaces, 'sh', '-c', SCRIPT, 'container', ...parameters]];
}

export type FirstProcess = {
  /** Its id on the machine. */
  readonly pid: number;
  readonly idInContainer: number;
  readonly user: number;
  readonly commandLine: readonly string[];
};

/** The first process of the container that `containerCommand` has started. */
export function firstProcess(unshare: number): FirstProcess {
  const proc = (pid: number, file: string) => readFileSync(join('/proc', String(pid), file), 'utf8');
  const pid = Number(proc(unshare, join('task', String(unshare), 'children')));
  const status = proc(pid, 'status');
  return {
    pid,
    idInContainer: Number(/^NSpid:.*\t(\d+)$/m.exec(status)?.[1]),
    user: Number(/^Uid:\t(\d+)/m.exec(status)?.[1]),
    commandLine: proc(pid, 'cmdline').split('\0').slice(0, -1),
  };
}
