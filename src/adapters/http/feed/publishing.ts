import type { PublicationNotes } from '../../../application/feed/publication-notes.js';
import type { PublishNews } from '../../../application/feed/publish-news.js';
import type { PublishMode } from '../../../domain/feed/assign-scored-at.js';
import type { PublicationInput } from '../../../domain/feed/feed-item.js';
import { type Fault, isRefusal } from '../../../domain/refusal.js';
import { validator } from '../schema/validator.js';

/**
 * Publications per batch. The number is small, so that other requests are served between batches, and so that parsed
 * items are freed in the young generation. With 200, 10 000 items take 25 MB more.
 */
const BATCH = 50;
/** The most rejected lines that a response lists, because a body of 64 MB can have millions. */
const LISTED_MAX = 10_000;

type Rejected = { readonly line: number; readonly id: string | null; readonly errors: readonly Fault[] };

/** The result of a request. `unlisted`: how many rejected lines are not listed. */
export type PublishingReport = {
  readonly accepted: number;
  readonly unchanged: number;
  readonly rejected: readonly Rejected[];
  readonly unlisted?: number;
  /** Present if nothing was stored, because the request was a dry run (D140). */
  readonly dry_run?: true;
};

/** Keeps what became of the items, for the console. */
export type PublishingNotes = Pick<PublicationNotes, 'stored' | 'rejected'>;

const faultsOf = validator('Publication');

/** One publishing request: valid items are published in batches, invalid ones are listed in the report (D30). */
export class Publishing {
  readonly #publishNews: PublishNews;
  readonly #mode: PublishMode;
  readonly #notes: PublishingNotes | null;
  #waiting: { readonly line: number; readonly publication: PublicationInput }[] = [];
  #accepted = 0;
  #unchanged = 0;
  #unlisted = 0;
  readonly #rejected: Rejected[] = [];

  /** `notes`: null for a dry run, of which nothing is kept. */
  constructor(publishNews: PublishNews, mode: PublishMode, notes: PublishingNotes | null) {
    this.#publishNews = publishNews;
    this.#mode = mode;
    this.#notes = notes;
  }

  async take(line: number, json: unknown): Promise<void> {
    const errors = faultsOf(json);
    if (errors.length > 0) return this.reject(line, idOf(json), errors);
    this.#waiting.push({ line, publication: json as PublicationInput });
    if (this.#waiting.length >= BATCH) await this.#flush();
  }

  reject(line: number, id: string | null, errors: readonly Fault[]): void {
    this.#notes?.rejected(id, errors);
    if (this.#rejected.length < LISTED_MAX) this.#rejected.push({ line, id, errors });
    else this.#unlisted += 1;
  }

  /** Publishes the rest, then reports the result of all lines. */
  async report(): Promise<PublishingReport> {
    await this.#flush();
    const rejected = this.#rejected.sort((a, b) => a.line - b.line);
    const counts = { accepted: this.#accepted, unchanged: this.#unchanged };
    const unlisted = this.#unlisted > 0 && { unlisted: this.#unlisted };
    return { ...counts, rejected, ...unlisted, ...(this.#notes === null && { dry_run: true }) };
  }

  async #flush(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = [];
    const answers = await this.#publishNews(
      batch.map(({ publication }) => publication),
      this.#mode,
    );
    batch.forEach(({ line, publication }, i) => {
      const answer = answers[i];
      if (answer === undefined) return;
      if (isRefusal(answer)) this.reject(line, publication.news_event.id, answer.faults);
      else if ('unchanged' in answer) this.#unchanged += 1;
      else this.#accepted += 1;
    });
    const unchanged = answers.filter((answer) => 'unchanged' in answer).length;
    const published = answers.filter((answer) => 'accepted' in answer).length;
    if (published + unchanged > 0) this.#notes?.stored({ published, unchanged });
  }
}

/** The id in an invalid publication, so that its sender can find it. */
function idOf(json: unknown): string | null {
  const event = (json as { readonly news_event?: unknown } | null)?.news_event;
  const id = (event as { readonly id?: unknown } | null | undefined)?.id;
  return typeof id === 'string' ? id : null;
}
