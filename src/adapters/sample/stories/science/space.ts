import { bearsOn, type Story, storyMarket } from '../../story.js';
import { OUTLETS } from '../../story-outlets.js';

const PETREL = storyMarket({
  slug: 'petrel-probe',
  title: 'Petrel: arrival at the moon Iselle',
  turnover: 17_300,
  subMarkets: {
    orbit: ['Will Petrel enter orbit around Iselle at the first attempt?', 72],
    picture: ['Will a picture of Iselle be published within a week of arrival?', 80],
  },
});

const HERON = storyMarket({
  slug: 'heron-two',
  title: 'Heron 2: first launch',
  turnover: 14_100,
  subMarkets: {
    'this-season': ['Will Heron 2 lift off before the season ends?', 49],
    orbit: ['Will the first Heron 2 reach orbit?', 41],
  },
});

const thruster: Story = {
  id: 'ne_petrel-thruster',
  outlet: OUTLETS.courier,
  author: 'Zoë Quarrelborn',
  categories: ['science', 'space'],
  relevance: 'high',
  headline: 'One of Petrel’s four thrusters shuts down in a test before arrival',
  shortHeadline: 'Petrel thruster fails a test',
  summary:
    'The probe must brake for 38 minutes to enter orbit. Engineers do not yet know why the thruster stopped after nine.',
  details: [
    'Petrel left nine years ago and can make only one attempt: if it does not brake, it flies past.',
    'Three thrusters are enough on paper, but the manoeuvre would take 51 minutes and use almost all the fuel.',
    'Arrival is in 24 days.',
  ],
  markets: [
    bearsOn(PETREL, {
      relevance: 'high',
      summary: 'The thruster is needed for the manoeuvre that settles this market.',
      effects: [
        {
          on: 'orbit',
          outcome: 'YES',
          effect: 'weakens',
          relevance: 'high',
          points: 18,
          because: [
            'With three thrusters there is no margin for another fault, and the cause may affect the others as well.',
          ],
        },
        {
          on: 'picture',
          outcome: 'YES',
          effect: 'neutral',
          relevance: 'low',
          because: [
            'The camera takes its first pictures during the approach, whether or not the probe then enters orbit.',
          ],
        },
      ],
    }),
  ],
};

const correction: Story = {
  id: 'ne_petrel-course-correction',
  outlet: OUTLETS.noticeBoard,
  author: 'Petrel Mission Control',
  categories: ['science', 'space'],
  relevance: 'medium',
  headline: 'Petrel completes its last course correction on all four thrusters',
  shortHeadline: 'Petrel thrusters work again',
  summary:
    'A wrong temperature limit in the software had stopped the thruster. Engineers changed it, and all four ran for twelve minutes.',
  details: [
    'The probe is now 11 km from the centre of its corridor, which is 90 km wide.',
    'No further correction is planned before arrival in 16 days.',
    'The thrusters were not run for the full 38 minutes, to save fuel.',
  ],
  markets: [
    bearsOn(PETREL, {
      relevance: 'high',
      summary: 'The fault that endangered the manoeuvre has been explained and removed.',
      effects: [
        {
          on: 'orbit',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 24,
          because: [
            'The cause was software, it is fixed, and the course is good. What remains open is whether the thrusters run for 38 minutes instead of twelve.',
          ],
        },
      ],
    }),
  ],
};

const staticFire: Story = {
  id: 'ne_heron-static-fire',
  outlet: OUTLETS.halvexWire,
  author: null,
  categories: ['space', 'technology'],
  relevance: 'medium',
  headline: 'Heron 2 rocket runs all nine engines for the full time in a ground test',
  shortHeadline: 'Heron 2 passes its engine test',
  summary:
    'The test lasted 160 seconds, as long as a flight. Two earlier attempts had been stopped by sensors.',
  details: [
    'The company now has to obtain a launch licence. It applied ten weeks ago.',
    'Licences for new rockets took between 12 and 20 weeks.',
    'The launch season ends in nine weeks, when storms begin over the Merrowind.',
  ],
  markets: [
    bearsOn(HERON, {
      relevance: 'high',
      summary: 'The test was the last technical condition for a launch.',
      effects: [
        {
          on: 'this-season',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 12,
          because: [
            'Only the licence is missing. At the usual pace it comes in two to ten weeks, and the season has nine left.',
          ],
        },
        {
          on: 'orbit',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'medium',
          points: 5,
          because: [
            'Engines that ran for a full flight on the ground remove the most common cause of failed first launches.',
          ],
        },
      ],
    }),
  ],
};

export const SPACE = { thruster, correction, staticFire };
