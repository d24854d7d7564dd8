import { bearsOn, type Story, storyMarket } from '../../story.js';
import { OUTLETS } from '../../story-outlets.js';

const TALLOW = storyMarket({
  slug: 'tallow-coin',
  title: 'Tallow coin: price and fund',
  turnover: 93_000,
  subMarkets: {
    'above-2000': ['Will Tallow close the month above 2,000 crowns?', 44],
    fund: ['Will Tolmere admit a Tallow fund to trading this year?', 36],
  },
});

const PENHALLOW = storyMarket({
  slug: 'penhallow-exchange',
  title: 'Penhallow: can the exchange pay?',
  turnover: 41_000,
  subMarkets: {
    insolvent: ['Will Penhallow file for insolvency this year?', 9],
    licence: ['Will Penhallow keep its Tolmere licence this year?', 88],
  },
});

const consultation: Story = {
  id: 'ne_tallow-consultation',
  outlet: OUTLETS.ledger,
  author: 'Perpetua Oakenshaw',
  categories: ['crypto', 'regulation'],
  relevance: 'high',
  headline: 'Tolmere’s market regulator publishes draft rules for coin funds',
  shortHeadline: 'Tolmere drafts rules for coin funds',
  summary:
    'Funds that hold a single coin could be listed if an independent bank keeps the coins. Comments are due in eight weeks.',
  details: [
    'The regulator has refused four applications in the past, each time for want of rules.',
    'Two fund companies said that they would apply again as soon as the rules are in force.',
    'The last set of rules for a new kind of fund took seven months from draft to listing.',
  ],
  markets: [
    bearsOn(TALLOW, {
      relevance: 'high',
      summary: 'The draft is the first step towards the fund that this market asks about.',
      effects: [
        {
          on: 'fund',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 13,
          because: [
            'The regulator had refused for want of rules and now writes them. Seven months would just fit into the year.',
          ],
        },
        {
          on: 'above-2000',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'low',
          points: 5,
          because: [
            'A fund would bring new buyers, but not before the month ends. Any effect so soon is anticipation.',
          ],
        },
      ],
    }),
  ],
};

const withdrawals: Story = {
  id: 'ne_penhallow-withdrawals',
  outlet: OUTLETS.nightDesk,
  author: null,
  categories: ['crypto', 'companies', 'breaking'],
  relevance: 'high',
  headline: 'Penhallow exchange halts withdrawals of all coins',
  shortHeadline: 'Penhallow halts all withdrawals',
  summary:
    'Customers of the second-largest coin exchange in Tolmere see an error when they withdraw. The company gives no reason.',
  details: [
    'Penhallow holds coins worth about 3 billion crowns for 600,000 customers.',
    'Its help desk was not answering on Saturday night.',
    'An exchange that halted withdrawals three years ago was insolvent within a month.',
  ],
  markets: [
    bearsOn(PENHALLOW, {
      relevance: 'high',
      summary: 'An exchange that does not pay out may not be able to.',
      effects: [
        {
          on: 'insolvent',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 28,
          because: [
            'A halt of all coins without a reason is what preceded the insolvency of another exchange three years ago.',
          ],
        },
        {
          on: 'licence',
          outcome: 'YES',
          effect: 'weakens',
          relevance: 'high',
          points: 24,
          because: [
            'The licence requires withdrawals within a day. A longer halt would force the regulator to act.',
          ],
        },
      ],
    }),
    bearsOn(TALLOW, {
      relevance: 'medium',
      summary: 'A fifth of all trade in Tallow goes through Penhallow.',
      effects: [
        {
          on: 'above-2000',
          outcome: 'YES',
          effect: 'weakens',
          relevance: 'medium',
          points: 12,
          because: [
            'Customers who fear for their coins sell where they still can, and trust in the coin suffers with the exchange.',
          ],
        },
      ],
    }),
  ],
};

const withdrawalsCorrected: Story = {
  ...withdrawals,
  categories: ['crypto', 'companies', 'correction'],
  relevance: 'medium',
  headline: 'Correction: Penhallow halted withdrawals of one coin, not of all',
  shortHeadline: 'Correction: only one coin was halted',
  summary:
    'An earlier version of this story was wrong. Only withdrawals of Tallow are halted, during an announced upgrade of its network.',
  details: [
    'The earlier version said that withdrawals of all coins were halted. All coins except Tallow are paid out.',
    'The upgrade was announced a week ago and is expected to take nine hours.',
    'Three customers showed us withdrawals of other coins that were paid out within minutes.',
  ],
  markets: [
    bearsOn(PENHALLOW, {
      relevance: 'medium',
      summary: 'The corrected report says nothing about the solvency of the exchange.',
      effects: [
        {
          on: 'insolvent',
          outcome: 'YES',
          effect: 'neutral',
          relevance: 'low',
          because: [
            'A planned pause for one coin is routine. The price returns to its level before the first report.',
          ],
        },
        {
          on: 'licence',
          outcome: 'YES',
          effect: 'neutral',
          relevance: 'low',
          because: [
            'The licence allows announced pauses of up to a day, and this one is expected to take nine hours.',
          ],
        },
      ],
    }),
    bearsOn(TALLOW, {
      relevance: 'low',
      summary: 'The pause concerns this coin, but was known in advance.',
      effects: [
        {
          on: 'above-2000',
          outcome: 'YES',
          effect: 'weakens',
          relevance: 'low',
          points: 3,
          because: [
            'Traders cannot move coins to Penhallow for nine hours, which costs some demand, and nothing more.',
          ],
        },
      ],
    }),
  ],
};

const upgrade: Story = {
  id: 'ne_tallow-upgrade',
  outlet: OUTLETS.ledger,
  author: 'Đorđe Rastkamen',
  categories: ['crypto', 'technology'],
  relevance: 'medium',
  headline: 'Tallow network completes its upgrade, and fees fall by four fifths',
  shortHeadline: 'Tallow upgrade cuts fees by four fifths',
  summary: 'The average fee for a transfer fell from 1.90 to 0.38 crowns. Penhallow has resumed withdrawals.',
  details: [
    'The upgrade took seven hours, two fewer than planned.',
    'The number of transfers on the first day was a record.',
    'Lower fees also mean less income for the operators of the network, and a tenth of them have said that they will stop.',
  ],
  markets: [
    bearsOn(TALLOW, {
      relevance: 'medium',
      summary: 'Cheaper transfers make the coin more useful.',
      effects: [
        {
          on: 'above-2000',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'medium',
          points: 9,
          because: [
            'After each of the last two upgrades the coin rose by more than the 6% that it now lacks to 2,000 crowns.',
          ],
        },
        {
          on: 'fund',
          outcome: 'YES',
          effect: 'neutral',
          relevance: 'low',
          because: ['The draft rules ask who keeps the coins, not what a transfer costs.'],
        },
      ],
    }),
  ],
};

export const CRYPTO = { consultation, withdrawals, withdrawalsCorrected, upgrade };
