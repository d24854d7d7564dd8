import { At } from '../page/moment.js';
import type { KeyView } from './key-view.js';

/** The facts of a key that its row leaves out, and its rare actions. Nothing here is red: the page that confirms is. */
export const KeyMenu = ({ view: { key, state, graceUntil } }: { readonly view: KeyView }) => (
  <details class="row-menu">
    <summary aria-label={`More about ${key.label ?? key.prefix}`}>⋯</summary>
    <div>
      <p class="quiet">
        Created <At at={key.issuedAt} />
      </p>
      {(state.status !== 'revoked' || graceUntil !== null) && (
        <a href={`/dashboard/keys/${key.id}/revocation`}>
          Revoke…<span class="hidden"> {key.label ?? key.prefix}</span>
        </a>
      )}
    </div>
  </details>
);
