import { readdirSync, readFileSync } from 'node:fs';
import type { Story, StoryLink, StoryMarket, StoryOutlet } from '../../domain/stories/story.js';

/** `stories` of the project, beside the compiled code. `stories/schema.json` describes the files. */
const FOLDER = new URL('../../../stories/', import.meta.url);
/** The files with anything but stories. */
const OTHERS = ['markets.json', 'outlets.json', 'order.json', 'schema.json'];

type StoredStory = Omit<Story, 'outlet' | 'markets'> & {
  readonly outlet: string;
  readonly markets: readonly (Omit<StoryLink, 'market'> & { readonly market: string })[];
};

/** The order of stories, by their names: `file.key`. */
export type StoredOrder = {
  readonly backlog: readonly string[];
  readonly live: readonly ({ readonly publish: string } | { readonly retract: string })[];
  /** Each follows the English story with the id `after`. */
  readonly otherLanguages: readonly { readonly after: string; readonly publish: string }[];
};

/** All stories by their names, and their order. Reads the files each time. */
export function readStories(): { readonly stories: ReadonlyMap<string, Story>; readonly order: StoredOrder } {
  const markets = read<Record<string, Omit<StoryMarket, 'slug'>>>('markets.json');
  const outlets = read<Record<string, StoryOutlet>>('outlets.json');
  const stories = new Map<string, Story>();
  for (const file of storyFiles())
    for (const [key, { outlet, markets: links, ...story }] of Object.entries(
      read<Record<string, StoredStory>>(file),
    ))
      stories.set(`${file.replace('.json', '')}.${key}`, {
        ...story,
        outlet: required(outlets[outlet], outlet),
        markets: links.map(({ market: slug, ...link }) => ({
          ...link,
          market: { slug, ...required(markets[slug], slug) },
        })),
      });
  return { stories, order: read<StoredOrder>('order.json') };
}

/** The files with stories, by subject. */
export const storyFiles = (): readonly string[] =>
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json') && !OTHERS.includes(file))
    .sort();

const read = <Content>(file: string): Content =>
  JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Content;

function required<Value>(value: Value | undefined, name: string): Value {
  if (value === undefined) throw new Error(`the stories name ${name}, which no file has`);
  return value;
}
