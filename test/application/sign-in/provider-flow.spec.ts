import { expect } from 'chai';
import { MICROSECOND, MINUTE, plus } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';
import { unavailability } from '../../support/service/faults.js';
import { ADA, ada, client, HERE, providerSignIn } from '../../support/service/sign-in.js';

describe('A sign-in through a provider', () => {
  let { signIn, oidc, github, use, began, answer } = providerSignIn();
  beforeEach(() => {
    ({ signIn, oidc, github, use, began, answer } = providerSignIn());
  });

  it('sends and asks with the callback of this audience and provider', async () => {
    await answer({ subject: 'u1' }, { provider: github, audience: 'operator' });
    const [sent, asked] = github.callbackUrls;
    expect(sent).to.equal('https://oddswire.example/operator/github/callback');
    expect(asked).to.match(/^https:\/\/oddswire\.example\/operator\/github\/callback\?code=/);
  });

  it('fails at another provider, for another audience, with another secret or none', async () => {
    // biome-ignore format: a table is read by its columns
    const wrong = [
      [{ provider: 'github', audience: 'dashboard' }, (secret: string) => secret],
      [{ provider: 'oidc',   audience: 'operator' },  (secret: string) => secret],
      [{ provider: 'nobody', audience: 'dashboard' }, (secret: string) => secret],
      [{ provider: 'oidc',   audience: 'dashboard' }, () => signIn.secrets.make()],
      [{ provider: 'oidc',   audience: 'dashboard' }, (secret: string) => signIn.secrets.hash(secret)],
      [{ provider: 'oidc',   audience: 'dashboard' }, () => null],
    ] as const;
    for (const [at, brought] of wrong) {
      const { url, secret } = await began();
      // It is proven wherever it is brought.
      const query = (at.provider === 'github' ? github : oidc).lets(url, { ...ada, groups: ['ops'] });
      expect(
        await use.complete({ ...at, query }, { secret: brought(secret), previous: null }, HERE),
        JSON.stringify(at),
      ).to.equal('failed');
    }
    expect(await signIn.accounts.findByEmail(ADA)).to.equal(null);
  });

  it('fails by the answer to another flow, and where the provider says no', async () => {
    const [mine, other] = [await began(), await began()];
    const query = oidc.lets(other.url, ada);
    const at = { provider: 'oidc', audience: 'dashboard' } as const;
    expect(await use.complete({ ...at, query }, { secret: mine.secret, previous: null }, HERE)).to.equal(
      'failed',
    );
    expect(
      await use.complete(
        { ...at, query: 'error=access_denied' },
        { secret: other.secret, previous: null },
        HERE,
      ),
    ).to.equal('failed');
  });

  it('is good once, also where the browser comes back ten times at once', async () => {
    const { url, secret } = await began();
    const at = { provider: 'oidc', audience: 'dashboard', query: oidc.lets(url, ada) } as const;
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => use.complete(at, { secret, previous: null }, HERE)),
    );
    expect(answers.filter((session) => typeof session !== 'string')).to.have.length(1);
    const again = { ...at, query: oidc.lets(url, ada) };
    expect(await use.complete(again, { secret, previous: null }, HERE)).to.equal('failed');
  });

  it('is good for less than 10 minutes, and not at that very moment', async () => {
    const at = { provider: 'oidc', audience: 'dashboard' } as const;
    const [late, timely] = [await began(), await began()];
    signIn.clock.at = plus(NOON, 10 * MINUTE);
    expect(
      await use.complete(
        { ...at, query: oidc.lets(late.url, ada) },
        { secret: late.secret, previous: null },
        HERE,
      ),
    ).to.equal('failed');
    signIn.clock.at = plus(NOON, 10 * MINUTE - MICROSECOND);
    const query = oidc.lets(timely.url, ada);
    expect(await use.complete({ ...at, query }, { secret: timely.secret, previous: null }, HERE)).not.to.be.a(
      'string',
    );
  });

  it('lets nobody begin at a provider that is not there, or too often', async () => {
    expect(await use.begin('nobody', 'dashboard', HERE)).to.equal(null);
    for (let i = 0; i < 30; i += 1) await began();
    expect(await use.begin('oidc', 'dashboard', HERE)).to.deep.equal({
      outcome: 'too many',
      retryAfterSeconds: 600,
    });
    expect((await use.begin('oidc', 'dashboard', client('192.0.2.2')))?.outcome).to.equal('begun');
  });

  it('says that a provider is away, going there and coming back', async () => {
    const { url, secret } = await began();
    oidc.isAway = true;
    await unavailability(use.begin('oidc', 'dashboard', HERE));
    const at = { provider: 'oidc', audience: 'dashboard', query: oidc.lets(url, ada) } as const;
    await unavailability(use.complete(at, { secret, previous: null }, HERE));
  });

  it('keeps of the browser’s secret its hash alone', async () => {
    const { secret, url } = await began();
    const at = { provider: 'oidc', audience: 'dashboard', query: oidc.lets(url, ada) } as const;
    await use.complete(at, { secret, previous: null }, HERE);
    expect(secret).to.match(/^[\w-]{43}$/);
    expect(url).not.to.include(secret);
    expect(JSON.stringify(signIn.given)).to.include(signIn.secrets.hash(secret)).and.not.include(secret);
  });
});
