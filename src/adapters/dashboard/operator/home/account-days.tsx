import type { AccountDay } from '../../../../domain/accounts/account-days.js';
import { Day } from '../../page/moment.js';

/** A narrow table, which stays one on a phone. */
export const AccountDays = ({ days }: { readonly days: readonly AccountDay[] | null }) =>
  days === null ? (
    <p>Not available: the accounts of these days could not be counted in time. Try again later.</p>
  ) : (
    <table class="days">
      <caption>Accounts opened and subscriptions that ended, by day (UTC), today first</caption>
      <thead>
        <tr>
          <th scope="col">Day</th>
          <th scope="col" class="number">
            Opened
          </th>
          <th scope="col" class="number">
            Canceled
          </th>
        </tr>
      </thead>
      <tbody>
        {days.map(({ day, opened, canceled }) => (
          <tr key={day}>
            <th scope="row">
              <Day at={day} />
            </th>
            <td class="number">{opened.toLocaleString('en-US')}</td>
            <td class="number">
              {canceled === null ? <span class="quiet">Unknown</span> : canceled.toLocaleString('en-US')}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
