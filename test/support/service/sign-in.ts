import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { MemoryIdentities } from '../../../src/adapters/memory/sign-in/memory-identities.js';
import { MemoryOneTimeTokens } from '../../../src/adapters/memory/sign-in/memory-one-time-tokens.js';
import { MemorySessions } from '../../../src/adapters/memory/sign-in/memory-sessions.js';
import { randomSecrets } from '../../../src/adapters/system/random-ids.js';
import { countAttempt } from '../../../src/application/limits/count-attempt.js';
import { Quotas } from '../../../src/application/limits/quotas.js';
import type { Delivery, MailSignInLink } from '../../../src/application/ports/accounts/mailer.js';
import type {
  IdentityProvider,
  ProvenIdentity,
} from '../../../src/application/ports/sign-in/identity-provider.js';
import type { OneTimeTokens } from '../../../src/application/ports/sign-in/one-time-tokens.js';
import { findOrOpenAccount } from '../../../src/application/sign-in/find-or-open-account.js';
import { findSession } from '../../../src/application/sign-in/find-session.js';
import { forgetIdentities } from '../../../src/application/sign-in/forget-identities.js';
import { signInAsOperator } from '../../../src/application/sign-in/sign-in-as-operator.js';
import { SignInByLink } from '../../../src/application/sign-in/sign-in-by-link.js';
import { SignInByProvider } from '../../../src/application/sign-in/sign-in-by-provider.js';
import { signOutEverywhere } from '../../../src/application/sign-in/sign-out-everywhere.js';
import { type StartedSession, startSession } from '../../../src/application/sign-in/start-session.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { type EmailAddress, readEmailAddress } from '../../../src/domain/accounts/email-address.js';
import { type ClientGroups, mailsWithoutAccount, newAccounts } from '../../../src/domain/limits/attempt.js';
import type { Audience } from '../../../src/domain/sign-in/sign-in.js';
import { accountsInMemory } from './accounts.js';

export function emailAddress(text: string): EmailAddress {
  const email = readEmailAddress(text);
  if (email === undefined) throw new Error(`not an email address: ${text}`);
  return email;
}

type MailedLink = { readonly to: string } & Parameters<MailSignInLink>[1];

/** A client at this IPv4 address, with the groups by which attempts are counted. */
export const client = (address: string): ClientGroups => ({
  address,
  subnet: address.replace(/\.\d+$/, '.0/24'),
});

type Limits = { readonly mailsPerDay?: number; readonly accountsPerDay?: number };

/** Sign-in in memory, composed as in the service. Tests set the clock. */
export function signInInMemory({ mailsPerDay = 1_000, accountsPerDay = 1_000 }: Limits = {}) {
  const service = accountsInMemory();
  const clock = () => service.clock.at;
  const mailbox: { readonly links: MailedLink[]; delivery: Delivery } = { links: [], delivery: 'sent' };
  /** All arguments that the store of one-time tokens was given. */
  const given: unknown[] = [];
  const oneTimeTokens = recording(new MemoryOneTimeTokens(), given);
  const [sessions, identities] = [new MemorySessions(), new MemoryIdentities(service.stored)];
  /** The sessions started by providers, newest last. */
  const begun: StartedSession[] = [];
  const reported: unknown[] = [];
  const starting = { sessions, secrets: randomSecrets, clock };
  const everywhere = signOutEverywhere({ oneTimeTokens, sessions });
  const counting = { counters: service.counters, clock };
  const common = {
    oneTimeTokens,
    sessions,
    secrets: randomSecrets,
    clock,
    countAttempt: countAttempt(counting),
    findOrOpenAccount: findOrOpenAccount({
      ...service,
      newAccounts: new Quotas({ ...counting, policy: newAccounts(accountsPerDay) }),
    }),
    mailsWithoutAccount: new Quotas({ ...counting, policy: mailsWithoutAccount(mailsPerDay) }),
    startSession: startSession(starting),
  };
  return {
    ...common,
    ...service,
    identities,
    mailbox,
    given,
    findSession: findSession(starting),
    signOutEverywhere: everywhere,
    forgetIdentities: forgetIdentities({ identities, signOutEverywhere: everywhere, clock }),
    byLink: new SignInByLink({
      ...common,
      accounts: service.accounts,
      report: (fault) => void reported.push(fault),
      mail: async (to, link) => {
        mailbox.links.push({ to, ...link });
        return mailbox.delivery;
      },
      urlOf: (secret) => `https://oddswire.example/link?token=${secret}`,
    }),
    begun,
    reported,
    byProvider: (
      providers: readonly IdentityProvider[],
      operatorGroup?: string,
      /** Wraps the start of each session. */
      around = (start: () => Promise<StartedSession>) => start(),
    ) =>
      new SignInByProvider({
        ...common,
        startSession: (...parts) =>
          around(async () => {
            const session = await common.startSession(...parts);
            begun.push(session);
            return session;
          }),
        identities,
        providers,
        operatorGroup,
        callbackUrlOf: (audience, id) => `https://oddswire.example/${audience}/${id}/callback`,
      }),
    asOperator: (token: string, noted: (readonly [isCorrect: boolean, address: string])[] = []) =>
      signInAsOperator({ ...common, token, note: (...seen) => void noted.push(seen) }),
  };
}

export type SignIn = ReturnType<typeof signInInMemory>;

const recording = (oneTimeTokens: OneTimeTokens, given: unknown[]): OneTimeTokens => ({
  keep: (...parts) => {
    given.push(parts);
    return oneTimeTokens.keep(...parts);
  },
  find: (hash) => {
    given.push(hash);
    return oneTimeTokens.find(hash);
  },
  take: (hash) => {
    given.push(hash);
    return oneTimeTokens.take(hash);
  },
  removeLinks: (email) => oneTimeTokens.removeLinks(email),
});

/** A person at a provider, with the email address as the provider writes it. */
export type Person = Partial<Omit<ProvenIdentity, 'email'>> & {
  readonly subject: string;
  readonly email?: string | null;
};

/** A provider in this process. Each sign-in that a test allows (`lets`) completes once, in the flow that began it. */
export class ProviderInMemory implements IdentityProvider {
  readonly id: string;
  readonly name = 'Provider of the tests';
  readonly callbackUrls: string[] = [];
  isAway = false;
  readonly #proven = new Map<string, ProvenIdentity>();

  constructor(id: string) {
    this.id = id;
  }

  async begin(callbackUrl: string) {
    if (this.isAway) throw new Unavailable('the provider of the tests');
    this.callbackUrls.push(callbackUrl);
    const state = randomUUID();
    const flow = { state, nonce: randomUUID(), codeVerifier: randomUUID() };
    return { url: `https://id.example/authorize?state=${state}`, flow };
  }

  /** The query of the callback URL after this person signed in. */
  approve(url: string, person: Person): string {
    const code = randomUUID();
    const email = readEmailAddress(person.email ?? '') ?? null;
    this.#proven.set(code, { issuer: `https://${this.id}.example`, groups: [], ...person, email });
    return `code=${code}&state=${new URL(url).searchParams.get('state')}`;
  }

  async complete(answeredUrl: string, flow: { readonly state: string }): Promise<ProvenIdentity | null> {
    if (this.isAway) throw new Unavailable('the provider of the tests');
    this.callbackUrls.push(answeredUrl);
    const { searchParams } = new URL(answeredUrl);
    const code = searchParams.get('code') ?? '';
    const proven = this.#proven.get(code) ?? null;
    this.#proven.delete(code);
    return searchParams.get('state') === flow.state ? proven : null;
  }
}

/** The client address of the browser that signs in. */
export const HERE = client('192.0.2.1');
export const ADA = 'ada@example.org';

/** A person at a provider. */
export const ada: Person = { subject: 'u1', email: ADA };

type SignInOptions = {
  readonly provider?: ProviderInMemory;
  readonly audience?: Audience;
  /** The previous session of the browser. */
  readonly previous?: string | null;
};

/** A service with two providers, where members of the group `ops` are operators. */
export function providerSignIn() {
  const signIn = signInInMemory();
  const [oidc, github] = [new ProviderInMemory('oidc'), new ProviderInMemory('github')];
  return { signIn, oidc, github, ...throughProvider(signIn.byProvider([oidc, github], 'ops'), oidc) };
}

/** The steps of a sign-in through a provider; `standard` is the default. */
export function throughProvider(use: ReturnType<SignIn['byProvider']>, standard: ProviderInMemory) {
  const began = async (provider = standard, audience: Audience = 'dashboard') => {
    const begun = await use.begin(provider.id, audience, HERE);
    return begun?.outcome === 'begun' ? begun : expect.fail('not begun');
  };
  /** The complete sign-in, from the first step to the callback. */
  const answer = async (
    person: Person,
    { provider = standard, audience = 'dashboard', previous = null }: SignInOptions = {},
  ) => {
    const { url, secret } = await began(provider, audience);
    const query = provider.approve(url, person);
    return use.complete({ provider: provider.id, audience, query }, { secret, previous }, HERE);
  };
  const started = async (...parts: Parameters<typeof answer>) => {
    const session = await answer(...parts);
    if (typeof session === 'string') return expect.fail(session);
    return 'refused' in session ? expect.fail(session.refused) : session;
  };
  const holder = async (...parts: Parameters<typeof answer>) => (await started(...parts)).session.holder;
  return { use, began, answer, started, holder };
}
