import { FormToken } from '../../page/layout.js';
import type { Viewer } from '../../state.js';
import { CONSOLE_PATH } from '../addresses.js';

export const SearchForm = ({ viewer }: { readonly viewer: Viewer }) => (
  <form method="post" action={CONSOLE_PATH}>
    <FormToken viewer={viewer} />
    <label for="q">Find anything</label>
    <p class="search">
      <input id="q" name="q" required autofocus autocomplete="off" aria-describedby="q-note" />
      <button type="submit">Search</button>
    </p>
    <p id="q-note" class="quiet">
      An email address, its beginning or its domain, a key, or the ID of an account, key, subscription,
      customer, invoice, checkout, payment event, destination, item or market, or a checkout reference.
    </p>
  </form>
);
