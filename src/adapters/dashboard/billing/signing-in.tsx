import type { JoinedIdentity } from '../../../application/ports/sign-in/identities.js';
import type { Account } from '../../../domain/accounts/account.js';
import { issuerName } from '../../../domain/sign-in/account-identities.js';
import { CardTable, Cell } from '../page/card-table.js';
import { FormToken, type Viewer } from '../page/layout.js';
import { At } from '../page/moment.js';

/** Every way in to an account, and how to close those that are not its address. */
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
      Links mailed to <strong>{email}</strong> sign you in
      {identities.length === 0
        ? ', and nothing else does.'
        : '. So does signing in at these, as the same person:'}
    </p>
    {identities.length > 0 && (
      <>
        <IdentityTable identities={identities} />
        <p>
          If one of them is not you, forget them all. Everybody who is signed in to this account is signed out
          then, you too, and links mailed before stop working; a new link to {email} lets you in again.
          Whoever signs in at a provider must prove anew that this address is theirs. Keys go on working:
          revoke those that somebody else may have.
        </p>
        <form method="post" action="/dashboard/forget-sign-ins">
          <FormToken viewer={viewer} />
          <button type="submit" class="danger">
            Forget these and sign out everywhere
          </button>
        </form>
      </>
    )}
  </>
);

export const IdentityTable = ({ identities }: { readonly identities: readonly JoinedIdentity[] }) => (
  <CardTable caption="Who signs in at a provider" columns={['With', 'Since']}>
    {identities.map(({ issuer, subject, joinedAt }) => (
      <tr key={`${issuer} ${subject}`}>
        <th scope="row">{issuerName(issuer)}</th>
        <Cell of="Since">
          <At at={joinedAt} />
        </Cell>
      </tr>
    ))}
  </CardTable>
);
