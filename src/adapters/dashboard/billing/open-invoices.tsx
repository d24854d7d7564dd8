import type { Dunning } from '../../../domain/billing/dunning.js';
import { nextRetryOf, type OpenInvoice } from '../../../domain/billing/failed-invoice.js';
import type { Moment } from '../../../domain/moment.js';
import { CardTable, Cell } from '../page/card-table.js';
import { ContactText } from '../page/contact-text.js';
import { Day } from '../page/moment.js';
import type { Viewer } from '../state.js';
import { dunningText } from './dunning-text.js';

/** As the console shows them: a sentence for each. */
export const OpenInvoices = ({ dunning, now }: { readonly dunning: Dunning; readonly now: Moment }) =>
  dunning.length === 0 ? null : (
    <ul>
      {dunning.map((invoice) => (
        <li key={invoice.id}>
          Open invoice <code>{invoice.id}</code>: {dunningText(invoice, now)}
        </li>
      ))}
    </ul>
  );

const ATTEMPTS = { label: 'Failed attempts', isNumber: true } as const;

/** As their owner sees them: a row for each, with the way to pay it. */
export const InvoiceTable = ({
  viewer: { payPath, support },
  dunning,
  now,
}: {
  readonly viewer: Viewer;
  readonly dunning: Dunning;
  readonly now: Moment;
}) =>
  dunning.length === 0 ? null : (
    <>
      <CardTable
        caption="Open invoices"
        columns={[
          'Invoice',
          'First failed',
          ATTEMPTS,
          'Next retry',
          ...(payPath === null ? [] : ['Payment']),
        ]}
        variant="invoices"
      >
        {dunning.map((invoice, i) => (
          <InvoiceRow key={invoice.id} {...{ invoice, now, payPath }} isFirst={i === 0} />
        ))}
      </CardTable>
      {payPath === null && support !== null && (
        <p>
          <ContactText text="Contact us to pay." support={support} />
        </p>
      )}
    </>
  );

const InvoiceRow = ({
  invoice,
  payPath,
  isFirst,
  now,
}: {
  readonly invoice: OpenInvoice;
  readonly payPath: string | null;
  readonly isFirst: boolean;
  readonly now: Moment;
}) => (
  <tr>
    <th scope="row">
      <code>{invoice.id}</code>
    </th>
    <Cell of="First failed">
      <Day at={invoice.firstFailedAt} />
    </Cell>
    <Cell of={ATTEMPTS}>{invoice.failedRetries + 1}</Cell>
    <Cell of="Next retry">
      <NextRetryText invoice={invoice} now={now} />
    </Cell>
    {payPath !== null && (
      <Cell of="Payment">
        <a class={isFirst ? 'button' : 'button plain'} href={payPath}>
          Pay now
        </a>
      </Cell>
    )}
  </tr>
);

const NextRetryText = ({ invoice, now }: { readonly invoice: OpenInvoice; readonly now: Moment }) => {
  const next = nextRetryOf(invoice, now);
  switch (next.status) {
    case 'expected':
      return <Day at={next.at} />;
    case 'none':
      return <span class="quiet">None</span>;
    case 'not_reported':
      return <span class="quiet">Not reported yet</span>;
  }
};
