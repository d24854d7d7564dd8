import type { Accounts } from '../../../application/ports/accounts/accounts.js';
import type { Account } from '../../../domain/accounts/account.js';
import { readEmailAddress } from '../../../domain/accounts/email-address.js';
import type { KeyFormat } from '../../../domain/keys/key-value.js';
import { answerPage } from '../page/answer.js';
import { FormToken, Layout, type Viewer } from '../page/layout.js';
import { Day } from '../page/moment.js';
import { Notice } from '../page/notice.js';
import type { PageRoute } from '../page-router.js';
import { goTo } from '../state.js';
import type { FormPage, OperatorVisit, Visits } from '../visit.js';
import { accountPath, CONSOLE_PATH } from './addresses.js';

/**
 * Finding an account. What is looked for is sent in a form and never in an address, and shown nowhere: it may be a whole
 * key, of which only the first characters are looked at (D19, D42).
 */
export function searchRoutes(parts: {
  readonly visits: Visits<OperatorVisit>;
  readonly accounts: Accounts;
  readonly keyFormat: KeyFormat;
}): readonly PageRoute[] {
  const { visits, accounts, keyFormat } = parts;

  async function found(text: string): Promise<readonly Account[]> {
    const email = readEmailAddress(text);
    if (email === undefined) return accounts.findByKeyPrefix(keyFormat.shown(text));
    const account = await accounts.findByEmail(email);
    return account === null ? [] : [account];
  }

  const search: FormPage<OperatorVisit> = async (ctx, { viewer }, form) => {
    const text = (form.get('q') ?? '').trim();
    const hits = text === '' ? [] : await found(text);
    const [only, ...others] = hits;
    if (only !== undefined && others.length === 0) return goTo(ctx, accountPath(only.id));
    return answerPage(ctx, <SearchPage viewer={viewer} hits={hits} />, only === undefined ? 404 : 200);
  };

  return [
    {
      path: CONSOLE_PATH,
      GET: visits.page((ctx, { viewer }) => answerPage(ctx, <SearchPage viewer={viewer} hits={null} />)),
      POST: visits.form(search),
    },
  ];
}

type SearchProps = {
  readonly viewer: Viewer;
  /** Null: nothing was looked for yet. */
  readonly hits: readonly Account[] | null;
};

const SearchPage = ({ viewer, hits }: SearchProps) => (
  <Layout title="Accounts" viewer={viewer} activePath={CONSOLE_PATH}>
    {hits?.length === 0 && (
      <Notice kind="bad">
        <p>No account has this e-mail address, or had a key that begins so.</p>
      </Notice>
    )}
    <form method="post" action={CONSOLE_PATH} class="inline">
      <FormToken viewer={viewer} />
      <label for="q">E-mail address, or the first 12 characters of a key</label>
      <input id="q" name="q" required autocomplete="off" aria-describedby="q-note" />
      <button type="submit">Find</button>
    </form>
    <p id="q-note" class="quiet">
      Of a whole key only its first 12 characters are looked at; the rest is not kept.
    </p>
    {hits !== null && hits.length > 0 && <Hits hits={hits} />}
  </Layout>
);

const Hits = ({ hits }: { readonly hits: readonly Account[] }) => (
  <section aria-labelledby="hits">
    <h2 id="hits">{hits.length} accounts</h2>
    <ul>
      {hits.map(({ id, email, openedAt }) => (
        <li key={id}>
          <a href={accountPath(id)}>{email}</a>, since <Day at={openedAt} />
        </li>
      ))}
    </ul>
  </section>
);
