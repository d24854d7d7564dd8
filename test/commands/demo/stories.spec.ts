import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { readStories, storyFiles } from '../../../src/adapters/stories/story-files.js';
import { storyOrder } from '../../../src/adapters/stories/story-order.js';
import type { Story, StoryEffect } from '../../../src/domain/stories/story.js';

const { stories, order } = readStories();
const OTHER_LANGUAGES = order.otherLanguages;

const steps = (otherLanguages: boolean) => {
  const { backlog, live } = storyOrder(otherLanguages);
  return [...backlog, ...live];
};
const versionsOf = (otherLanguages: boolean): readonly Story[] =>
  steps(otherLanguages).flatMap(({ kind, story }) => (kind === 'publish' ? [story] : []));
const english = versionsOf(false);
const all = versionsOf(true);

const idsOf = (stories: readonly Story[]) => [...new Set(stories.map(({ id }) => id))];
const effectsOf = (story: Story): readonly StoryEffect[] => story.markets.flatMap(({ effects }) => effects);
const rationaleOf = ({ because }: StoryEffect) => because.join(' ');

/** The values that occur more than once. */
const repeated = (values: readonly string[]) => values.filter((value, i) => values.indexOf(value) !== i);
const distinct = (values: readonly string[]) => [...new Set(values)].sort();

describe('The hand-written stories', () => {
  it('are at least 40 in English, and six in other languages', () => {
    expect(idsOf(english)).to.have.length.at.least(40);
    expect(idsOf(all).length - idsOf(english).length).to.equal(6);
    expect(OTHER_LANGUAGES).to.have.length(6);
  });

  it('have readable ids that never change', () => {
    for (const { id } of all) expect(id).to.match(/^ne_[a-z]+(-[a-z]+)+$/);
    expect(idsOf(english)).to.include.members([
      'ne_halvex-agreement',
      'ne_tolmere-rate-decision',
      'ne_brannoch-result',
      'ne_sundrel-inflation-release',
    ]);
  });

  it('have three corrections, and one retraction', () => {
    expect(repeated(english.map(({ id }) => id)).sort()).to.deep.equal([
      'ne_ferry-charter-objection',
      'ne_penhallow-withdrawals',
      'ne_sundrel-inflation-release',
    ]);
    const retracted = steps(false).filter(({ kind }) => kind === 'retract');
    expect(retracted.map(({ story }) => story.id)).to.deep.equal(['ne_halvex-freighter-boarded']);
  });

  it('have a headline and a summary of their own', () => {
    for (const field of ['headline', 'shortHeadline', 'summary'] as const)
      expect(repeated(all.map((story) => story[field]))).to.deep.equal([]);
    const tooLong = all.filter(
      ({ headline, shortHeadline }) => headline.length > 100 || shortHeadline.length > 48,
    );
    expect(tooLong.map(({ headline }) => headline)).to.deep.equal([]);
  });

  it('explain every effect and every link to a market in a text of its own', () => {
    expect(repeated(all.flatMap(effectsOf).map(rationaleOf))).to.deep.equal([]);
    const summaries = english.map(
      (story) => `${story.id} ${distinct(story.markets.map((link) => link.summary))}`,
    );
    expect(repeated(summaries)).to.have.length.at.most(1);
    const short = english
      .flatMap(effectsOf)
      .map(rationaleOf)
      .filter((text) => text.length < 60);
    expect(short).to.deep.equal([]);
  });

  it('end every sentence of their texts with a full stop', () => {
    const texts = english.flatMap((story) => [
      story.summary,
      ...story.details,
      ...story.markets.flatMap(({ summary, effects }) => [
        summary,
        ...effects.flatMap(({ because }) => because),
      ]),
    ]);
    expect(texts.filter((text) => !/[.”]$/.test(text) || /\s{2}|^\s/.test(text))).to.deep.equal([]);
    expect(english.filter(({ headline }) => headline.endsWith('.'))).to.deep.equal([]);
  });

  it('have varied categories, outlets, relevance and effects, so that filters show a difference', () => {
    expect(distinct(english.flatMap(({ categories }) => [...categories])).length).to.be.at.least(25);
    expect(distinct(english.map(({ outlet }) => outlet.tier))).to.deep.equal(['t1', 't2', 't3']);
    expect(distinct(english.map(({ outlet }) => outlet.type))).to.deep.equal([
      'press_release',
      'rss',
      'web',
      'wire',
    ]);
    expect(distinct(english.map(({ relevance }) => relevance))).to.deep.equal(['high', 'low', 'medium']);
    expect(
      distinct(english.flatMap(effectsOf).map((effect) => `${effect.effect} ${effect.outcome}`)),
    ).to.deep.equal(['neutral YES', 'supports NO', 'supports YES', 'weakens YES']);
    expect(distinct(english.flatMap(effectsOf).map(({ relevance }) => relevance))).to.deep.equal([
      'high',
      'low',
      'medium',
    ]);
  });

  it('come in sequences: nine markets have three stories or more, and 18 have two', () => {
    const stories = new Map<string, Set<string>>();
    for (const { id, markets } of english)
      for (const { market } of markets)
        stories.set(market.slug, (stories.get(market.slug) ?? new Set()).add(id));
    expect([...stories.values()].filter((ids) => ids.size >= 3)).to.have.length.at.least(9);
    expect([...stories.values()].filter((ids) => ids.size >= 2)).to.have.length.at.least(18);
  });

  it('are all in the order of the feed', () => {
    const ordered = [
      ...order.backlog,
      ...order.live.map((step) => ('publish' in step ? step.publish : step.retract)),
      ...OTHER_LANGUAGES.map(({ publish }) => publish),
    ];
    expect(distinct(ordered)).to.deep.equal([...stories.keys()].sort());
    expect(storyFiles()).to.have.length.above(10);
  });

  it('are in files that match their schema', () => {
    const folder = resolve(import.meta.dirname, '../../../../stories');
    const json = (file: string): unknown => JSON.parse(readFileSync(join(folder, file), 'utf8'));
    const ajv = new Ajv2020({ allowUnionTypes: true }).addSchema(json('schema.json') as object, 'stories');
    const files = [
      ['markets.json', 'markets'],
      ['outlets.json', 'outlets'],
      ['order.json', 'order'],
      ...storyFiles().map((file) => [file, 'stories'] as const),
    ] as const;
    for (const [file, schema] of files) {
      ajv.validate(`stories#/$defs/${schema}`, json(file));
      expect(ajv.errors, file).to.equal(null);
    }
    expect(ajv.validate('stories#/$defs/stories', { a: { id: 'ne_a-b' } })).to.equal(false);
  });

  it('in other languages each follow a story that is in the order', () => {
    expect(OTHER_LANGUAGES.filter(({ after }) => !idsOf(english).includes(after))).to.deep.equal([]);
  });
});
