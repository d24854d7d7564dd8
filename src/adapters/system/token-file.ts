import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Tokens } from '../../domain/sign-in/internal-tokens.js';

/**
 * The tokens of the internal listener for who has set none: made once, and kept in a file that only
 * its owner may read, so that the commands beside the service find them too.
 */
export function tokenFile(stateDir: string): { readonly path: string; readonly tokens: Tokens } {
  const path = join(stateDir, 'tokens.json');
  const kept = readTokens(path);
  if (kept !== null) return { path, tokens: kept };
  const tokens: Tokens = { operator: token('op'), publisher: token('pub') };
  mkdirSync(stateDir, { recursive: true });
  // A file that is there already would keep the mode it has.
  rmSync(path, { force: true });
  writeFileSync(path, `${JSON.stringify(tokens)}\n`, { mode: 0o600 });
  return { path, tokens };
}

const token = (kind: string): string => `${kind}_${randomBytes(24).toString('base64url')}`;

const isToken = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Null when there is no file, or none that can be read as one: then new ones are made. */
function readTokens(path: string): Tokens | null {
  try {
    const { operator, publisher } = JSON.parse(readFileSync(path, 'utf8')) as Record<keyof Tokens, unknown>;
    return isToken(operator) && isToken(publisher) ? { operator, publisher } : null;
  } catch {
    return null;
  }
}
