import { expect } from 'chai';
import type { Audience } from '../../../src/domain/sign-in/sign-in.js';
import { client, type Person, ProviderInMemory, type SignIn, signInInMemory } from './sign-in.js';

/** The address of the browser that signs in. */
export const HERE = client('192.0.2.1');
export const ADA = 'ada@example.org';

/** Somebody at a provider. */
export const ada: Person = { subject: 'u1', email: ADA };

type Way = {
  readonly provider?: ProviderInMemory;
  readonly audience?: Audience;
  /** The session that the browser had before. */
  readonly previous?: string | null;
};

/** A service with two providers, where members of the group `ops` are operators. */
export function providerSignIn() {
  const signIn = signInInMemory();
  const [oidc, github] = [new ProviderInMemory('oidc'), new ProviderInMemory('github')];
  return { signIn, oidc, github, ...throughProvider(signIn.byProvider([oidc, github], 'ops'), oidc) };
}

/** The steps of a sign-in, by the provider that is named or else by this one. */
export function throughProvider(use: ReturnType<SignIn['byProvider']>, standard: ProviderInMemory) {
  const began = async (provider = standard, audience: Audience = 'dashboard') => {
    const begun = await use.begin(provider.id, audience, HERE);
    return begun?.outcome === 'begun' ? begun : expect.fail('not begun');
  };
  /** All the way there and back. */
  const answer = async (
    person: Person,
    { provider = standard, audience = 'dashboard', previous = null }: Way = {},
  ) => {
    const { url, secret } = await began(provider, audience);
    const query = provider.lets(url, person);
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
