import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { distributionProgram, type Program } from '../packages/distribution-program.js';

/** buildah with its own store of images, in a folder. */
export type Buildah = {
  readonly run: (...args: readonly string[]) => Promise<string>;
  /** Builds an image in the format of Docker, the only one that has health checks. */
  readonly build: (name: string, ...args: readonly string[]) => Promise<void>;
  /** Creates a container of an image. Returns the folder that is its root file system. */
  readonly unpack: (image: string) => Promise<string>;
  readonly remove: () => Promise<void>;
};

/** Undefined if the machine cannot run it: it needs Linux, root, and Debian or Ubuntu unless it is installed. */
export function findBuildah(folder: string): Buildah | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
  const program = distributionProgram({ name: 'buildah', inPackage: 'buildah', path: 'usr/bin/buildah' });
  if (program === undefined || !existsSync('/usr/bin/unshare')) return undefined;
  mkdirSync(folder, { recursive: true });
  // The policy for images from elsewhere: there are none.
  const policy = join(folder, 'policy.json');
  writeFileSync(policy, JSON.stringify({ default: [{ type: 'insecureAcceptAnything' }] }));
  const [file = '', ...prefix] = commandOf(program, folder);
  const store = [
    '--storage-driver',
    'vfs',
    '--root',
    join(folder, 'store'),
    '--runroot',
    join(folder, 'run'),
  ];
  const run = async (...args: readonly string[]) => {
    const { stdout } = await promisify(execFile)(file, [...prefix, ...store, ...args], {
      maxBuffer: 64_000_000,
    });
    return stdout.trim();
  };
  const ofPolicy = ['--pull-never', '--signature-policy', policy];
  return {
    run,
    build: async (name, ...args) => {
      await run('bud', ...ofPolicy, '--isolation', 'chroot', '--format', 'docker', '--tag', name, ...args);
    },
    unpack: async (image) => run('mount', await run('from', ...ofPolicy, image)),
    remove: async () => {
      await run('rm', '--all');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * buildah starts itself again with an empty environment, so that it cannot find its libraries by `LD_LIBRARY_PATH`. Its
 * processes therefore see a cache of the dynamic linker that has the folders of its package. Other processes do not.
 */
function commandOf({ file, environment }: Program, folder: string): readonly string[] {
  const { LD_LIBRARY_PATH: libraries = '' } = environment;
  if (libraries === '') return [file];
  const [settings, cache] = [join(folder, 'ld.so.conf'), join(folder, 'ld.so.cache')];
  writeFileSync(settings, `${libraries.replaceAll(':', '\n')}\ninclude /etc/ld.so.conf\n`);
  execFileSync('/sbin/ldconfig', ['-X', '-C', cache, '-f', settings]);
  const script = 'mount --bind "$0" /etc/ld.so.cache && exec "$@"';
  return ['unshare', '--mount', 'sh', '-c', script, cache, file];
}
