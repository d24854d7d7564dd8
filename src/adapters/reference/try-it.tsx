import { renderToString } from 'preact-render-to-string';
import type { Operation, Parameter } from './generated/operations.js';

/** The field of the key, for all forms of the page. It has no name, so no browser stores or submits it. */
const KeyField = () => (
  <div class="try-key" data-try hidden>
    <label for="try-key">Your API key, to send requests from this page</label>
    <input id="try-key" type="password" autocomplete="off" spellcheck={false} placeholder="svc_…" />
    <p class="quiet">It stays in the memory of this page. Reloading the page removes it.</p>
  </div>
);

const ParameterField = ({ operationId, name }: { readonly operationId: string; readonly name: string }) => {
  const id = `try-${operationId}-${name}`;
  return (
    <div>
      <label for={id}>
        <code>{name}</code>
      </label>
      <input id={id} data-parameter={name} autocomplete="off" spellcheck={false} />
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
      aria-label={`Try GET ${path}`}
      hidden
    >
      <h3>Try it</h3>
      <div class="fields">
        {parameters.filter(isInQuery).map(({ name }) => (
          <ParameterField key={name} operationId={operationId} name={name} />
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
