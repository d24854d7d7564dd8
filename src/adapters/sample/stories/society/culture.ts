import { bearsOn, type Story, storyMarket } from '../../story.js';
import { OUTLETS } from '../../story-outlets.js';

const SILVER_THIMBLE = storyMarket({
  slug: 'silver-thimble',
  title: 'The Silver Thimble for best film',
  turnover: 25_800,
  subMarkets: {
    'salt-orchard': ['Will “The Salt Orchard” win the Silver Thimble?', 36],
    'nine-bridges': ['Will “Nine Bridges” win the Silver Thimble?', 28],
  },
});

export const ORVAUX_CARNIVAL = storyMarket({
  slug: 'orvaux-carnival',
  title: 'Orvaux carnival',
  turnover: 3_900,
  subMarkets: {
    record: ['Will the Orvaux carnival draw a record crowd?', 31],
  },
});

const nominations: Story = {
  id: 'ne_silver-thimble-nominations',
  outlet: OUTLETS.courier,
  author: 'Idris Penhollow-Vane',
  categories: ['culture', 'film'],
  relevance: 'medium',
  headline: '“The Salt Orchard” leads the Silver Thimble nominations with nine',
  shortHeadline: '“The Salt Orchard” leads nominations',
  summary:
    'The film about a family of salt farmers is nominated in nine of twelve categories. “Nine Bridges” has six.',
  details: [
    'The film with the most nominations has won the main prize in 11 of the last 20 years.',
    'The jury of 300 votes in two rounds.',
    'Both directors are nominated for the first time.',
  ],
  markets: [
    bearsOn(SILVER_THIMBLE, {
      relevance: 'medium',
      summary: 'The same jury chooses the nominations and the winner.',
      effects: [
        {
          on: 'salt-orchard',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'medium',
          points: 11,
          because: [
            'In the past 20 years, the film with the most nominations won a little more than half of the time.',
          ],
        },
        {
          on: 'nine-bridges',
          outcome: 'YES',
          effect: 'weakens',
          relevance: 'low',
          points: 4,
          because: [
            'Six nominations is a good result, but films in second place have won only four times in 20 years.',
          ],
        },
      ],
    }),
  ],
};

const critics: Story = {
  id: 'ne_silver-thimble-critics',
  outlet: OUTLETS.understorey,
  author: null,
  categories: ['culture', 'film'],
  relevance: 'medium',
  headline: 'Critics’ guild gives its prize to “Nine Bridges”',
  shortHeadline: 'Critics choose “Nine Bridges”',
  summary:
    'The film beat “The Salt Orchard” by 123 votes to 99. A third of the guild’s members also sit on the Silver Thimble jury.',
  details: [
    'The two prizes have agreed in seven of the last ten years.',
    'Final ballots for the Silver Thimble are due in a week.',
    '“Nine Bridges” was made for a fiftieth of the budget of its rival.',
  ],
  markets: [
    bearsOn(SILVER_THIMBLE, {
      relevance: 'high',
      summary: 'Many of the critics vote for the Silver Thimble as well.',
      effects: [
        {
          on: 'nine-bridges',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 17,
          because: [
            'The prizes agree seven times in ten, and more than 70 of the 300 jurors voted in the critics’ ballot.',
          ],
        },
        {
          on: 'salt-orchard',
          outcome: 'YES',
          effect: 'weakens',
          relevance: 'high',
          points: 14,
          because: ['The favourite lost the only vote in which the two films met before the final.'],
        },
      ],
    }),
  ],
};

const winner: Story = {
  id: 'ne_silver-thimble-winner',
  outlet: OUTLETS.halvexWire,
  author: null,
  categories: ['culture', 'film', 'breaking'],
  relevance: 'high',
  headline: '“Nine Bridges” wins the Silver Thimble by four votes',
  shortHeadline: '“Nine Bridges” wins the Silver Thimble',
  summary:
    'The film beat “The Salt Orchard” by 152 votes to 148 in the second round, the closest result in the history of the prize.',
  details: [
    'The jury counted the ballots twice.',
    '“The Salt Orchard” won five of the other prizes, among them those for direction and music.',
    'The winning film returns to cinemas on Friday.',
  ],
  markets: [
    bearsOn(SILVER_THIMBLE, {
      relevance: 'high',
      summary: 'The award settles this market.',
      effects: [
        {
          on: 'nine-bridges',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 57,
          because: ['The jury has announced the winner and has already counted twice.'],
        },
        {
          on: 'salt-orchard',
          outcome: 'NO',
          effect: 'supports',
          relevance: 'high',
          points: 31,
          because: ['The film came second, by four votes of 300, and there is only one prize for best film.'],
        },
      ],
    }),
  ],
};

const carnival: Story = {
  id: 'ne_orvaux-carnival-trains',
  outlet: OUTLETS.gazetteOrvaux,
  author: 'Ghislaine d’Œuvrefontaine',
  categories: ['culture', 'transport'],
  relevance: 'low',
  headline: 'Railway adds 60 trains to Orvaux for carnival weekend',
  shortHeadline: 'Sixty extra trains for Orvaux carnival',
  summary:
    'All seats on the regular trains are sold. The record of 410,000 visitors is from the year in which the new line opened.',
  details: [
    'The extra trains carry up to 48,000 people.',
    'Hotels report that they are full within 30 km.',
    'Rain is forecast for the Sunday, the day of the parade.',
  ],
  markets: [
    bearsOn(ORVAUX_CARNIVAL, {
      relevance: 'medium',
      summary: 'More people can reach the carnival than in any earlier year.',
      effects: [
        {
          on: 'record',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'medium',
          points: 9,
          because: [
            'Demand is already above last year’s 395,000 visitors. Rain on the day of the parade is the main risk to a record.',
          ],
        },
      ],
    }),
  ],
};

export const CULTURE = { nominations, critics, winner, carnival };
