import { bearsOn, type Story, storyMarket } from '../../story.js';
import { OUTLETS } from '../../story-outlets.js';

const SUNDREL_INFLATION = storyMarket({
  slug: 'sundrel-inflation',
  title: 'Sundrel: annual inflation in the next release',
  turnover: 31_000,
  subMarkets: {
    'above-3': ['Will Sundrel report inflation above 3%?', 62],
    'above-4': ['Will Sundrel report inflation above 4%?', 21],
  },
});

const fuelDuty: Story = {
  id: 'ne_sundrel-fuel-duty',
  outlet: OUTLETS.sundrelHerald,
  author: 'Corin Teague',
  categories: ['economy', 'taxes'],
  relevance: 'medium',
  headline: 'Sundrel’s higher fuel duty was charged two weeks early, ministry admits',
  shortHeadline: 'Sundrel fuel duty was charged early',
  summary:
    'Filling stations passed on the new duty from the middle of the month, so part of it falls into the next inflation figure.',
  details: [
    'The duty adds about 7% to the price of petrol.',
    'Fuel makes up a twentieth of the basket of goods from which inflation is calculated.',
    'Most forecasts had counted the effect in the following month only.',
  ],
  markets: [
    bearsOn(SUNDREL_INFLATION, {
      relevance: 'medium',
      summary:
        'Petrol is part of the basket, and the increase now falls into the month that this market is about.',
      effects: [
        {
          on: 'above-3',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'medium',
          points: 9,
          because: [
            'Two weeks of dearer petrol add close to 0.2 points to the figure.',
            'The median forecast was 3.0%, so a small addition is enough to pass 3%.',
          ],
        },
        {
          on: 'above-4',
          outcome: 'YES',
          effect: 'neutral',
          relevance: 'low',
          because: [
            'Fuel alone cannot lift inflation from 3% to 4%: petrol would have to rise by a fifth within the month.',
          ],
        },
      ],
    }),
  ],
};

const inflation: Story = {
  id: 'ne_sundrel-inflation-release',
  outlet: OUTLETS.sundrelHerald,
  author: 'Corin Teague',
  categories: ['economy', 'statistics', 'breaking'],
  relevance: 'high',
  headline: 'Sundrel inflation jumps to 4.3%, far above forecasts',
  shortHeadline: 'Sundrel inflation jumps to 4.3%',
  summary:
    'Consumer prices rose by 4.3% over the year, according to a table on the website of the statistics office.',
  details: [
    'Forecasts had been between 2.8% and 3.5%.',
    'The office had not yet published its commentary when the table appeared.',
    'A jump of this size would be the largest since the index was introduced.',
  ],
  markets: [
    bearsOn(SUNDREL_INFLATION, {
      relevance: 'high',
      summary: 'The table is the release that settles this market.',
      effects: [
        {
          on: 'above-4',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 60,
          because: [
            'The published figure is 4.3%. The market settles on this figure unless the office changes it.',
          ],
        },
      ],
    }),
  ],
};

const inflationCorrected: Story = {
  ...inflation,
  categories: ['economy', 'statistics', 'correction'],
  headline: 'Correction: Sundrel inflation is 3.4%, not 4.3%',
  shortHeadline: 'Correction: Sundrel inflation is 3.4%',
  summary:
    'The statistics office has replaced its table: two digits were transposed. Consumer prices rose by 3.4% over the year.',
  details: [
    'An earlier version of this story gave 4.3%, the wrong figure from the first table.',
    'The office apologised and said that the commentary had the right figure all along.',
    'At 3.4%, inflation is near the top of the range of forecasts.',
  ],
  markets: [
    bearsOn(SUNDREL_INFLATION, {
      relevance: 'high',
      summary: 'The corrected table is the release that settles this market.',
      effects: [
        {
          on: 'above-3',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 24,
          because: [
            'The corrected figure of 3.4% is above 3%, and the office has confirmed it in its commentary.',
          ],
        },
        {
          on: 'above-4',
          outcome: 'NO',
          effect: 'supports',
          relevance: 'high',
          points: 19,
          because: [
            'The 4.3% that lifted this price was a typing error. At 3.4% the question settles as NO.',
          ],
        },
      ],
    }),
  ],
};

export const INFLATION = { fuelDuty, inflation, inflationCorrected };
