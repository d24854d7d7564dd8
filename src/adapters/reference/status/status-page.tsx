import { CardTable, Cell } from '../../dashboard/page/card-table.js';
import { At } from '../../dashboard/page/moment.js';
import type { Status } from '../../http/operations/status.js';
import { PageFrame } from '../page-frame.js';

type State = Status['status'];

const TEXTS: Readonly<
  Record<State, { readonly badge: string; readonly word: string; readonly meaning: string }>
> = {
  up: { badge: 'good', word: 'Up', meaning: 'Everything works.' },
  degraded: {
    badge: 'warning',
    word: 'Degraded',
    meaning: 'Requests are answered. Some are slower, or are answered from a copy.',
  },
  down: { badge: 'bad', word: 'Down', meaning: 'Some requests are refused with 503. Send them again later.' },
};

const Badge = ({ state }: { readonly state: State }) => (
  <span class={`badge ${TEXTS[state].badge}`}>{TEXTS[state].word}</span>
);

/** `postgres` is a name of the API. */
const titleOf = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

type Props = { readonly status: Status; readonly support: string | undefined };

/** What `GET /status` says, for a person. */
export const StatusPage = ({ status: { status, feed, streams, parts }, support }: Props) => (
  <PageFrame
    title="Status · Oddswire"
    summary="The age of the newest item, and the state of the service."
    active="/status"
    support={support}
  >
    <main id="content" class="front">
      <h1>
        Status <Badge state={status} />
      </h1>
      <p>{TEXTS[status].meaning}</p>
      <dl class="facts">
        <dt>Newest item</dt>
        <dd>
          {feed.head === null || feed.age_seconds === null ? (
            'None yet'
          ) : (
            <>
              {feed.age_seconds.toLocaleString('en-US')} s old, from <At at={feed.head} />
            </>
          )}
        </dd>
        <dt>Position of the feed</dt>
        <dd>{feed.position === null ? 'None yet' : <code>{feed.position}</code>}</dd>
        <dt>Open streams</dt>
        <dd>{streams.open.toLocaleString('en-US')}</dd>
      </dl>
      <CardTable caption="What the service needs" columns={['Dependency', 'State']}>
        {parts.map(({ part: name, state }) => (
          <tr key={name}>
            <th scope="row">{titleOf(name)}</th>
            <Cell of="State">
              <Badge state={state} />
            </Cell>
          </tr>
        ))}
      </CardTable>
      <p class="quiet">
        Programs get the same as JSON from <code>GET /status</code>, without a key.
      </p>
    </main>
  </PageFrame>
);
