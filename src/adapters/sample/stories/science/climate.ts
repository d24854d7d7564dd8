import { bearsOn, type Story, storyMarket } from '../../story.js';
import { OUTLETS } from '../../story-outlets.js';

const STORMS = storyMarket({
  slug: 'merrowind-storms',
  title: 'How many storms are named over the Merrowind this season?',
  turnover: 19_500,
  subMarkets: {
    'at-least-12': ['Will at least 12 storms be named over the Merrowind?', 57],
    'at-least-16': ['Will at least 16 storms be named over the Merrowind?', 22],
  },
});

const ORVAUX_WATER = storyMarket({
  slug: 'orvaux-water',
  title: 'Orvaux: drought and harvest',
  turnover: 10_300,
  subMarkets: {
    rationing: ['Will Orvaux ration water before the harvest?', 33],
    harvest: ['Will the Orvaux wheat harvest beat the five-year average?', 44],
  },
});

const warmSea: Story = {
  id: 'ne_merrowind-warm-sea',
  outlet: OUTLETS.understorey,
  author: 'Fenwick Applegarth-Ndele',
  categories: ['climate', 'weather'],
  relevance: 'medium',
  headline: 'Merrowind buoys record the warmest spring water since measurements began',
  shortHeadline: 'Warmest spring water in the Merrowind',
  summary: 'The mean of the six buoys was 17.8 degrees, 1.6 above the average and 0.4 above the old record.',
  details: [
    'Warm water feeds storms. The three seasons with the warmest spring brought 13, 15 and 17 named storms.',
    'An ordinary season brings eleven.',
    'Winds high in the atmosphere can still suppress storms, and cannot be forecast this early.',
  ],
  markets: [
    bearsOn(STORMS, {
      relevance: 'medium',
      summary: 'Water temperature in spring is the best early indicator of the number of storms.',
      effects: [
        {
          on: 'at-least-12',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'medium',
          points: 9,
          because: [
            'The price assumed little more than an ordinary season of eleven storms. Each of the three comparable seasons had more than 12.',
          ],
        },
        {
          on: 'at-least-16',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'low',
          points: 5,
          because: [
            'Traders had seen a chance of about one in five. One of the three comparable seasons reached 16, so one in three is nearer.',
          ],
        },
      ],
    }),
  ],
};

const seasonForecast: Story = {
  id: 'ne_merrowind-season-forecast',
  outlet: OUTLETS.noticeBoard,
  author: 'Merrowind Weather Office',
  categories: ['climate', 'weather'],
  relevance: 'high',
  headline: 'Weather office forecasts 14 to 17 storms over the Merrowind',
  shortHeadline: 'Forecast: 14 to 17 Merrowind storms',
  summary:
    'It is the highest forecast that the office has ever issued. It gives the range a probability of 70%.',
  details: [
    'The office cites record water temperatures and weak winds aloft.',
    'In the past ten years, the number of storms was within the forecast range seven times and below it three times.',
    'The season begins in eight weeks.',
  ],
  markets: [
    bearsOn(STORMS, {
      relevance: 'high',
      summary: 'The office that names the storms also makes the forecast.',
      effects: [
        {
          on: 'at-least-12',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 13,
          because: ['Even the lower end of the range is two storms above 12, which leaves room for error.'],
        },
        {
          on: 'at-least-16',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'medium',
          points: 9,
          because: [
            'Until now no forecast went as high as 16, and traders saw it as unlikely. Now the number lies within the official range.',
          ],
        },
      ],
    }),
  ],
};

const reservoirs: Story = {
  id: 'ne_orvaux-reservoirs',
  outlet: OUTLETS.gazetteOrvaux,
  author: 'Ghislaine d’Œuvrefontaine',
  categories: ['climate', 'agriculture'],
  relevance: 'high',
  headline: 'Orvaux reservoirs stand at 46%, one point above the threshold for rationing',
  shortHeadline: 'Orvaux reservoirs close to rationing level',
  summary:
    'The province must ration water when the four reservoirs together fall below 45%. They lose about a point a week.',
  details: [
    'Rationing begins with a ban on watering fields by day.',
    'Winter brought a third less rain than usual.',
    'Farmers have asked for the threshold to be lowered; the governor has refused.',
  ],
  markets: [
    bearsOn(ORVAUX_WATER, {
      relevance: 'high',
      summary:
        'The level of the reservoirs decides whether water is rationed, and rationing affects the harvest.',
      effects: [
        {
          on: 'rationing',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 21,
          because: [
            'At the present rate the threshold is reached in a week or two, and the rule leaves the province no choice.',
          ],
        },
        {
          on: 'harvest',
          outcome: 'YES',
          effect: 'weakens',
          relevance: 'medium',
          points: 9,
          because: [
            'Wheat needs the most water in the next month. A ban on watering by day would cut yields by a tenth, the growers say.',
          ],
        },
      ],
    }),
  ],
};

const rain: Story = {
  id: 'ne_orvaux-rain',
  outlet: OUTLETS.gazetteOrvaux,
  author: 'Noël Çaprais-Hérault',
  categories: ['climate', 'agriculture', 'weather'],
  relevance: 'medium',
  headline: 'Four days of steady rain lift Orvaux reservoirs to 53%',
  shortHeadline: 'Rain lifts Orvaux reservoirs to 53%',
  summary: 'The province had more rain in four days than in the two months before. No rationing is planned.',
  details: [
    'The ground took up the water well, because the rain fell slowly.',
    'More rain is forecast for the weekend.',
    'The harvest begins in eleven weeks.',
  ],
  markets: [
    bearsOn(ORVAUX_WATER, {
      relevance: 'high',
      summary: 'The reservoirs are now well above the threshold.',
      effects: [
        {
          on: 'rationing',
          outcome: 'YES',
          effect: 'weakens',
          relevance: 'high',
          points: 27,
          because: [
            'The margin has grown from one point to eight, which lasts for eight of the eleven weeks until the harvest. The rain that is forecast for the weekend should cover the rest.',
          ],
        },
        {
          on: 'harvest',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'medium',
          points: 12,
          because: [
            'The rain came in the month in which wheat needs it most, and without the damage of a storm.',
          ],
        },
      ],
    }),
  ],
};

export const CLIMATE = { warmSea, seasonForecast, reservoirs, rain };
