import { expect } from 'chai';
import { SignInByLink } from '../../../src/application/sign-in/sign-in-by-link.js';
import { accepted } from '../../support/objects/builders.js';
import { client, emailAddress, type SignIn, signInInMemory } from '../../support/service/sign-in.js';

const HERE = client('192.0.2.1');
const ADA = emailAddress('ada@example.org');

describe('Signing out everywhere while a mailed link is opened', () => {
  let signIn: SignIn;
  beforeEach(() => {
    signIn = signInInMemory();
  });

  /** The steps of opening a link, in order. The holder signs out before or after one of them. */
  const STEPS = ['find link', 'find account', 'start session', 'take link', 'end session'] as const;
  type Step = (typeof STEPS)[number];

  /** Opens the last mailed link, and runs `interrupt` before or after one of the steps. */
  async function open(step: Step, when: 'before' | 'after', interrupt: () => Promise<void>) {
    const at =
      <Args extends readonly unknown[], T>(name: Step, work: (...args: Args) => Promise<T>) =>
      async (...args: Args): Promise<T> => {
        if (name === step && when === 'before') await interrupt();
        const answer = await work(...args);
        if (name === step && when === 'after') await interrupt();
        return answer;
      };
    const { oneTimeTokens, sessions } = signIn;
    const interrupted = new SignInByLink({
      ...signIn,
      clock: () => signIn.clock.at,
      oneTimeTokens: {
        keep: (...parts) => oneTimeTokens.keep(...parts),
        find: at('find link', (hash) => oneTimeTokens.find(hash)),
        take: at('take link', (hash) => oneTimeTokens.take(hash)),
        removeLinks: (email) => oneTimeTokens.removeLinks(email),
      },
      sessions: {
        start: (...parts) => sessions.start(...parts),
        find: (hash) => sessions.find(hash),
        note: (...parts) => sessions.note(...parts),
        end: at('end session', (hash) => sessions.end(hash)),
        endAll: (holder) => sessions.endAll(holder),
      },
      findOrOpenAccount: at('find account', signIn.findOrOpenAccount),
      startSession: at('start session', signIn.startSession),
      mail: async () => 'sent',
      report: () => {},
      urlOf: (secret) => secret,
    });
    const url = new URL(signIn.mailbox.links.at(-1)?.url ?? expect.fail('no mail'));
    const previous = await signIn.startSession(await holder(), null);
    const opened = await interrupted.open(url.searchParams.get('token') ?? '', HERE, previous.secret);
    return opened !== null && 'refused' in opened ? expect.fail(opened.refused) : opened;
  }
  const account = async () => accepted(await signIn.findOrOpenAccount(ADA, HERE.subnet));
  const holder = async () => ({ kind: 'account', account: (await account()).id }) as const;

  for (const step of STEPS) {
    for (const when of ['before', 'after'] as const) {
      it(`leaves no session by a link that was mailed before: ${when} the step “${step}”`, async () => {
        await signIn.byLink.ask(ADA, HERE);
        const { id, email } = await account();
        const opened = await open(step, when, () => signIn.signOutEverywhere({ id, email }));
        const session = opened === null ? null : await signIn.findSession(opened.secret);
        expect(session).to.equal(null);
      });
    }
  }

  it('ends no session of a browser whose link was used', async () => {
    await signIn.byLink.ask(ADA, HERE);
    const kept = await signIn.startSession(await holder(), null);
    const token = new URL(signIn.mailbox.links.at(-1)?.url ?? '').searchParams.get('token') ?? '';
    await signIn.oneTimeTokens.removeLinks(ADA);
    expect(await signIn.byLink.open(token, HERE, kept.secret)).to.equal(null);
    expect(await signIn.findSession(kept.secret)).to.deep.equal(kept.session);
  });
});
