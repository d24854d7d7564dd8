import type { Difference } from '../../../../domain/feed/history/version-differences.js';
import type { Moment } from '../../../../domain/moment.js';
import type { Fault } from '../../../../domain/refusal.js';
import { shortened } from '../../feed/shortened.js';
import { CardTable, Cell } from '../../page/card-table.js';
import { FormToken, Layout } from '../../page/layout.js';
import { Notice } from '../../page/notice.js';
import type { Viewer } from '../../state.js';
import { CONSOLE_PATH, correctionPath, itemPath } from '../addresses.js';
import { type ReasonFault, ReasonForm } from '../reason-form.js';
import { ITEM_REASON } from './retraction-page.js';

type FormProps = {
  readonly viewer: Viewer;
  readonly id: string;
  readonly json: string;
  /** By the field of the JSON. */
  readonly faults: readonly Fault[];
  readonly text: string | null;
};

/** The JSON of the item, as a publisher sends it. Nothing is published before the next page. */
export const CorrectionFormPage = ({ viewer, id, json, faults, text }: FormProps) => (
  <Layout title="Correct item" viewer={viewer} activePath={CONSOLE_PATH} styles={['console.css']}>
    {text !== null && (
      <Notice kind="bad">
        <p>{text}</p>
      </Notice>
    )}
    {faults.length > 0 && <Faults faults={faults} />}
    <p>
      Item <a href={itemPath(id)}>{id}</a>. Edit what is wrong. The next page shows what differs; nothing is
      published before you confirm it there.
    </p>
    <form method="post" action={correctionPath(id)}>
      <FormToken viewer={viewer} />
      <label for="json">Item as JSON</label>
      <textarea
        id="json"
        name="json"
        class="json"
        rows={24}
        required
        spellcheck={false}
        aria-invalid={faults.length > 0 ? 'true' : undefined}
        aria-describedby={faults.length > 0 ? 'json-faults' : undefined}
        value={json}
      />
      <button type="submit" name="step" value="preview">
        Show differences
      </button>{' '}
      <a href={itemPath(id)}>Cancel</a>
    </form>
  </Layout>
);

const Faults = ({ faults }: Pick<FormProps, 'faults'>) => (
  <Notice kind="bad" id="json-faults">
    <p>The item would be refused:</p>
    <ul>
      {faults.map(({ parameter, message }) => (
        <li key={`${parameter} ${message}`}>
          {parameter === '' ? 'The text' : <code>{parameter}</code>} {message}.
        </li>
      ))}
    </ul>
  </Notice>
);

type PreviewProps = Pick<FormProps, 'viewer' | 'id' | 'json'> & {
  readonly differences: readonly Difference[];
  /** The `scored_at` of the version that is corrected. */
  readonly seen: Moment;
  readonly fault: ReasonFault | null;
};

const DIFFERENCES_SHOWN = 50;

export const CorrectionPreviewPage = ({ viewer, id, json, differences, seen, fault }: PreviewProps) => (
  <Layout title="Publish correction" viewer={viewer} activePath={CONSOLE_PATH} styles={['console.css']}>
    <p>
      Item <a href={itemPath(id)}>{id}</a>. Not published yet.
    </p>
    {differences.length === 0 ? (
      <p>No field differs. A publication without a later time changes nothing.</p>
    ) : (
      <Differences differences={differences} />
    )}
    <Notice kind="warning">
      <p>
        Readers get the corrected item as the newest one, and streams and destinations send it again. The
        history keeps the version before.
      </p>
    </Notice>
    <ReasonForm
      {...{ viewer, fault }}
      action={correctionPath(id)}
      button="Publish correction"
      isDangerous={false}
      note={ITEM_REASON}
      fields={
        <>
          <input type="hidden" name="step" value="publish" />
          <input type="hidden" name="seen" value={seen} />
          <input type="hidden" name="json" value={json} />
        </>
      }
    >
      <a href={itemPath(id)}>Cancel</a>
    </ReasonForm>
  </Layout>
);

const Differences = ({ differences }: Pick<PreviewProps, 'differences'>) => (
  <>
    <CardTable caption="Fields that differ" columns={['Field', 'Now', 'Then']}>
      {differences.slice(0, DIFFERENCES_SHOWN).map(({ field, before, after }) => (
        <tr key={field}>
          <th scope="row">
            <code>{field}</code>
          </th>
          <Cell of="Now">{valueText(before)}</Cell>
          <Cell of="Then">{valueText(after)}</Cell>
        </tr>
      ))}
    </CardTable>
    {differences.length > DIFFERENCES_SHOWN && (
      <p class="quiet">More fields that differ: {differences.length - DIFFERENCES_SHOWN}.</p>
    )}
  </>
);

const valueText = (value: unknown): string =>
  shortened(typeof value === 'string' ? value : JSON.stringify(value));
