import type { ChangeItem } from '../../../../application/feed/change-item.js';
import type { FeedItem } from '../../../../domain/feed/feed-item.js';
import type { KeyFormat } from '../../../../domain/keys/key-value.js';
import { type Fault, isRefusal, type Refusal } from '../../../../domain/refusal.js';
import { answerPage } from '../../page/answer.js';
import { answerError } from '../../page/error-page.js';
import { refusalText } from '../../page/refusal-text.js';
import type { PageRoute } from '../../page-router.js';
import { type Context, goTo } from '../../state.js';
import type { FormPage, OperatorVisit, Visits } from '../../visit.js';
import { itemPath } from '../addresses.js';
import type { ReasonFault } from '../reason-form.js';
import { submittedReason } from '../submitted-reason.js';
import { CorrectionFormPage, CorrectionPreviewPage } from './correction-page.js';

export type CorrectionParts = {
  readonly visits: Visits<OperatorVisit>;
  readonly changeItem: ChangeItem;
  readonly keyFormat: KeyFormat;
};

/** The form with a text, and why it was refused. */
const edit = (
  ctx: Context,
  { viewer }: OperatorVisit,
  json: string,
  refusal: Refused | null,
  status = 200,
) => {
  const faults = refusal !== null && 'faults' in refusal ? refusal.faults : [];
  const text = refusal === null || 'faults' in refusal ? null : refusalText(refusal);
  return answerPage(ctx, <CorrectionFormPage {...{ viewer, id: idOf(ctx), json, faults, text }} />, status);
};

/** A correction of an item: its JSON is edited, checked as a publication is, shown as differences, then published (D127). */
export function correctionRoutes({ visits, changeItem, keyFormat }: CorrectionParts): readonly PageRoute[] {
  const preview = async (ctx: Context, visit: OperatorVisit, json: string, more: More) => {
    const parsed = parsedJson(json);
    const previewed = 'refused' in parsed ? parsed : await changeItem.preview(idOf(ctx), parsed.json);
    if (isRefusal(previewed)) return edit(ctx, visit, json, previewed, statusOf(previewed));
    const { differences, seen } = previewed;
    const props = { viewer: visit.viewer, id: idOf(ctx), json, differences, seen, fault: more.fault };
    return answerPage(ctx, <CorrectionPreviewPage {...props} />, more.status);
  };

  /** The form with the item as it is. */
  const ask = async (ctx: Context, visit: OperatorVisit, refusal: Refused | null) => {
    const item = await changeItem.find(idOf(ctx));
    if (item === null) return answerError(ctx, 'not found', 'The feed has no item with this id.');
    const { meta: _, ...publication } = JSON.parse(item.json.toString('utf8')) as FeedItem;
    return edit(ctx, visit, JSON.stringify(publication, null, 2), refusal, refusal === null ? 200 : 400);
  };

  const take: FormPage<OperatorVisit> = async (ctx, visit, form) => {
    const json = form.get('json') ?? '';
    // No item is to have a key, and no page shows it again (D19).
    if (keyFormat.containsKey(json)) return ask(ctx, visit, { refused: 'invalid_body', faults: [HAS_KEY] });
    if (form.get('step') !== 'publish') return preview(ctx, visit, json, { fault: null, status: 200 });
    return publish(ctx, visit, form, json);
  };

  const publish = async (ctx: Context, visit: OperatorVisit, form: URLSearchParams, json: string) => {
    const submitted = submittedReason(form, keyFormat);
    if ('fault' in submitted) return preview(ctx, visit, json, { fault: submitted.fault, status: 400 });
    const parsed = parsedJson(json);
    if ('refused' in parsed) return edit(ctx, visit, json, parsed, 400);
    const by = { actor: visit.name, reason: submitted.reason };
    const answer = await changeItem.correct(idOf(ctx), parsed.json, form.get('seen') ?? '', by);
    if (isRefusal(answer)) return edit(ctx, visit, json, answer, statusOf(answer));
    return goTo(ctx, `${itemPath(idOf(ctx))}?done=${answer.isChanged ? 'corrected' : 'unchanged'}`);
  };

  return [
    {
      path: '/operator/items/:id/correction',
      GET: visits.page((ctx, visit) => ask(ctx, visit, null)),
      POST: visits.form(take),
    },
  ];
}

type More = { readonly fault: ReasonFault | null; readonly status: number };

type Refused = Refusal<'invalid_body' | 'not_found' | 'changed_meanwhile'>;

const statusOf = ({ refused }: Refused): number =>
  refused === 'invalid_body' ? 400 : refused === 'not_found' ? 404 : 409;

const idOf = (ctx: Context): string => ctx.params['id'] ?? '';

const HAS_KEY: Fault = { parameter: '', code: 'not_allowed', message: 'must not contain an API key' };
const NO_JSON: Fault = { parameter: '', code: 'invalid_json', message: 'is not valid JSON' };

function parsedJson(text: string): { readonly json: unknown } | Refusal<'invalid_body'> {
  try {
    return { json: JSON.parse(text) as unknown };
  } catch {
    return { refused: 'invalid_body', faults: [NO_JSON] };
  }
}
