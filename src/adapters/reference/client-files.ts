import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { ownValue } from '../../domain/own-value.js';
import { answerProblem } from '../http/answer/problem.js';
import type { DocumentRoute } from '../http/public-api.js';

/** A package of a client, as the build has written it (D132). */
export type ClientFile = {
  readonly name: string;
  readonly language: string;
  /** The command that installs it, before its address. */
  readonly installer: string;
  readonly type: string;
  readonly bytes: Buffer;
  /** In hexadecimal digits, as `sha256sum` prints it. */
  readonly sha256: string;
};

/** The compiled program has the packages beside its code (`scripts/setup.mjs`). */
const FOLDER = new URL('../../../clients/', import.meta.url);
const ADDRESS = '/clients';
/** A build between two releases has the same name as the next one, with other content. */
const UNRELEASED = /dev/;

/** What installs a package, by the end of its name. In the order in which pages list them. */
// biome-ignore format: a table is read by its columns
const KINDS: Readonly<Record<string, Pick<ClientFile, 'language' | 'installer' | 'type'>>> = {
  tgz: { language: 'TypeScript and JavaScript', installer: 'npm install', type: 'application/gzip' },
  whl: { language: 'Python',                    installer: 'pip install', type: 'application/zip' },
};

let known: readonly ClientFile[] | undefined;

/** The packages of this build. They are read once. */
function clientFiles(): readonly ClientFile[] {
  known ??= Object.keys(KINDS).flatMap(readKind);
  return known;
}

function readKind(end: string): readonly ClientFile[] {
  const kind = ownValue(KINDS, end);
  if (kind === undefined || !existsSync(FOLDER)) return [];
  const names = readdirSync(FOLDER).filter((name) => name.endsWith(`.${end}`));
  return names.sort().map((name) => {
    const bytes = readFileSync(new URL(name, FOLDER));
    return { name, ...kind, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
  });
}

const clientUrl = ({ name }: ClientFile, publicUrl: string): string => `${publicUrl}${ADDRESS}/${name}`;

const installLine = (file: ClientFile, publicUrl: string): string =>
  `${file.installer} ${clientUrl(file, publicUrl)}`;

/** The commands that install the clients, as Markdown. `end`: only the packages whose names end like this. */
export function installCommands(publicUrl: string, end = ''): string {
  const lines = clientFiles()
    .filter(({ name }) => name.endsWith(end))
    .map((file) => installLine(file, publicUrl));
  return ['```sh', ...lines, '```'].join('\n');
}

/** The hashes of the packages, as a Markdown list. */
export const clientHashes = (publicUrl: string): string =>
  clientFiles()
    .map(
      (file) =>
        `- [${file.name}](${clientUrl(file, publicUrl)}): ${file.language}; SHA-256 \`${file.sha256}\``,
    )
    .join('\n');

/** As the index lists them, for programs. The schema is `Index`. */
export const listedClients = (publicUrl: string) =>
  clientFiles().map((file) => ({
    language: file.language,
    url: clientUrl(file, publicUrl),
    sha256: file.sha256,
    install: installLine(file, publicUrl),
  }));

/** GET /clients/{file} */
export const clientRoute: DocumentRoute = {
  at: `${ADDRESS}/:file`,
  isPacked: true,
  get: (ctx) => {
    const file = clientFiles().find(({ name }) => name === ctx.params['file']);
    if (file === undefined) {
      const named = clientFiles().map(({ name }) => `${ADDRESS}/${name}`);
      return answerProblem(ctx, 'not_found', {
        detail: `This version of the service has: ${named.join(', ')}.`,
      });
    }
    const cache = UNRELEASED.test(file.name) ? 'public, no-cache' : 'public, max-age=31536000, immutable';
    ctx.set({ 'Cache-Control': cache, ETag: `"${file.sha256}"`, 'Content-Type': file.type });
    ctx.body = file.bytes;
  },
};
