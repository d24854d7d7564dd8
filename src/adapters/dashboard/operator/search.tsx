import type { Accounts } from '../../../application/ports/accounts/accounts.js';
import type { Account } from '../../../domain/accounts/account.js';
import { readEmailAddress } from '../../../domain/accounts/email-address.js';
import type { KeyFormat } from '../../../domain/keys/key-value.js';
import { answerPage } from '../page/answer.js';
import { FormToken, Layout } from '../page/layout.js';
import { Day } from '../page/moment.js';
import { Notice } from '../page/notice.js';
import type { PageRoute } from '../page-router.js';
import { goTo, type Viewer } from '../state.js';
import type { FormPage, OperatorVisit, Visits } from '../visit.js';
import { accountPath, CONSOLE_PATH } from './addresses.js';

/**
 * Account search. The search text is sent in a form, never in an address, and not shown again: it may be a whole key. Only
 * the first characters of a key are used (D19, D42).
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
  /** Null before the first search. */
  readonly hits: readonly Account[] | null;
};

const SearchPage = ({ viewer, hits }: SearchProps) => (
  <Layout title="Accounts" viewer={viewer} activePath={CONSOLE_PATH}>
    {hits?.length === 0 && (
      <Notice kind="bad">
        <p>No account has this email address, or a key that starts like this.</p>
      </Notice>
    )}
    <form method="post" action={CONSOLE_PATH} class="inline">
      <FormToken viewer={viewer} />
      <label for="q">Email address, or first 12 characters of a key</label>
      <input id="q" name="q" required autocomplete="off" aria-describedby="q-note" />
      <button type="submit">Search</button>
    </form>
    <p id="q-note" class="quiet">
      You can paste a whole key: only its first 12 characters are used, and nothing is stored.
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
          <a href={accountPath(id)}>{email}</a>, opened on <Day at={openedAt} />
        </li>
      ))}
    </ul>
  </section>
);
