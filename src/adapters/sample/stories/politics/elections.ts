import { bearsOn, type Story, storyMarket } from '../../story.js';
import { OUTLETS } from '../../story-outlets.js';

const BRANNOCH_ASSEMBLY = storyMarket({
  slug: 'brannoch-assembly',
  title: 'Brannoch: assembly election',
  turnover: 112_000,
  subMarkets: {
    lantern: ['Will the Lantern Party win the most seats in Brannoch?', 41],
    harbour: ['Will the Harbour Party win the most seats in Brannoch?', 56],
    majority: ['Will one party win a majority of seats in Brannoch?', 36],
  },
});

export const TOLMERE_CHANCELLOR = storyMarket({
  slug: 'tolmere-chancellor',
  title: 'Tolmere: chancellor and election date',
  turnover: 47_000,
  subMarkets: {
    corvane: ['Will Edda Corvane be chancellor of Tolmere at midsummer?', 68],
    'early-election': ['Will Tolmere call an early election this year?', 27],
  },
});

const poll: Story = {
  id: 'ne_brannoch-poll',
  outlet: OUTLETS.harbourGazette,
  author: 'Oddny Ravnsby',
  categories: ['politics', 'elections'],
  relevance: 'medium',
  headline: 'Lantern Party closes to within a point of Harbour in Brannoch poll',
  shortHeadline: 'Lantern closes the gap in Brannoch poll',
  summary:
    'A survey of 2,100 voters on all nine islands puts Harbour at 38% and Lantern at 37%, ten days before the vote.',
  details: [
    'The same institute had Harbour five points ahead a month ago.',
    'The change comes mostly from the two largest islands, where rents were the main subject of the campaign.',
    'The margin of error is two points.',
    'Brannoch elects 60 members by island, so the party with the most votes need not win the most seats.',
  ],
  markets: [
    bearsOn(BRANNOCH_ASSEMBLY, {
      relevance: 'medium',
      summary: 'The poll measures voting intention for the election that settles this market.',
      effects: [
        {
          on: 'lantern',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'medium',
          points: 6,
          because: [
            'A gap of one point is within the margin of error, and the gain is on the islands with the most seats.',
            'One poll alone moves the odds only a little.',
          ],
        },
        {
          on: 'harbour',
          outcome: 'YES',
          effect: 'weakens',
          relevance: 'medium',
          points: 6,
          because: [
            'Harbour’s lead in votes was the reason for its price above one half, and four fifths of it has gone.',
          ],
        },
      ],
    }),
  ],
};

const resignation: Story = {
  id: 'ne_brannoch-harbour-resignation',
  outlet: OUTLETS.courier,
  author: 'Maud Tethering',
  categories: ['politics', 'elections'],
  relevance: 'high',
  headline: 'Harbour Party treasurer resigns over ferry contracts a week before the vote',
  shortHeadline: 'Harbour treasurer resigns before vote',
  summary:
    'Anselm Greaves stepped down after documents showed that he held shares in a firm that was awarded two ferry routes.',
  details: [
    'Greaves denies any wrongdoing and says that he sold the shares last year.',
    'The register of companies still lists him as an owner.',
    'Lantern has asked for a debate on the contracts on the eve of the election.',
    'Postal voting has already closed on three of the nine islands.',
  ],
  markets: [
    bearsOn(BRANNOCH_ASSEMBLY, {
      relevance: 'high',
      summary:
        'The resignation hits one of the two parties that can win this market, a week before the vote.',
      effects: [
        {
          on: 'harbour',
          outcome: 'YES',
          effect: 'weakens',
          relevance: 'high',
          points: 10,
          because: [
            'The affair concerns the subject on which Harbour campaigns, and the register contradicts the treasurer.',
            'A week is too short for the party to change the subject.',
          ],
        },
        {
          on: 'lantern',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 9,
          because: [
            'Lantern is the only other party with a realistic path to first place, so Harbour’s loss is its gain.',
          ],
        },
      ],
    }),
  ],
};

const turnout: Story = {
  id: 'ne_brannoch-turnout',
  outlet: OUTLETS.halvexWire,
  author: null,
  categories: ['politics', 'elections', 'breaking'],
  relevance: 'medium',
  headline: 'Turnout on Brannoch’s outer islands passes 60% by noon',
  shortHeadline: 'High turnout on Brannoch’s outer islands',
  summary:
    'Officials on Innisk and Farrow count more voters by noon than in the whole of the last election day.',
  details: [
    'Lantern won both islands last time, on a turnout of 55%.',
    'Turnout on the main island, where Harbour is strongest, is at 41%, close to the usual level.',
    'Polling stations close at eight in the evening. The count begins at once.',
  ],
  markets: [
    bearsOn(BRANNOCH_ASSEMBLY, {
      relevance: 'medium',
      summary: 'Turnout by island is the first hard data about the result.',
      effects: [
        {
          on: 'lantern',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'medium',
          points: 9,
          because: [
            'The extra voters are on islands that Lantern won, and the main island shows no such rise.',
            'Turnout does not say how people voted, so the effect is limited.',
          ],
        },
        {
          on: 'majority',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'low',
          points: 5,
          because: [
            'If Lantern wins the outer islands outright, it needs only one more seat on the main island for 31 of 60.',
          ],
        },
      ],
    }),
  ],
};

const result: Story = {
  id: 'ne_brannoch-result',
  outlet: OUTLETS.harbourGazette,
  author: 'Oddny Ravnsby',
  categories: ['politics', 'elections', 'breaking'],
  relevance: 'high',
  headline: 'Lantern Party wins 31 of 60 seats in Brannoch and ends 14 years of Harbour rule',
  shortHeadline: 'Lantern wins a majority in Brannoch',
  summary: 'With every island counted, Lantern has 31 seats, Harbour 24 and independents five.',
  details: [
    'Harbour’s leader conceded shortly after midnight.',
    'The majority rests on Farrow, which Lantern took by 112 votes. A recount there is possible but has not been requested.',
    'The new assembly elects its speaker in three weeks.',
  ],
  markets: [
    bearsOn(BRANNOCH_ASSEMBLY, {
      relevance: 'high',
      summary: 'The final count settles this market.',
      effects: [
        {
          on: 'lantern',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 33,
          because: [
            'Before the final count, traders gave Lantern about two chances in three. It leads by seven seats, and no recount of a single island could change who is first.',
          ],
        },
        {
          on: 'harbour',
          outcome: 'NO',
          effect: 'supports',
          relevance: 'high',
          points: 38,
          because: [
            'Harbour has conceded. Four seats would have to change hands to put it ahead, and every island is counted.',
          ],
        },
        {
          on: 'majority',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 48,
          because: [
            'Before the final count, traders doubted that any party would win a majority. 31 of 60 seats is one, and only a recount on Farrow could still take it away.',
          ],
        },
      ],
    }),
  ],
};

export const ELECTIONS = { poll, resignation, turnout, result };
