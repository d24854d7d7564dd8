import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Tokens } from '../../domain/sign-in/internal-tokens.js';

/**
 * The generated tokens of the internal listener. They are stored in a file that only its owner may read, so that commands
 * like `npm run import` find them.
 */
export function tokenFile(stateDir: string): { readonly path: string; readonly tokens: Tokens } {
  const path = join(stateDir, 'tokens.json');
  const stored = readTokens(path);
  if (stored !== null) return { path, tokens: stored };
  const tokens: Tokens = { operator: token('op'), publisher: token('pub') };
  mkdirSync(stateDir, { recursive: true });
  // A write to an existing file would not change its mode.
  rmSync(path, { force: true });
  writeFileSync(path, `${JSON.stringify(tokens)}\n`, { mode: 0o600 });
  return { path, tokens };
}

const token = (kind: string): string => `${kind}_${randomBytes(24).toString('base64url')}`;

const isToken = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Null if the file is missing or invalid. Then new tokens are generated. */
function readTokens(path: string): Tokens | null {
  try {
    const { operator, publisher } = JSON.parse(readFileSync(path, 'utf8')) as Record<keyof Tokens, unknown>;
    return isToken(operator) && isToken(publisher) ? { operator, publisher } : null;
  } catch {
    return null;
  }
}
