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

  it('uses the callback URL of this audience and provider', async () => {
    await answer({ subject: 'u1' }, { provider: github, audience: 'operator' });
    const [sent, completed] = github.callbackUrls;
    expect(sent).to.equal('https://oddswire.example/operator/github/callback');
    expect(completed).to.match(/^https:\/\/oddswire\.example\/operator\/github\/callback\?code=/);
  });

  it('fails for another provider or audience, and with another secret or none', async () => {
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
      // The provider has signed the person in, so only the callback is wrong.
      const query = (at.provider === 'github' ? github : oidc).approve(url, { ...ada, groups: ['ops'] });
      expect(
        await use.complete({ ...at, query }, { secret: brought(secret), previous: null }, HERE),
        JSON.stringify(at),
      ).to.equal('failed');
    }
    expect(await signIn.accounts.findByEmail(ADA)).to.equal(null);
  });

  it('fails with the callback of another flow, and if the provider refuses', async () => {
    const [mine, other] = [await began(), await began()];
    const query = oidc.approve(other.url, ada);
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

  it('succeeds once, even if the browser returns ten times concurrently', async () => {
    const { url, secret } = await began();
    const at = { provider: 'oidc', audience: 'dashboard', query: oidc.approve(url, ada) } as const;
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => use.complete(at, { secret, previous: null }, HERE)),
    );
    expect(answers.filter((session) => typeof session !== 'string')).to.have.length(1);
    const again = { ...at, query: oidc.approve(url, ada) };
    expect(await use.complete(again, { secret, previous: null }, HERE)).to.equal('failed');
  });

  it('is valid for less than 10 minutes, to the microsecond', async () => {
    const at = { provider: 'oidc', audience: 'dashboard' } as const;
    const [late, timely] = [await began(), await began()];
    signIn.clock.at = plus(NOON, 10 * MINUTE);
    expect(
      await use.complete(
        { ...at, query: oidc.approve(late.url, ada) },
        { secret: late.secret, previous: null },
        HERE,
      ),
    ).to.equal('failed');
    signIn.clock.at = plus(NOON, 10 * MINUTE - MICROSECOND);
    const query = oidc.approve(timely.url, ada);
    expect(await use.complete({ ...at, query }, { secret: timely.secret, previous: null }, HERE)).not.to.be.a(
      'string',
    );
  });

  it('cannot begin at an unknown provider, or too often', async () => {
    expect(await use.begin('nobody', 'dashboard', HERE)).to.equal(null);
    for (let i = 0; i < 30; i += 1) await began();
    expect(await use.begin('oidc', 'dashboard', HERE)).to.deep.equal({
      outcome: 'too many',
      retryAfterSeconds: 600,
    });
    expect((await use.begin('oidc', 'dashboard', client('192.0.2.2')))?.outcome).to.equal('begun');
  });

  it('reports an unavailable provider, at the redirect and at the callback', async () => {
    const { url, secret } = await began();
    oidc.isAway = true;
    await unavailability(use.begin('oidc', 'dashboard', HERE));
    const at = { provider: 'oidc', audience: 'dashboard', query: oidc.approve(url, ada) } as const;
    await unavailability(use.complete(at, { secret, previous: null }, HERE));
  });

  it('stores only the hash of the browser’s secret', async () => {
    const { secret, url } = await began();
    const at = { provider: 'oidc', audience: 'dashboard', query: oidc.approve(url, ada) } as const;
    await use.complete(at, { secret, previous: null }, HERE);
    expect(secret).to.match(/^[\w-]{43}$/);
    expect(url).not.to.include(secret);
    expect(JSON.stringify(signIn.given)).to.include(signIn.secrets.hash(secret)).and.not.include(secret);
  });
});
