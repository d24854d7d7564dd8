import { bearsOn, type Story, storyMarket } from '../../story.js';
import { OUTLETS } from '../../story-outlets.js';

export const TOLMERE_RATE = storyMarket({
  slug: 'tolmere-rate',
  title: 'Bank of Tolmere: key rate after the next meeting',
  turnover: 84_000,
  subMarkets: {
    cut: ['Will the Bank of Tolmere cut its key rate at the next meeting?', 34],
    hold: ['Will the Bank of Tolmere leave its key rate at 4.00%?', 58],
    rise: ['Will the Bank of Tolmere raise its key rate at the next meeting?', 8],
  },
});

const minutes: Story = {
  id: 'ne_tolmere-rate-minutes',
  outlet: OUTLETS.ledger,
  author: 'Perpetua Oakenshaw',
  categories: ['economy', 'central_banks'],
  relevance: 'high',
  headline: 'Three of nine Tolmere rate-setters wanted a cut last month, minutes show',
  shortHeadline: 'Three Tolmere rate-setters wanted a cut',
  summary:
    'The Bank of Tolmere kept its key rate at 4.00% by six votes to three, one vote closer than investors thought.',
  details: [
    'The bank did not name the three on the day of the decision; the minutes, published on Wednesday, do.',
    'One of them, deputy governor Piers Halsham, had never voted for a cut before.',
    'Two members of the majority said that they would “look again” once the next wage figures were out.',
    'The committee meets again in four weeks.',
  ],
  markets: [
    bearsOn(TOLMERE_RATE, {
      relevance: 'high',
      summary: 'The minutes show how the people who decide this market voted last time.',
      effects: [
        {
          on: 'cut',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 10,
          because: [
            'A cut needs five of nine votes. Three members have already voted for one, and two more have tied their vote to data that arrives before the meeting.',
            'The path to a majority is shorter than the price implies.',
          ],
        },
        {
          on: 'hold',
          outcome: 'YES',
          effect: 'weakens',
          relevance: 'medium',
          points: 9,
          because: [
            'The majority for no change is six, and two of the six say that they are undecided.',
            'A hold remains possible, but it is no longer the default.',
          ],
        },
      ],
    }),
  ],
};

const wages: Story = {
  id: 'ne_tolmere-wage-growth',
  outlet: OUTLETS.courier,
  author: 'Idris Penhollow-Vane',
  categories: ['economy', 'labour'],
  relevance: 'high',
  headline: 'Tolmere wage growth slows to 2.9%, the lowest in four years',
  shortHeadline: 'Tolmere wage growth slows to 2.9%',
  summary:
    'Average pay rose by 2.9% over the year, down from 3.6% a quarter ago. Economists had expected 3.3%.',
  details: [
    'Pay in services, which the central bank watches most closely, rose by 3.1%.',
    'The number of vacancies fell for the seventh month in a row.',
    'Two members of the rate committee said last month that the figure would decide their vote.',
    'The statistics office said that one-off bonuses played no part in the slowdown.',
  ],
  markets: [
    bearsOn(TOLMERE_RATE, {
      relevance: 'high',
      summary: 'Wage growth is the figure that two undecided members of the committee are waiting for.',
      effects: [
        {
          on: 'cut',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 13,
          because: [
            'Two members made their vote depend on this release, and it came in well below the forecast.',
            'With the three who already favour a cut, they would form a majority.',
          ],
        },
        {
          on: 'rise',
          outcome: 'NO',
          effect: 'supports',
          relevance: 'low',
          points: 3,
          because: [
            'Slower pay growth removes the only argument for a rise that any member has made this year.',
          ],
        },
      ],
    }),
  ],
};

const governor: Story = {
  id: 'ne_tolmere-governor-no-hurry',
  outlet: OUTLETS.halvexWire,
  author: null,
  categories: ['economy', 'central_banks'],
  relevance: 'medium',
  headline: 'No hurry to cut rates, says Bank of Tolmere governor Ilse Marrable',
  shortHeadline: 'Marrable: no hurry to cut rates',
  summary:
    'The governor told a business dinner in Sarnmouth that one good wage figure “does not make a trend”.',
  details: [
    'Ilse Marrable spoke the evening after wage growth came in below forecasts.',
    'She said that rents were still rising by more than 5% a year and that the bank could afford to wait for one more release.',
    'Marrable has one vote of nine, but she has been on the winning side of every decision since she took office.',
  ],
  markets: [
    bearsOn(TOLMERE_RATE, {
      relevance: 'high',
      summary: 'The governor chairs the committee that settles this market.',
      effects: [
        {
          on: 'cut',
          outcome: 'YES',
          effect: 'weakens',
          relevance: 'high',
          points: 9,
          because: [
            'The governor has never been outvoted, and she asked in public for one more release, which comes after the meeting.',
            'Members who waver are likely to follow her.',
          ],
        },
        {
          on: 'hold',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 9,
          because: [
            '“Wait for one more release” means no change at this meeting. It is the plainest hint she has given.',
          ],
        },
      ],
    }),
  ],
};

const decision: Story = {
  id: 'ne_tolmere-rate-decision',
  outlet: OUTLETS.halvexWire,
  author: null,
  categories: ['economy', 'central_banks', 'breaking'],
  relevance: 'high',
  headline: 'Bank of Tolmere cuts key rate to 3.75%, overruling its governor',
  shortHeadline: 'Bank of Tolmere cuts its rate to 3.75%',
  summary:
    'The committee voted five to four for a cut of a quarter of a point. Governor Ilse Marrable voted against.',
  details: [
    'It is the first time in eleven years that a governor of the bank has been outvoted.',
    'The statement cites slower pay growth and says that further steps “will depend on rents”.',
    'The new rate takes effect on Monday.',
  ],
  markets: [
    bearsOn(TOLMERE_RATE, {
      relevance: 'high',
      summary: 'The decision settles this market.',
      effects: [
        {
          on: 'cut',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 50,
          because: [
            'Before the announcement, traders saw a chance of about one in two. The bank has now announced the cut, and only the formal settlement of the market is left.',
          ],
        },
        {
          on: 'hold',
          outcome: 'NO',
          effect: 'supports',
          relevance: 'high',
          points: 55,
          because: ['The rate is no longer 4.00%, so this question settles as NO.'],
        },
      ],
    }),
  ],
};

export const CENTRAL_BANK = { minutes, wages, governor, decision };
