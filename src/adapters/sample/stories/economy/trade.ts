import { bearsOn, type Story, storyMarket } from '../../story.js';
import { OUTLETS } from '../../story-outlets.js';

export const STEEL_TARIFF = storyMarket({
  slug: 'steel-tariff',
  title: 'Sundrel: tariff on Karvenian steel',
  turnover: 22_400,
  subMarkets: {
    imposed: ['Will Sundrel impose a tariff on Karvenian steel this year?', 52],
    'above-20': ['Will the tariff on Karvenian steel be above 20%?', 19],
  },
});

const TIMBER_PACT = storyMarket({
  slug: 'timber-pact',
  title: 'Timber pact of the five coasts',
  turnover: 4_700,
  subMarkets: {
    ratified: ['Will all five parliaments ratify the timber pact this year?', 63],
  },
});

const dumping: Story = {
  id: 'ne_steel-dumping-finding',
  outlet: OUTLETS.sundrelHerald,
  author: 'Corin Teague',
  categories: ['trade', 'industry'],
  relevance: 'high',
  headline: 'Karvenian steel is sold below cost in Sundrel, trade commission finds',
  shortHeadline: 'Commission: Karvenian steel sold below cost',
  summary:
    'The commission puts the margin at 14% and has sent its report to the minister, who has 60 days to decide on a tariff.',
  details: [
    'Imports of Karvenian steel have doubled in two years. One of Sundrel’s three mills has closed.',
    'Ministers imposed a tariff in seven of the last eight cases in which the commission found dumping.',
    'The tariff may not be higher than the margin that was found.',
  ],
  markets: [
    bearsOn(STEEL_TARIFF, {
      relevance: 'high',
      summary: 'The finding is the legal condition for a tariff.',
      effects: [
        {
          on: 'imposed',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 19,
          because: ['In seven of eight such cases a tariff followed, and the 60 days end within the year.'],
        },
        {
          on: 'above-20',
          outcome: 'YES',
          effect: 'weakens',
          relevance: 'high',
          points: 12,
          because: [
            'The law limits the tariff to the margin of 14%. A higher one would need a second finding.',
          ],
        },
      ],
    }),
  ],
};

const minimumPrice: Story = {
  id: 'ne_steel-minimum-price',
  outlet: OUTLETS.halvexWire,
  author: null,
  categories: ['trade', 'industry'],
  relevance: 'medium',
  headline: 'Karvenia offers Sundrel a minimum price for steel to avoid a tariff',
  shortHeadline: 'Karvenia offers a minimum steel price',
  summary:
    'Karvenia’s mills would not sell below an agreed price for three years. Sundrel’s minister calls the offer “serious”.',
  details: [
    'Such an undertaking ended a dispute about cement five years ago.',
    'Sundrel’s own mills reject it, because they say that it cannot be policed.',
    'The minister has 41 days left to decide.',
  ],
  markets: [
    bearsOn(STEEL_TARIFF, {
      relevance: 'high',
      summary: 'If the offer is accepted, there will be no tariff.',
      effects: [
        {
          on: 'imposed',
          outcome: 'YES',
          effect: 'weakens',
          relevance: 'high',
          points: 14,
          because: [
            'The minister welcomed the offer, and there is a precedent. The opposition of the mills keeps a tariff possible.',
          ],
        },
      ],
    }),
  ],
};

const tariff: Story = {
  id: 'ne_steel-tariff-imposed',
  outlet: OUTLETS.halvexWire,
  author: null,
  categories: ['trade', 'industry', 'breaking'],
  relevance: 'high',
  headline: 'Sundrel rejects Karvenia’s offer and imposes a steel tariff of 12%',
  shortHeadline: 'Sundrel imposes 12% steel tariff',
  summary:
    'The minister said that a minimum price could not be checked. The tariff applies from the first of next month, for five years.',
  details: [
    'The rate is two points below the margin that the trade commission found.',
    'Karvenia said that it would take the case to arbitration, which takes more than a year.',
    'Shares in Sundrel’s two remaining mills rose by a tenth.',
  ],
  markets: [
    bearsOn(STEEL_TARIFF, {
      relevance: 'high',
      summary: 'The decision settles this market.',
      effects: [
        {
          on: 'imposed',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 41,
          because: ['The order is signed and applies next month. Arbitration cannot stop it this year.'],
        },
        {
          on: 'above-20',
          outcome: 'NO',
          effect: 'supports',
          relevance: 'high',
          points: 5,
          because: ['The order fixes the rate at 12% for five years, so it cannot pass 20% this year.'],
        },
      ],
    }),
  ],
};

const timber: Story = {
  id: 'ne_timber-pact-vote',
  outlet: OUTLETS.courier,
  author: 'Maud Tethering',
  categories: ['trade', 'politics'],
  relevance: 'low',
  headline: 'Fourth parliament ratifies the timber pact, leaving only Tolmere',
  shortHeadline: 'Four of five ratify the timber pact',
  summary:
    'Brannoch’s assembly approved the pact without debate. Tolmere’s committee takes it up after the housing bill.',
  details: [
    'The pact abolishes duties on sawn timber between the five coasts.',
    'All parties in Tolmere support it.',
    'The committee’s calendar is full until the recess, and the pact has no date yet.',
  ],
  markets: [
    bearsOn(TIMBER_PACT, {
      relevance: 'high',
      summary: 'Four of the five votes that this market needs have taken place.',
      effects: [
        {
          on: 'ratified',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'medium',
          points: 8,
          because: [
            'Only one vote is missing and nobody opposes it. A crowded calendar is the one thing that could push it into next year.',
          ],
        },
      ],
    }),
  ],
};

export const TRADE = { dumping, minimumPrice, tariff, timber };
