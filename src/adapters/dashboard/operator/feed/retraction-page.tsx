import { Layout } from '../../page/layout.js';
import { Notice } from '../../page/notice.js';
import type { Viewer } from '../../state.js';
import { itemPath, retractionPath } from '../addresses.js';
import { type ReasonFault, ReasonForm } from '../reason-form.js';

export type RetractionProps = {
  readonly viewer: Viewer;
  readonly id: string;
  readonly headline: string;
  readonly fault: string | null;
  /** The reason that was sent. */
  readonly typed: string;
  readonly reasonFault: ReasonFault | null;
};

export const RetractionPage = ({ viewer, id, headline, fault, typed, reasonFault }: RetractionProps) => (
  <Layout title="Retract item" viewer={viewer} activePath="/operator" styles={['console.css']}>
    {fault !== null && (
      <Notice kind="bad">
        <p>{fault}</p>
      </Notice>
    )}
    <p>
      <strong>{headline}</strong> <code>{id}</code>
    </p>
    <Notice kind="warning">
      <p>
        Readers do not get the item any more, and streams and destinations tell of the retraction. The history
        keeps its versions: use a purge for a text that must be kept nowhere. The item is back when it is
        published again.
      </p>
    </Notice>
    <ReasonForm
      {...{ viewer, typed }}
      action={retractionPath(id)}
      button="Retract item"
      isDangerous={true}
      fault={reasonFault}
      note={ITEM_REASON}
      fields={
        <p>
          <label for="sure">
            <input id="sure" type="checkbox" name="sure" value="yes" required /> Retract this item for all
            readers.
          </label>
        </p>
      }
    >
      <a href={itemPath(id)}>Cancel</a>
    </ReasonForm>
  </Layout>
);

export const ITEM_REASON = 'Stored for good with your name.';
