import { expect } from 'chai';
import { SignInByLink } from '../../../src/application/sign-in/sign-in-by-link.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { accepted } from '../../support/objects/builders.js';
import { unavailability } from '../../support/service/faults.js';
import { client, emailAddress, type SignIn, signInInMemory } from '../../support/service/sign-in.js';

const HERE = client('192.0.2.1');

describe('Clients of one subnet without an account', () => {
  let signIn: SignIn;
  beforeEach(() => {
    signIn = signInInMemory({ mailsPerDay: 2, accountsPerDay: 1 });
  });

  let people = 0;
  const newcomer = () => {
    people += 1;
    return emailAddress(`newcomer-${people}@example.org`);
  };
  const holder = async () => {
    const email = newcomer();
    accepted(await signIn.openAccount({ email, plan: 'free', processorCustomerId: null }, 'operator'));
    return email;
  };
  const ask = (email = newcomer()) => signIn.byLink.ask(email, HERE);
  const open = (email = newcomer(), subnet = HERE.subnet) => signIn.findOrOpenAccount(email, subnet);

  it('get mails up to the limit; beyond it the answer is the same, without a mail', async () => {
    for (let i = 0; i < 3; i += 1) expect((await ask()).outcome).to.equal('asked');
    expect(signIn.mailbox.links).to.have.length(2);
  });

  it('lose no permit to a mail server that did not accept the mail', async () => {
    signIn.mailbox.delivery = 'not now';
    for (let i = 0; i < 5; i += 1) expect(await ask()).to.deep.equal({ outcome: 'mail unavailable' });
    signIn.mailbox.delivery = 'sent';
    for (let i = 0; i < 2; i += 1) await ask();
    expect(signIn.mailbox.links).to.have.length(5 + 2);
  });

  it('cannot recognise an address with an account by the time of the answer beyond the limit', async () => {
    for (let i = 0; i < 2; i += 1) await ask();
    let isMailing = false;
    const slow = new SignInByLink({
      ...signIn,
      clock: () => signIn.clock.at,
      // The mail server never answers.
      mail: () => {
        isMailing = true;
        return new Promise(() => {});
      },
      report: () => {},
      urlOf: (secret) => secret,
    });
    const answers = [await slow.ask(newcomer(), HERE), await slow.ask(await holder(), HERE)];
    expect(answers.map(({ outcome }) => outcome)).to.deep.equal(['asked', 'asked']);
    while (!isMailing) await new Promise(setImmediate);
  });

  it('do not learn that a mail failed after the answer; the operator does', async () => {
    for (let i = 0; i < 2; i += 1) await ask();
    const email = await holder();
    const fault = new Unavailable('one-time tokens');
    signIn.oneTimeTokens.keep = () => Promise.reject(fault);
    expect((await ask(email)).outcome).to.equal('asked');
    while (signIn.reported.length === 0) await new Promise(setImmediate);
    expect(signIn.reported).to.deep.equal([fault]);
  });

  it('open accounts up to the limit; existing accounts are always found', async () => {
    const email = newcomer();
    const account = accepted(await open(email));
    expect(await open()).to.deep.include({ refused: 'rate_limited', retryAfterSeconds: 43_200 });
    expect(await open(email)).to.deep.equal(account);
    accepted(await open(newcomer(), client('192.0.3.1').subnet));
  });

  it('lose no permit to an unavailable store, nor to opening the same account twice concurrently', async () => {
    const { findByEmail } = signIn.accounts;
    signIn.accounts.findByEmail = async () => null;
    const opening = signIn.accounts.open;
    signIn.accounts.open = () => Promise.reject(new Unavailable('Postgres'));
    for (let i = 0; i < 5; i += 1) await unavailability(open());
    signIn.accounts.open = opening;
    signIn.accounts.findByEmail = findByEmail;
    const email = newcomer();
    const other = signInInMemory({ accountsPerDay: 2 });
    const both = await Promise.all([1, 2].map(() => other.findOrOpenAccount(email, HERE.subnet)));
    expect(both[0]).to.deep.equal(both[1]);
    accepted(await other.findOrOpenAccount(newcomer(), HERE.subnet));
    accepted(await open());
  });
});
