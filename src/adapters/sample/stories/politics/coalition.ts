import { bearsOn, type Story, storyMarket } from '../../story.js';
import { OUTLETS } from '../../story-outlets.js';
import { TOLMERE_CHANCELLOR } from './elections.js';

const FERRY_CHARTER = storyMarket({
  slug: 'ferry-charter',
  title: 'Brannoch: who gets the ferry charter?',
  turnover: 12_500,
  subMarkets: {
    sarn: ['Will the Sarn Boatmen be given the Brannoch ferry charter?', 42],
    dunmore: ['Will Dunmore Ferries be given the Brannoch ferry charter?', 45],
  },
});

const ultimatum: Story = {
  id: 'ne_tolmere-coalition-ultimatum',
  outlet: OUTLETS.courier,
  author: 'Maud Tethering',
  categories: ['politics'],
  relevance: 'high',
  headline: 'Mill Union gives Chancellor Corvane ten days to pass the housing bill',
  shortHeadline: 'Mill Union sets Corvane a deadline',
  summary:
    'The junior partner in Tolmere’s coalition says that it will leave the government if the bill is not passed within ten days.',
  details: [
    'Edda Corvane’s party has 48 of 110 seats and needs the Mill Union’s 11 to govern.',
    'The dispute is about a cap on rents, which the chancellor has rejected twice.',
    'Without a majority she would have to ask for a vote of confidence.',
    'The Mill Union made a similar threat two years ago and stayed.',
  ],
  markets: [
    bearsOn(TOLMERE_CHANCELLOR, {
      relevance: 'high',
      summary: 'The chancellor can be replaced, or an election called, if the coalition ends.',
      effects: [
        {
          on: 'corvane',
          outcome: 'YES',
          effect: 'weakens',
          relevance: 'high',
          points: 9,
          because: [
            'Without the Mill Union she has no majority, and the deadline falls well before midsummer.',
            'The earlier empty threat keeps the effect moderate.',
          ],
        },
        {
          on: 'early-election',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 10,
          because: [
            'A lost vote of confidence leads to an election within 60 days unless another majority is found, and none is in sight.',
          ],
        },
      ],
    }),
  ],
};

const housingDeal: Story = {
  id: 'ne_tolmere-housing-deal',
  outlet: OUTLETS.halvexWire,
  author: null,
  categories: ['politics', 'housing'],
  relevance: 'high',
  headline: 'Corvane and Mill Union agree on housing bill, and coalition holds',
  shortHeadline: 'Tolmere coalition agrees on housing bill',
  summary: 'The two parties settled on a rent cap for new contracts only, five days before the deadline.',
  details: [
    'The bill goes to a vote on Thursday with the support of both parliamentary groups.',
    'The Mill Union called the deal “enough to go on”. It withdrew its threat to leave.',
    'Both parties agreed not to reopen the subject before the next regular election.',
  ],
  markets: [
    bearsOn(TOLMERE_CHANCELLOR, {
      relevance: 'high',
      summary: 'The agreement removes the dispute that endangered the government.',
      effects: [
        {
          on: 'corvane',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 15,
          because: [
            'The only announced reason to bring her down is gone, and her majority of 59 of 110 seats is intact.',
          ],
        },
        {
          on: 'early-election',
          outcome: 'NO',
          effect: 'supports',
          relevance: 'high',
          points: 18,
          because: [
            'An early election needed the coalition to break. Both parties have now committed themselves to the regular date.',
          ],
        },
      ],
    }),
  ],
};

const ferryObjection: Story = {
  id: 'ne_ferry-charter-objection',
  outlet: OUTLETS.harbourGazette,
  author: 'Oddny Ravnsby',
  categories: ['regulation', 'transport'],
  relevance: 'medium',
  headline: 'Competition office objects to Sarn Boatmen’s bid for the Brannoch ferries',
  shortHeadline: 'Objection to Sarn Boatmen’s ferry bid',
  summary:
    'The office says that the bidder already runs four of the six routes and should not be given the remaining two.',
  details: [
    'The objection is not binding, but the charter commission has followed the office in each of the last five cases.',
    'The commission decides in three weeks.',
    'Dunmore Ferries is the only other company that has made a bid.',
  ],
  markets: [
    bearsOn(FERRY_CHARTER, {
      relevance: 'high',
      summary: 'The commission that awards the charter must consider the objection.',
      effects: [
        {
          on: 'sarn',
          outcome: 'YES',
          effect: 'weakens',
          relevance: 'high',
          points: 14,
          because: ['The commission has never gone against an objection of the competition office.'],
        },
      ],
    }),
  ],
};

const ferryObjectionCorrected: Story = {
  ...ferryObjection,
  categories: ['regulation', 'transport', 'correction'],
  headline: 'Correction: competition office objects to Dunmore’s ferry bid, not to Sarn Boatmen’s',
  shortHeadline: 'Correction: the objection is to Dunmore',
  summary:
    'An earlier version of this story confused the two bidders. The office objects to the bid of Dunmore Ferries.',
  details: [
    'The earlier version named the Sarn Boatmen. It is Dunmore Ferries that already runs four of the six routes.',
    'The objection is not binding, but the charter commission has followed the office in each of the last five cases.',
    'The Sarn Boatmen are now the only bidder without an objection. The commission decides in three weeks.',
  ],
  markets: [
    bearsOn(FERRY_CHARTER, {
      relevance: 'high',
      summary: 'The commission that awards the charter must consider the objection.',
      effects: [
        {
          on: 'dunmore',
          outcome: 'YES',
          effect: 'weakens',
          relevance: 'high',
          points: 16,
          because: ['The objection is to this bidder. In five of five cases such a bid was turned down.'],
        },
        {
          on: 'sarn',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 17,
          because: [
            'The objection does not concern the Sarn Boatmen after all. They are now the only bidder without one.',
          ],
        },
      ],
    }),
  ],
};

export const COALITION = { ultimatum, housingDeal, ferryObjection, ferryObjectionCorrected };
