import { bearsOn, type Story } from '../story.js';
import { OUTLETS } from '../story-outlets.js';
import { TOLMERE_RATE } from './economy/central-bank.js';
import { COASTAL_GAS } from './economy/energy.js';
import { STEEL_TARIFF } from './economy/trade.js';
import { HALVEX_STRAIT } from './politics/geopolitics.js';
import { KIRIHAMA_PLANT } from './science/technology.js';
import { ORVAUX_CARNIVAL } from './society/culture.js';

const spanish: Story = {
  id: 'ne_gas-cargoes',
  outlet: OUTLETS.penalumbre,
  author: 'Íñigo Zarzaluenga',
  categories: ['energy'],
  relevance: 'medium',
  headline: 'Peñalumbre compra seis cargamentos de gas para llenar sus cavernas',
  shortHeadline: 'Peñalumbre compra seis cargamentos de gas',
  summary: 'El gestor de las cavernas ha contratado seis buques que llegarán en las próximas cuatro semanas.',
  details: [
    'Los cargamentos equivalen a nueve puntos del nivel de las reservas, que están al 38%.',
    'El precio medio fue de 43 coronas, según dos operadores que participaron en la subasta.',
    'El gestor no prevé más compras antes del final del trimestre.',
  ],
  markets: [
    bearsOn(COASTAL_GAS, {
      relevance: 'medium',
      summary: 'Las compras aumentan la oferta en el trimestre al que se refiere este mercado.',
      effects: [
        {
          on: 'above-55',
          outcome: 'YES',
          effect: 'weakens',
          relevance: 'medium',
          points: 6,
          because: [
            'Con seis cargamentos asegurados a unas 43 coronas, es menos probable que los compradores tengan que pujar por encima de 55.',
          ],
        },
      ],
    }),
  ],
};

const japanese: Story = {
  id: 'ne_kirihama-yield-test',
  outlet: OUTLETS.kirihama,
  author: '桐乃原 みなせ',
  categories: ['technology', 'industry'],
  relevance: 'medium',
  headline: '霧浜半導体、二層チップの歩留まりが58%に向上',
  shortHeadline: '二層チップの歩留まり58%に',
  summary: '霧浜半導体は、二層チップの歩留まりが前四半期の51%から58%に上がったと発表した。',
  details: [
    '洗浄工程を一つ増やしたことで、層の間に残る微粒子が減ったという。',
    '同社は年内に60%を超えることを目標としている。',
    '次の報告は三か月後に予定されている。',
  ],
  markets: [
    bearsOn(KIRIHAMA_PLANT, {
      relevance: 'high',
      summary: '歩留まりは、この市場が問う数値そのものである。',
      effects: [
        {
          on: 'yield',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 12,
          because: [
            '一四半期で7ポイント上がり、60%まであと2ポイントとなった。年内の報告はあと一回残っており、同じ改善の半分でも目標を超える。',
          ],
        },
      ],
    }),
  ],
};

const arabic: Story = {
  id: 'ne_steel-petition',
  outlet: OUTLETS.sahil,
  author: null,
  categories: ['trade', 'labour'],
  relevance: 'low',
  headline: 'نقابات الصلب في ساندريل تطالب الوزير برفض عرض كارفينيا',
  shortHeadline: 'نقابات الصلب ترفض عرض كارفينيا',
  summary: 'وقّع نحو أحد عشر ألف عامل عريضة تطالب بفرض رسوم على الصلب المستورد بدلاً من الاتفاق على سعر أدنى.',
  details: [
    'تقول النقابات إن السعر الأدنى لا يمكن التحقق منه.',
    'ينتمي الوزير إلى دائرة انتخابية يقع فيها أحد المصنعين الباقيين.',
    'لم يعلّق الوزير على العريضة حتى الآن.',
  ],
  markets: [
    bearsOn(STEEL_TARIFF, {
      relevance: 'medium',
      summary: 'قرار الوزير هو الذي يحسم هذه السوق.',
      effects: [
        {
          on: 'imposed',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'low',
          points: 4,
          because: [
            'تزيد العريضة الضغط على الوزير في دائرته، لكنها لا تغيّر الشروط القانونية، ولذلك يبقى أثرها محدوداً.',
          ],
        },
      ],
    }),
  ],
};

const german: Story = {
  id: 'ne_tolmere-rents',
  outlet: OUTLETS.kuestenbote,
  author: 'Änne Möwenstädt',
  categories: ['economy', 'housing'],
  relevance: 'medium',
  headline: 'Mieten in Tolmere steigen so langsam wie seit drei Jahren nicht mehr',
  shortHeadline: 'Mieten in Tolmere steigen langsamer',
  summary:
    'Neue Mietverträge waren im Schnitt 3,8 Prozent teurer als vor einem Jahr. Im Vorquartal waren es 5,2 Prozent.',
  details: [
    'Die Zentralbank von Tolmere hatte die Mieten zuletzt als Grund genannt, mit einer Zinssenkung zu warten.',
    'Das Statistikamt weist darauf hin, dass bestehende Verträge erst mit Verzögerung folgen.',
    'Die nächste Zinsentscheidung steht kurz bevor.',
  ],
  markets: [
    bearsOn(TOLMERE_RATE, {
      relevance: 'medium',
      summary: 'Die Mieten sind das wichtigste Argument derer, die den Zins nicht senken wollen.',
      effects: [
        {
          on: 'cut',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'medium',
          points: 5,
          because: [
            'Das Argument der Gouverneurin gegen eine Senkung verliert an Gewicht. Da bestehende Verträge noch nicht erfasst sind, kann sie dennoch dabei bleiben.',
          ],
        },
      ],
    }),
  ],
};

const french: Story = {
  id: 'ne_orvaux-carnival-rain',
  outlet: OUTLETS.gazetteOrvaux,
  author: 'Noël Çaprais-Hérault',
  categories: ['culture', 'weather'],
  relevance: 'low',
  headline: 'Carnaval d’Orvaux : le défilé avancé au samedi pour éviter la pluie',
  shortHeadline: 'Carnaval d’Orvaux : défilé avancé au samedi',
  summary: 'La ville a avancé le défilé des géants d’un jour. Du soleil est annoncé pour le samedi.',
  details: [
    'Les chemins de fer ont confirmé que les trains supplémentaires circuleront dès le vendredi soir.',
    'Le défilé n’avait pas changé de jour depuis dix-neuf ans.',
    'Les billets déjà achetés restent valables.',
  ],
  markets: [
    bearsOn(ORVAUX_CARNIVAL, {
      relevance: 'high',
      summary: 'Le nombre de visiteurs dépend surtout du jour du défilé.',
      effects: [
        {
          on: 'record',
          outcome: 'YES',
          effect: 'supports',
          relevance: 'high',
          points: 13,
          because: [
            'La pluie du dimanche était le principal obstacle à un record. Avec un défilé au soleil et les trains confirmés, il disparaît.',
          ],
        },
      ],
    }),
  ],
};

const portuguese: Story = {
  id: 'ne_halvex-pilots',
  outlet: OUTLETS.farol,
  author: null,
  categories: ['shipping'],
  relevance: 'low',
  headline: 'Pilotos do estreito de Halvex aceitam trabalhar à noite após a reabertura',
  shortHeadline: 'Pilotos de Halvex aceitam turno da noite',
  summary: 'O sindicato dos pilotos aprovou um turno da noite por 64 votos contra nove.',
  details: [
    'Com o novo turno, até 40 cargueiros por dia podem atravessar o estreito, o dobro do previsto no acordo.',
    'O turno começa no dia da reabertura.',
    'As seguradoras, porém, só decidem depois de um mês de inspeções.',
  ],
  markets: [
    bearsOn(HALVEX_STRAIT, {
      relevance: 'low',
      summary: 'Os pilotos determinam quantos navios podem passar por dia.',
      effects: [
        {
          on: 'midsummer',
          outcome: 'YES',
          effect: 'neutral',
          relevance: 'low',
          because: [
            'O mercado pede dez cargueiros num dia, e para isso o turno do dia já bastava. A data depende das seguradoras, não dos pilotos.',
          ],
        },
      ],
    }),
  ],
};

/** The stories in other languages, by the id of the English story that each one follows. */
export const OTHER_LANGUAGES: readonly { readonly after: string; readonly story: Story }[] = [
  { after: 'ne_gas-storage-cold-spell', story: spanish },
  { after: 'ne_halvex-insurers', story: portuguese },
  { after: 'ne_kirihama-subsidy', story: japanese },
  { after: 'ne_steel-minimum-price', story: arabic },
  { after: 'ne_tolmere-governor-no-hurry', story: german },
  { after: 'ne_orvaux-carnival-trains', story: french },
];
