import type { JoinedIdentity } from '../../../application/ports/sign-in/identities.js';
import type { Account } from '../../../domain/accounts/account.js';
import { issuerName } from '../../../domain/sign-in/account-identities.js';
import { CardTable, Cell } from '../page/card-table.js';
import { FormToken } from '../page/layout.js';
import { At } from '../page/moment.js';
import type { Viewer } from '../state.js';

/** The sign-in methods of an account, and how to disconnect its identity providers. */
export const SigningIn = ({
  viewer,
  account: { email },
  identities,
}: {
  readonly viewer: Viewer;
  readonly account: Account;
  readonly identities: readonly JoinedIdentity[];
}) => (
  <>
    <p>
      You can sign in with a link emailed to <strong>{email}</strong>
      {identities.length === 0
        ? '. No identity provider is connected.'
        : ', or with one of these identity providers:'}
    </p>
    {identities.length > 0 && (
      <>
        <IdentityTable identities={identities} />
        <p>
          Is one of these not yours? Disconnect them all. This signs you out everywhere, and earlier emailed
          links stop working. To sign in again, request a new link to {email}. A provider works again only
          after it has verified this address. Your keys keep working: revoke any key that may have leaked.
        </p>
        <form method="post" action="/dashboard/forget-sign-ins">
          <FormToken viewer={viewer} />
          <button type="submit" class="danger">
            Disconnect all and sign out everywhere
          </button>
        </form>
      </>
    )}
  </>
);

export const IdentityTable = ({ identities }: { readonly identities: readonly JoinedIdentity[] }) => (
  <CardTable caption="Connected identity providers" columns={['Provider', 'Connected']}>
    {identities.map(({ issuer, subject, joinedAt }) => (
      <tr key={`${issuer} ${subject}`}>
        <th scope="row">{issuerName(issuer)}</th>
        <Cell of="Connected">
          <At at={joinedAt} />
        </Cell>
      </tr>
    ))}
  </CardTable>
);
