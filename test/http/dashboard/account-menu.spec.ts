import { expect } from 'chai';
import { operatorOf, signedInHolder, visitorOf } from '../../support/service/visitor.js';

describe('The account menu', () => {
  const { service, holder, visitor } = signedInHolder();

  const linksIn = (html: string, from: string, to: string): readonly string[] => {
    const section = html.slice(html.indexOf(from), html.indexOf(to, html.indexOf(from)));
    return [...section.matchAll(/<a href="([^"]+)"/g)].map(([, path]) => path ?? '');
  };

  it('names the account and its plan, and has links to the docs, the status and the sign-outs', async () => {
    const { html, text } = await visitor().open('/dashboard/keys');
    const email = (await service().parts.accounts.find(holder().account))?.email;
    expect(text).to.include(`${email} Pro plan Docs Status Sign out Sign out everywhere…`);
    const paths = ['/docs', '/status', '/dashboard/sign-out/everywhere'];
    expect(linksIn(html, '<div class="account-menu">', '</header>')).to.deep.equal(paths);
  });

  it('has no plan for an operator', async () => {
    const { text } = await (await operatorOf(service())).open('/operator');
    expect(text)
      .to.include('operator Docs Status Sign out Sign out everywhere…')
      .and.not.include(' plan Docs');
  });

  it('is beside the navigation, whose first page is the feed, to which the brand leads too', async () => {
    const { html } = await visitor().open('/dashboard/keys');
    expect(linksIn(html, '<nav aria-label="Main">', '</nav>')).to.deep.equal(
      ['feed', 'markets', 'keys', 'usage', 'destinations', 'subscription'].map(
        (name) => `/dashboard/${name}`,
      ),
    );
    expect(html).to.include('<a class="brand" href="/dashboard/feed">');
  });

  it('asks once before it signs out everywhere, and only the form of that page does it', async () => {
    const [here, other] = [visitor(), await visitorOf(service(), holder().account)];
    const asked = await here.open('/dashboard/sign-out/everywhere');
    expect([asked.status, asked.text]).to.satisfy(
      ([status, text]: readonly [number, string]) => status === 200 && text.includes('ends every session of'),
    );
    const forged = await here.post('/dashboard/sign-out', { everywhere: 'yes', form_token: 'forged' });
    expect(forged.status).to.equal(403);
    expect((await other.openOnce('/dashboard/keys')).status).to.equal(200);
    await here.open('/dashboard/sign-out/everywhere');
    await here.submit('/dashboard/sign-out', { everywhere: 'yes' });
    expect((await other.openOnce('/dashboard/keys')).status).to.equal(303);
  });

  it('has the same question in the console', async () => {
    const operator = await operatorOf(service());
    const { html, text } = await operator.open('/operator/sign-out/everywhere');
    expect(text).to.include('ends every session of operator');
    expect(html).to.include('action="/operator/sign-out"').and.include('name="everywhere" value="yes"');
  });
});
