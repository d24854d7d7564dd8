import { bearsOn, type Story, storyMarket } from '../../story.js';
import { OUTLETS } from '../../story-outlets.js';
import { HALVEX_STRAIT } from '../politics/geopolitics.js';

const DOCKS = storyMarket({
  slug: 'sarnmouth-dock-strike',
  title: 'Sarnmouth: dock strike',
  turnover: 18_000,
  subMarkets: {
    'full-day': ['Will dockers in Sarnmouth strike for a full day this season?', 40],
    week: ['Will a dock strike in Sarnmouth last more than a week?', 12],
  },
});

const insurers: Story = {
  id: 'ne_halvex-insurers',
  outlet: OUTLETS.ledger,
  author: 'Perpetua Oakenshaw',
  categories: ['shipping', 'insurance'],
  relevance: 'medium',
  headline: 'Insurers want to see a month of inspections before they cover the Halvex Strait',
  shortHeadline: 'Insurers hold back on the Halvex Strait',
  summary:
    'The pool that insures most freighters wants to see the new inspections at work before it lifts its war-risk premium.',
  details: [
    'Without cover, few owners will send a ship, even if the strait is open by law.',
    'The pool expects to decide “about a month after the first inspection”.',
    'The market counts the strait as reopened when ten freighters have passed within a day.',
    'Midsummer is twelve weeks away.',
  ],
  markets: [
    bearsOn(HALVEX_STRAIT, {
      relevance: 'high',
      summary: 'Ten freighters a day will pass only if they can be insured.',
      effects: [
        {
          on: 'midsummer',
          outcome: 'YES',
          effect: 'weakens',
          relevance: 'high',
          points: 13,
          because: [
            'Up to ten days until the signature, six weeks until the strait opens and a month for the insurers are almost twelve weeks, and midsummer is twelve weeks away.',
            'Any further delay would miss the date.',
          ],
        },
        {
          on: 'year-end',
          outcome: 'YES',
          effect: 'neutral',
          relevance: 'medium',
          because: ['A month more or less makes no difference to a deadline at the end of the year.'],
        },
      ],
    }),
  ],
};

const convoy: Story = {
  id: 'ne_halvex-first-convoy',
  outlet: OUTLETS.halvexWire,
  author: null,
  categories: ['geopolitics', 'shipping', 'breaking'],
  relevance: 'high',
  headline: 'Fourteen freighters pass the Halvex Strait on its first day open',
  shortHeadline: 'First freighters pass the Halvex Strait',
  summary:
    'The first ships in eight months passed under the new inspection rules, two days ahead of the agreed date.',
  details: [
    'The insurers’ pool had lifted its premium for ships that were inspected at both ends.',
    'Inspections took 40 minutes a ship on average.',
    'Karvenia and Tolmere each called the day a success.',
  ],
  markets: [
    bearsOn(HALVEX_STRAIT, {
      relevance: 'high',
      summary: 'Fourteen ships in a day meet the rule by which this market settles.',
      effects: [
        {
          on: 'midsummer',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 40,
          because: ['The rule asks for ten freighters within a day. Fourteen passed, before midsummer.'],
        },
        {
          on: 'year-end',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 6,
          because: ['The later date is settled by the same fourteen ships as the earlier one.'],
        },
      ],
    }),
  ],
};

const ballot: Story = {
  id: 'ne_sarnmouth-strike-ballot',
  outlet: OUTLETS.courier,
  author: 'Zoë Quarrelborn',
  categories: ['labour', 'shipping'],
  relevance: 'high',
  headline: 'Sarnmouth dockers vote by 87% to strike over night shifts',
  shortHeadline: 'Sarnmouth dockers vote to strike',
  summary:
    'The union may call a strike from next week. It wants two crews instead of one for work after midnight.',
  details: [
    'Turnout was 79%, the highest in any ballot at the port.',
    'The port handles a third of Tolmere’s imports.',
    'The operator says that a second crew would cost more than the night shift earns.',
    'After the last ballot, six years ago, the union struck for three days.',
  ],
  markets: [
    bearsOn(DOCKS, {
      relevance: 'high',
      summary: 'The ballot gives the union the right to call the strike that this market asks about.',
      effects: [
        {
          on: 'full-day',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 24,
          because: [
            'The vote removes the legal obstacle, and such a clear result is hard for the union to ignore.',
          ],
        },
        {
          on: 'week',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'low',
          points: 4,
          because: [
            'A strike has become likelier, but the last one ended after three days and the strike fund is no larger now.',
          ],
        },
      ],
    }),
  ],
};

const mediation: Story = {
  id: 'ne_sarnmouth-mediation',
  outlet: OUTLETS.courier,
  author: 'Zoë Quarrelborn',
  categories: ['labour', 'shipping'],
  relevance: 'medium',
  headline: 'Dockers in Sarnmouth put their strike on hold for a mediator',
  shortHeadline: 'Sarnmouth strike on hold',
  summary: 'Union and port operator have accepted a mediator and agreed not to act for three weeks.',
  details: [
    'The mediator, a retired judge, settled the dispute of the pilots two years ago.',
    'The union keeps its mandate to strike if there is no result.',
    'The season that the market counts ends in nine weeks.',
  ],
  markets: [
    bearsOn(DOCKS, {
      relevance: 'high',
      summary: 'No strike can begin while the mediation lasts.',
      effects: [
        {
          on: 'full-day',
          outcome: 'NO',
          effect: 'supports',
          relevance: 'medium',
          points: 15,
          because: [
            'Three of the nine weeks that are left are now without a strike, and this mediator has a record of settlements.',
          ],
        },
      ],
    }),
  ],
};

export const SHIPPING = { insurers, convoy, ballot, mediation };
