import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The token, and where it was found: what may be told of it. */
export type PublisherToken = { readonly value: string; readonly from: string };

/** The token to publish with: the one that is set, or the one that the service made for itself (D30). */
export async function publisherToken(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<PublisherToken | { readonly failed: string }> {
  const path = join(environment['STATE_DIR'] || './var', 'tokens.json');
  const set = environment['PUBLISHER_TOKEN'];
  const token = set ? { value: set, from: 'PUBLISHER_TOKEN' } : { value: await kept(path), from: path };
  if (token.value === undefined) {
    return {
      failed: `no publisher token: set PUBLISHER_TOKEN to the one the service runs with (or STATE_DIR to its state folder; there is none in ${path})`,
    };
  }
  // Anything else cannot be sent in a header, and the error of `fetch` would quote it.
  if (!/^[\x21-\x7e]+$/.test(token.value)) {
    return { failed: `the token of ${token.from} must be printable ASCII without spaces` };
  }
  return { value: token.value, from: token.from };
}

/** Undefined when there is no such file, or none that can be read as one. */
async function kept(path: string): Promise<string | undefined> {
  try {
    const { publisher } = JSON.parse(await readFile(path, 'utf8')) as { readonly publisher?: unknown };
    return typeof publisher === 'string' && publisher !== '' ? publisher : undefined;
  } catch {
    return undefined;
  }
}
