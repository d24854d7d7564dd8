import { bearsOn, type Story, storyMarket } from '../../story.js';
import { OUTLETS } from '../../story-outlets.js';

const NORTHERN_CUP = storyMarket({
  slug: 'northern-cup',
  title: 'Football: Northern Cup final',
  turnover: 205_000,
  subMarkets: {
    fjordholm: ['Will Fjordholm win the Northern Cup?', 57],
    'extra-time': ['Will the Northern Cup final go to extra time?', 26],
  },
});

const COPPER_OAR = storyMarket({
  slug: 'copper-oar',
  title: 'Rowing: winner of the Copper Oar',
  turnover: 8_900,
  subMarkets: {
    mowenstedt: ['Will Möwenstedt win the Copper Oar?', 33],
    sarnmouth: ['Will Sarnmouth win the Copper Oar?', 29],
  },
});

const MARATHON = storyMarket({
  slug: 'orvaux-marathon',
  title: 'Athletics: Orvaux marathon',
  turnover: 13_700,
  subMarkets: {
    record: ['Will the course record of the Orvaux marathon be broken?', 22],
  },
});

const injury: Story = {
  id: 'ne_northern-cup-injury',
  outlet: OUTLETS.fieldAndPaddock,
  author: 'Aldous Pell',
  categories: ['sports', 'football'],
  relevance: 'high',
  headline: 'Fjordholm lose top scorer Lindqvar for the Northern Cup final',
  shortHeadline: 'Fjordholm lose Lindqvar for the final',
  summary:
    'Tova Lindqvar tore a knee ligament in training and is out for the rest of the season, the club said.',
  details: [
    'She has scored 19 of Fjordholm’s 44 goals this season.',
    'Her likely replacement, aged 18, has started two matches.',
    'Fjordholm won one of the five matches that Lindqvar missed last year.',
  ],
  markets: [
    bearsOn(NORTHERN_CUP, {
      relevance: 'high',
      summary: 'The favourite has lost its best player five days before the final.',
      effects: [
        {
          on: 'fjordholm',
          outcome: 'YES',
          effect: 'weakens',
          relevance: 'high',
          points: 15,
          because: [
            'Fjordholm score nearly half of their goals through Lindqvar and win far less often without her.',
          ],
        },
        {
          on: 'extra-time',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'medium',
          points: 4,
          because: [
            'A weaker favourite makes for a closer match with fewer goals, and such matches are level more often after 90 minutes.',
          ],
        },
      ],
    }),
  ],
};

const ban: Story = {
  id: 'ne_northern-cup-ban',
  outlet: OUTLETS.fieldAndPaddock,
  author: 'Aldous Pell',
  categories: ['sports', 'football'],
  relevance: 'medium',
  headline: 'Sarnmouth’s goalkeeper banned from the final after appeal fails',
  shortHeadline: 'Sarnmouth goalkeeper banned from final',
  summary:
    'Ishbel Marr was sent off in the semi-final. The league rejected the club’s appeal on the eve of the match.',
  details: [
    'Her substitute has not played a league match for a year.',
    'With Marr in goal, Sarnmouth conceded fewer goals than any other side this season.',
    'The bookmakers’ favourite had changed twice this week before the decision.',
  ],
  markets: [
    bearsOn(NORTHERN_CUP, {
      relevance: 'high',
      summary: 'The other finalist now misses a key player as well.',
      effects: [
        {
          on: 'fjordholm',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 10,
          because: [
            'Sarnmouth’s strength is its defence, and a goalkeeper without match practice weakens it most.',
            'The ban offsets much of the loss of Lindqvar.',
          ],
        },
      ],
    }),
  ],
};

const final: Story = {
  id: 'ne_northern-cup-final',
  outlet: OUTLETS.halvexWire,
  author: null,
  categories: ['sports', 'football', 'breaking'],
  relevance: 'high',
  headline: 'Fjordholm beat Sarnmouth 2–1 in extra time to win the Northern Cup',
  shortHeadline: 'Fjordholm win the Northern Cup',
  summary:
    'An 18-year-old substitute for the injured Lindqvar scored both goals, the second after 112 minutes.',
  details: [
    'Sarnmouth had led until the last minute of normal time.',
    'It is Fjordholm’s first cup in 23 years.',
    'The result is official: Sarnmouth lodged no protest within the hour allowed.',
  ],
  markets: [
    bearsOn(NORTHERN_CUP, {
      relevance: 'high',
      summary: 'The final result settles this market.',
      effects: [
        {
          on: 'fjordholm',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 46,
          because: ['Fjordholm have won the final, and the deadline for a protest has passed.'],
        },
        {
          on: 'extra-time',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 68,
          because: ['The score was 1–1 after 90 minutes, so the match went to extra time.'],
        },
      ],
    }),
  ],
};

const shortCourse: Story = {
  id: 'ne_copper-oar-short-course',
  outlet: OUTLETS.courier,
  author: 'Idris Penhollow-Vane',
  categories: ['sports', 'rowing'],
  relevance: 'medium',
  headline: 'Flood water puts the Copper Oar on the short course',
  shortHeadline: 'Copper Oar moves to the short course',
  summary: 'The lower Sarn is too fast for the full distance. The eights will row 2 km instead of 6.8.',
  details: [
    'The short course was last used nine years ago.',
    'Sarnmouth have the fastest start of the season and tend to fade after 3 km.',
    'Möwenstedt have won the last four races over the long course, always from behind.',
  ],
  markets: [
    bearsOn(COPPER_OAR, {
      relevance: 'high',
      summary: 'The length of the course favours some crews over others.',
      effects: [
        {
          on: 'sarnmouth',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 11,
          because: [
            'A race of 2 km is usually decided by the start, and no crew starts faster than Sarnmouth.',
          ],
        },
        {
          on: 'mowenstedt',
          outcome: 'YES',
          effect: 'weakens',
          relevance: 'high',
          points: 10,
          because: [
            'Möwenstedt win in the last third of a long race. On a course of 2 km the race is over before they usually attack.',
          ],
        },
      ],
    }),
  ],
};

const marathon: Story = {
  id: 'ne_orvaux-marathon-weather',
  outlet: OUTLETS.fieldAndPaddock,
  author: null,
  categories: ['sports', 'athletics', 'weather'],
  relevance: 'low',
  headline: 'Cool, still morning forecast for the Orvaux marathon',
  shortHeadline: 'Good weather for the Orvaux marathon',
  summary:
    'Forecasters expect 9 degrees and almost no wind at the start, the best conditions in twelve years.',
  details: [
    'The course record of 2:04:51 was set on a similar morning.',
    'Three runners on the start list have been faster than the record elsewhere.',
    'A gravel section along the canal usually costs the leaders about 40 seconds.',
  ],
  markets: [
    bearsOn(MARATHON, {
      relevance: 'medium',
      summary: 'Times in a marathon depend on the weather.',
      effects: [
        {
          on: 'record',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'low',
          points: 5,
          because: [
            'There is no bonus for a record, so the leaders need not try. But they rarely get such a morning: the present record was set on one.',
          ],
        },
      ],
    }),
  ],
};

export const SPORT = { injury, ban, final, shortCourse, marathon };
