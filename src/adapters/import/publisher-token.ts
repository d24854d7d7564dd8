import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The token, and where it was found. Messages may contain only `from`. */
export type PublisherToken = { readonly value: string; readonly from: string };

/** The publisher token: from the environment, else the one that the service generated (D30). */
export async function publisherToken(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<PublisherToken | { readonly failed: string }> {
  const path = join(environment['STATE_DIR'] || './var', 'tokens.json');
  const given = environment['PUBLISHER_TOKEN'];
  const token = given
    ? { value: given, from: 'PUBLISHER_TOKEN' }
    : { value: await storedToken(path), from: path };
  if (token.value === undefined) {
    return {
      failed: `no publisher token in ${path}: set PUBLISHER_TOKEN to the token of the service, or STATE_DIR to its state folder`,
    };
  }
  // A header cannot carry other characters, and the error of `fetch` would contain the token.
  if (!/^[\x21-\x7e]+$/.test(token.value)) {
    return { failed: `the token in ${token.from} must be printable ASCII without spaces` };
  }
  return { value: token.value, from: token.from };
}

/** Undefined if the file is missing or invalid. */
async function storedToken(path: string): Promise<string | undefined> {
  try {
    const { publisher } = JSON.parse(await readFile(path, 'utf8')) as { readonly publisher?: unknown };
    return typeof publisher === 'string' && publisher !== '' ? publisher : undefined;
  } catch {
    return undefined;
  }
}
