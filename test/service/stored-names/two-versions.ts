import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import type { MailServer } from '../../support/servers/mail-server.js';
import type { OpenIdProvider } from '../../support/servers/openid-provider.js';
import type { StripeStub } from '../../support/servers/stripe-stub.js';
import type { Client } from '../../support/service/client.js';
import type { Instance } from '../../support/service/running-service.js';
import { Visitor } from '../../support/service/visitor.js';
import { VERSION_BEFORE } from '../../support/versions/version-before.js';

/** One running version, on the same Postgres and Redis as the other one. */
export type Version = { readonly instance: Instance; readonly client: Client };

/** Both versions and the servers that they use. The suites share them and assume nothing about their contents. */
export type TwoVersions = {
  readonly before: Version;
  readonly present: Version;
  readonly redisUrl: string;
  readonly mail: MailServer;
  readonly stripe: StripeStub;
  readonly openId: OpenIdProvider;
};

export type RunningVersions = () => TwoVersions;

const NAMES = { before: VERSION_BEFORE, present: 'this version' } as const;

type Check = (writer: Version, reader: Version, versions: TwoVersions) => Promise<void>;

/** Two tests: what either version writes, the other one reads. */
export function bothWays(versions: RunningVersions, title: string, check: Check): void {
  for (const [writer, reader] of [
    ['before', 'present'],
    ['present', 'before'],
  ] as const) {
    it(`${title}: ${NAMES[writer]} writes, ${NAMES[reader]} reads`, () => {
      const both = versions();
      return check(both[writer], both[reader], both);
    });
  }
}

/**
 * What both versions answer for the same path of the internal API: it must be the same. Each stores the uses of keys that
 * it noted when it is asked, so the reader is asked again where the writer stored a later use.
 */
export async function sameAnswer<View>(writer: Version, reader: Version, path: string): Promise<View> {
  const ask = async ({ client }: Version) => {
    const { status, json } = await client.operate('GET', `/internal/v1${path}`);
    return { status, json: withoutDifferences(json) };
  };
  const [first, written] = [await ask(reader), await ask(writer)];
  expect([first.status, written.status], path).to.deep.equal([200, 200]);
  const read = isDeepStrictEqual(first, written) ? first : await ask(reader);
  expect(read).to.deep.equal(written);
  return read.json as View;
}

/**
 * The previous version ends an overlap 24 hours after the rotation, this one 24 hours after the first use (D23). It has no controls
 * of keys (D72).
 */
const DIFFERENT: readonly string[] = [
  'overlap_ends_at',
  'expires_at',
  'allowed_addresses',
  'requests_per_minute',
  'requests_per_day',
];

const withoutDifferences = (json: unknown): unknown =>
  JSON.parse(JSON.stringify(json, (name, value) => (DIFFERENT.includes(name) ? undefined : value)));

/** A browser at one of the versions. */
export const browserAt = ({ instance }: Version): Visitor => new Visitor(instance.url);

/** Asks for a sign-in link, and answers its path from the mail. */
export async function askForLink(browser: Visitor, mail: MailServer, email: string): Promise<string> {
  const known = mail.mails.filter(({ to }) => to === email).length;
  expect((await browser.submit('/dashboard/sign-in', { email })).status).to.equal(200);
  const mails = await mail.arrived(({ to }) => to === email, known + 1);
  const [, path = ''] = /http:\/\/[^/]+(\/\S+)/.exec(mails.at(-1)?.text ?? '') ?? [];
  return path;
}

let addresses = 0;

/** A client address whose subnet no other test uses, as a header of the proxy in front. */
export function freshAddress(): { readonly 'X-Forwarded-For': string } {
  addresses += 1;
  return { 'X-Forwarded-For': `10.${Math.floor(addresses / 250)}.${addresses % 250}.7` };
}
