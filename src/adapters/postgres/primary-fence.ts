import { Unavailable } from '../../application/unavailable.js';
import type { KnownTimelines } from '../../domain/former-primary.js';
import { clientConfig, REQUEST_TIMEOUTS } from './connection.js';
import type { FormerPrimary } from './host-answers.js';
import { type Promotion, sessionsAt } from './session.js';

type Parts = {
  /** Read only when the primary changes. */
  readonly log: Readonly<Record<'info' | 'warn', (fields: object, message: string) => void>>;
};

/** How the instances tell each other which timelines they have seen. */
export type Announcements = {
  readonly announce: (known: KnownTimelines) => Promise<void>;
  readonly listen: (listener: (seen: KnownTimelines) => void) => () => void;
};

/**
 * Keeps the sessions on one URL away from a former primary, and logs each change of the primary (D75). A proxy, a virtual IP or a
 * name can lead new sessions to the new primary while open ones stay with the former one, so each heartbeat opens a session.
 */
export class PrimaryFence {
  readonly #sessions;
  readonly #announcements: Announcements | null;
  /** Promotions that this process has noticed. */
  #promotions = 0;

  constructor(
    url: string,
    announcements: Announcements | null,
    parts: Parts,
    { closing }: { readonly closing: (close: () => Promise<void>) => void },
  ) {
    this.#sessions = sessionsAt(url, clientConfig(url, REQUEST_TIMEOUTS));
    this.#announcements = announcements;
    const { onMove, onPromotion, answers } = this.#sessions;
    const report = (promotion: Promotion) => {
      this.#promotions += 1;
      parts.log.warn({ dependency: 'Postgres', ...promotion }, promotionText(promotion));
      void announcements?.announce(this.#sessions.known);
    };
    const reportMove = (host: string) =>
      parts.log.warn(
        { dependency: 'Postgres', host },
        'the primary is now at another host: sessions with the former one are closed',
      );
    const reportFormer = (former: FormerPrimary) => {
      const { timeline, current } = former;
      parts.log.warn({ dependency: 'Postgres', timeline, current }, `Postgres: ${onlyFormerText(former)}`);
    };
    onPromotion.add(report);
    onMove.add(reportMove);
    answers.onOnlyFormer.add(reportFormer);
    const stop = announcements?.listen((seen) => this.#sessions.learn(seen));
    closing(async () => {
      onPromotion.delete(report);
      onMove.delete(reportMove);
      answers.onOnlyFormer.delete(reportFormer);
      stop?.();
    });
  }

  /** Why Postgres cannot be used, and the remedy, for operators: new sessions reach only a former primary. Null if they do not. */
  readonly limitation = (): string | null => {
    const { onlyFormer } = this.#sessions.answers;
    return onlyFormer === null ? null : onlyFormerText(onlyFormer);
  };

  /** Part of each heartbeat. */
  readonly beat = async (): Promise<void> => {
    await this.#sessions.askHosts();
    await this.#announcements?.announce(this.#sessions.known);
  };

  /** Idle sessions are not used again. */
  renew(): void {
    this.#sessions.renew();
  }

  /** Runs `work`. If the primary changed meanwhile, it throws, because the former one may have done the work. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#promotions;
    const answer = await work();
    if (this.#promotions === before) return answer;
    throw new Unavailable('Postgres', new Error('the primary changed'));
  }
}

const promotionText = ({ from, to, closed }: Promotion): string =>
  closed === 0
    ? `Postgres: a server was promoted (timeline ${to}, before it was ${from})`
    : `Postgres: the sessions were with a former primary (timeline ${from}, the current one is ${to}); ` +
      `${closed} sessions were closed, and writes under way on them get 503`;

const onlyFormerText = ({ timeline, current }: FormerPrimary): string =>
  `new sessions reach only a former primary (timeline ${timeline}, the current one is ${current}), which is not used: ` +
  `lead DATABASE_URL to the server of timeline ${current}; if it is lost, promote a server, or stop all instances, then start them`;
