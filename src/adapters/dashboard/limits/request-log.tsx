import type { ApiKey } from '../../../domain/keys/api-key.js';
import type { LoggedRequest } from '../../../domain/limits/request-log.js';
import { matching, type RequestFilter } from '../../../domain/limits/request-statistics.js';
import { STATUS_CLASSES, type StatusClass, statusClassOf } from '../../../domain/limits/usage.js';
import { AtSecond } from '../page/moment.js';
import type { BadgeKind } from '../page/state-text.js';

/** The most requests in one list: an account with many keys has more. */
const SHOWN_MAX = 100;
/** The most characters of a path with its query. A page with 100 long ones would be too large. */
const PATH_MAX = 90;
/** The first characters of a request ID. The title has the whole one, and the button copies it. */
const ID_SHOWN = 8;

const KINDS: Readonly<Record<StatusClass, BadgeKind>> = {
  '2xx': 'good',
  '3xx': 'off',
  '4xx': 'warning',
  '5xx': 'bad',
};

/** The filter in an address; whatever is not valid filters nothing. */
export function requestFilter(query: URLSearchParams): RequestFilter {
  const code = query.get('code') ?? '';
  return {
    failedOnly: query.get('failed') === '1',
    statusClass: STATUS_CLASSES.find((each) => each === query.get('class')) ?? null,
    code: /^[a-z_]{1,40}$|^\d{3}$/.test(code) ? code : null,
  };
}

/** The parameters of a filter, after those of the page: `?key=key_1&failed=1`. */
export function filterHref(
  { path, parameters }: LogAddress,
  { failedOnly, statusClass, code }: RequestFilter,
): string {
  const query = new URLSearchParams(parameters);
  if (failedOnly) query.set('failed', '1');
  if (statusClass !== null) query.set('class', statusClass);
  if (code !== null) query.set('code', code);
  return query.size === 0 ? path : `${path}?${query}`;
}

/** The page that has the log, and its other parameters. */
export type LogAddress = { readonly path: string; readonly parameters: Readonly<Record<string, string>> };

export type RequestLogProps = {
  /** Of one key or of several, newest first. */
  readonly requests: readonly LoggedRequest[];
  readonly keys: readonly Pick<ApiKey, 'id' | 'label' | 'prefix'>[];
  readonly filter: RequestFilter;
  readonly address: LogAddress;
  /** Where the script of the page gets the newest state of the log (`browser/request-log.ts`); null: it stays as it is. */
  readonly source: string | null;
};

/** The last requests with some keys, for their owner and for operators. A page that shows it live loads `request-log.js`. */
export const RequestLog = ({ requests, keys, filter, address, source }: RequestLogProps) => {
  const found = matching(requests, filter);
  const names = new Map(keys.map(({ id, label, prefix }) => [id, label ?? `${prefix}…`]));
  return (
    <section
      id="request-log"
      class="request-log"
      aria-labelledby="request-log-title"
      data-source={source ?? undefined}
    >
      <h2 id="request-log-title">Last requests</h2>
      {requests.length > 0 && <Filters filter={filter} address={address} />}
      {found.length === 0 ? (
        <p>
          {requests.length === 0
            ? 'No requests in the last 24 hours.'
            : 'None of the last requests is like that.'}
        </p>
      ) : (
        <>
          <p class="quiet">{countText(found.length, requests.length)}</p>
          <Rows requests={found.slice(0, SHOWN_MAX)} names={names} />
        </>
      )}
    </section>
  );
};

const countText = (found: number, all: number): string =>
  `${Math.min(found, SHOWN_MAX)} of the last ${all} ${all === 1 ? 'request' : 'requests'} within 24 hours. A busy key shows some of its requests only.`;

const Filters = ({ filter, address }: { readonly filter: RequestFilter; readonly address: LogAddress }) => {
  const choices: readonly (readonly [text: string, to: RequestFilter])[] = [
    ['All', { failedOnly: false, statusClass: null, code: null }],
    ['Failed only', { failedOnly: true, statusClass: null, code: null }],
    ...STATUS_CLASSES.map(
      (statusClass) => [statusClass, { failedOnly: false, statusClass, code: null }] as const,
    ),
    ...(filter.code === null
      ? []
      : ([[filter.code, { ...filter, failedOnly: false, statusClass: null }]] as const)),
  ];
  const current = filterHref(address, filter);
  return (
    <nav aria-label="Requests that are listed">
      <ul class="segments">
        {choices.map(([text, to]) => {
          const href = filterHref(address, to);
          return (
            <li key={text}>
              <a href={href} aria-current={href === current ? 'true' : undefined}>
                {text}
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
};

const Rows = ({
  requests,
  names,
}: {
  readonly requests: readonly LoggedRequest[];
  readonly names: ReadonlyMap<string, string>;
}) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard
  <section class="wide-content" aria-label="Last requests, newest first" tabIndex={0}>
    <table class="dense">
      <caption class="hidden">Last requests, newest first</caption>
      <thead>
        <tr>
          {['Time', 'Status', 'Request', 'Code'].map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
          {['ms', 'Bytes'].map((column) => (
            <th key={column} scope="col" class="number">
              {column}
            </th>
          ))}
          {['Key', 'Network', 'Request ID'].map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {requests.map((request) => (
          <Row key={request.requestId} request={request} name={names.get(request.key) ?? ''} />
        ))}
      </tbody>
    </table>
  </section>
);

const Row = ({ request, name }: { readonly request: LoggedRequest; readonly name: string }) => {
  const { at, status, code, method, path, query, durationMs, bytes, network, requestId } = request;
  const asked = `${method} ${path}${query === '' ? '' : `?${query}`}`;
  return (
    <tr>
      <td>
        <AtSecond at={at} />
      </td>
      <td>
        <span class={`badge ${KINDS[statusClassOf(status)]}`}>{status}</span>
      </td>
      <td>{asked.length > PATH_MAX ? `${asked.slice(0, PATH_MAX)}…` : asked}</td>
      <td>{code !== null && <a href={errorPath(code)}>{code}</a>}</td>
      <td class="number">{millisText(durationMs)}</td>
      <td class="number">{bytes === null ? '' : bytes.toLocaleString('en-US')}</td>
      <td>{name}</td>
      <td>{network}</td>
      <td data-copy="request ID" data-value={requestId} title={requestId}>
        {requestId.slice(0, ID_SHOWN)}
      </td>
    </tr>
  );
};

/** The documentation of a problem code. */
export const errorPath = (code: string): string => `/docs/errors#${code}`;

/** Milliseconds, with a decimal below 10. */
export const millisText = (ms: number): string =>
  ms < 10 ? ms.toFixed(1) : Math.round(ms).toLocaleString('en-US');
