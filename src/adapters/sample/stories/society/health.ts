import { bearsOn, type Story, storyMarket } from '../../story.js';
import { OUTLETS } from '../../story-outlets.js';

const MARSH_FEVER_VACCINE = storyMarket({
  slug: 'marsh-fever-vaccine',
  title: 'Calloway Biologics: marsh fever vaccine',
  turnover: 36_000,
  subMarkets: {
    approved: ['Will Tolmere approve Calloway’s marsh fever vaccine this year?', 43],
    children: ['Will the first approval include children under 12?', 25],
  },
});

const MEASLES = storyMarket({
  slug: 'sundrel-measles',
  title: 'Sundrel: measles outbreak',
  turnover: 6_100,
  subMarkets: {
    'above-500': ['Will Sundrel report more than 500 measles cases this season?', 46],
  },
});

const trial: Story = {
  id: 'ne_marsh-fever-trial',
  outlet: OUTLETS.halvexWire,
  author: null,
  categories: ['health', 'science', 'companies'],
  relevance: 'high',
  headline: 'Marsh fever vaccine prevents 81% of cases in trial with 14,000 adults',
  shortHeadline: 'Marsh fever vaccine 81% effective in trial',
  summary:
    'Calloway Biologics said that its vaccine passed the last of three trials. The regulator asks for at least 60%.',
  details: [
    'Side effects were mild, and as frequent as with other vaccines.',
    'The company will apply for approval in Tolmere within four weeks.',
    'Children did not take part; a separate trial with 900 of them ends in the winter.',
    'Marsh fever affects about 30,000 people a year around the Merrowind.',
  ],
  markets: [
    bearsOn(MARSH_FEVER_VACCINE, {
      relevance: 'high',
      summary: 'The regulator decides on the basis of this trial.',
      effects: [
        {
          on: 'approved',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 17,
          because: [
            'The result is far above the required 60%, and no safety concern has appeared.',
            'The review takes seven months on average, so approval this year is possible but not certain.',
          ],
        },
        {
          on: 'children',
          outcome: 'NO',
          effect: 'supports',
          relevance: 'high',
          points: 10,
          because: [
            'There will be no data on children before the winter. A first approval this year can cover adults only.',
          ],
        },
      ],
    }),
  ],
};

const questions: Story = {
  id: 'ne_marsh-fever-questions',
  outlet: OUTLETS.ledger,
  author: 'Đorđe Rastkamen',
  categories: ['health', 'regulation', 'companies'],
  relevance: 'medium',
  headline: 'Regulator stops the clock on marsh fever vaccine to ask about its factory',
  shortHeadline: 'Regulator has questions on vaccine factory',
  summary:
    'Calloway must explain why two batches differed in strength. The review is paused until it has replied.',
  details: [
    'The company says that it will reply within five weeks.',
    'A pause of this kind adds two to three months on average.',
    'The questions do not concern the trial.',
  ],
  markets: [
    bearsOn(MARSH_FEVER_VACCINE, {
      relevance: 'high',
      summary: 'The pause delays the decision that this market is about.',
      effects: [
        {
          on: 'approved',
          outcome: 'YES',
          effect: 'weakens',
          relevance: 'high',
          points: 14,
          because: [
            'Two to three more months move the expected decision from late autumn to the last weeks of the year.',
          ],
        },
      ],
    }),
  ],
};

const panel: Story = {
  id: 'ne_marsh-fever-panel',
  outlet: OUTLETS.courier,
  author: 'Zoë Quarrelborn',
  categories: ['health', 'regulation', 'companies'],
  relevance: 'high',
  headline: 'Advisers to Tolmere’s regulator back marsh fever vaccine by 11 votes to two',
  shortHeadline: 'Advisers back marsh fever vaccine',
  summary:
    'The panel was satisfied with Calloway’s answers about its factory. The regulator follows its panel nine times in ten.',
  details: [
    'The two members who voted against want a longer study of older patients.',
    'The panel recommends approval for adults.',
    'A decision is due within six weeks, before the year ends.',
  ],
  markets: [
    bearsOn(MARSH_FEVER_VACCINE, {
      relevance: 'high',
      summary: 'The panel’s vote is the last step before the decision.',
      effects: [
        {
          on: 'approved',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 38,
          because: [
            'The open question about the factory is answered, the vote is clear, and the deadline falls in this year.',
          ],
        },
        {
          on: 'children',
          outcome: 'YES',
          effect: 'weakens',
          relevance: 'medium',
          points: 7,
          because: ['The panel recommends the vaccine for adults and says nothing of children.'],
        },
      ],
    }),
  ],
};

const measles: Story = {
  id: 'ne_sundrel-measles-schools',
  outlet: OUTLETS.sundrelHerald,
  author: 'Corin Teague',
  categories: ['health', 'education'],
  relevance: 'medium',
  headline: 'Sundrel closes three schools as measles cases reach 212',
  shortHeadline: 'Sundrel closes schools over measles',
  summary:
    'The number of cases has doubled in 16 days. Health officials will vaccinate pupils at 40 schools from Monday.',
  details: [
    'Only 84% of children in the district are vaccinated; 95% would stop the disease from spreading.',
    'The last outbreak, eleven years ago, ended at 430 cases after a similar campaign.',
    'Officials expect the count to rise for another two weeks whatever they do.',
  ],
  markets: [
    bearsOn(MEASLES, {
      relevance: 'high',
      summary: 'The market counts the cases that this story reports.',
      effects: [
        {
          on: 'above-500',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 10,
          because: [
            'The vaccinations can slow the rise, but not in the next two weeks, officials say.',
            'At the present pace the count passes 400 in 16 days and 500 within three weeks.',
          ],
        },
      ],
    }),
  ],
};

export const HEALTH = { trial, questions, panel, measles };
