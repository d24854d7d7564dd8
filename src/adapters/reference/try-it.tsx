import { renderToString } from 'preact-render-to-string';
import type { Operation, Parameter } from './tables/operations.js';

/** The field of the key, for all forms of the page. It has no name, so no browser stores or submits it. */
const KeyField = () => (
  <div class="try-key" data-try hidden>
    <label for="try-key">Your API key, to send requests from this page</label>
    <input id="try-key" type="password" autocomplete="off" spellcheck={false} placeholder="svc_…" />
    <p class="quiet">It stays in the memory of this page. Reloading the page removes it.</p>
  </div>
);

type FieldProps = { readonly operationId: string; readonly parameter: Parameter };

/** The field of a list takes one value on each line, if each value is a parameter of its own. Others are joined by commas. */
const ParameterField = ({ operationId, parameter: { name, schema, explode = true } }: FieldProps) => {
  const id = `try-${operationId}-${name}`;
  const field = { id, 'data-parameter': name };
  const isList = schema.type === 'array' && explode;
  return (
    <div>
      <label for={id}>
        <code>{name}</code>
        {isList && ', one on each line'}
      </label>
      {isList ? <textarea {...field} rows={3} /> : <input {...field} />}
    </div>
  );
};

const isInQuery = ({ in: where }: Parameter): boolean => where === 'query';

/** A form that sends the call. A script shows it (`browser/try-it.ts`); without scripts it stays hidden. */
const CallForm = ({ path, operation }: { readonly path: string; readonly operation: Operation }) => {
  const { operationId, parameters = [], security } = operation;
  return (
    <form
      class="try"
      data-try
      data-path={path}
      data-key={security.length > 0 ? 'yes' : 'no'}
      autocomplete="off"
      spellcheck={false}
      aria-label={`Try GET ${path}`}
      hidden
    >
      <h3>Try it</h3>
      <div class="fields">
        {parameters.filter(isInQuery).map((parameter) => (
          <ParameterField key={parameter.name} operationId={operationId} parameter={parameter} />
        ))}
      </div>
      <button type="submit">Send request</button>
      <div class="result" role="status" data-result />
    </form>
  );
};

export const keyField = (): string => renderToString(<KeyField />);

export const callForm = (path: string, operation: Operation): string =>
  renderToString(<CallForm path={path} operation={operation} />);
