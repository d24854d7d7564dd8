import type { PricePoint } from '../../../domain/feed/markets/price-line.js';
import { between } from '../../../domain/moment.js';
import { cardId } from '../feed/feed-card.js';
import { momentText } from '../page/moment.js';
import { cents } from './price-text.js';

const WIDTH = 720;
const HEIGHT = 120;
/** Room for the marks at the edges. */
const EDGE = 14;

type ChartProps = {
  readonly points: readonly PricePoint[];
  /** Whether the card of each item is on the page: its dot then leads to it. */
  readonly hasCards?: boolean;
};

/** The price at each item as a line of steps. It is no history of ticks: between two items the price is not known. */
export const PriceChart = ({ points, hasCards = true }: ChartProps) => {
  const [first, last] = [points.at(0), points.at(-1)];
  if (first === undefined || last === undefined || points.length < 2) return null;
  const marks = marksOf(points);
  const path = marks.map(({ x, y }, i) => (i === 0 ? `M${x} ${y}` : `H${x}V${y}`)).join('');
  const label = `Yes ask at ${points.length} items: from ${cents(first.yesAsk)} to ${cents(last.yesAsk)}`;
  return (
    <figure class="price-line">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role={hasCards ? undefined : 'img'} aria-label={label}>
        <path d={path} />
        {marks.map(({ x, y, point }, i) =>
          hasCards ? (
            <a key={point.at} href={`#${cardId(i + 1)}`} aria-label={`Item ${i + 1}: ${cents(point.yesAsk)}`}>
              <circle cx={x} cy={y} r="8">
                <title>{`${i + 1}: ${cents(point.yesAsk)}, ${momentText(point.at)}`}</title>
              </circle>
              <text x={x} y={y + 3.5}>
                {i + 1}
              </text>
            </a>
          ) : (
            <circle key={point.at} cx={x} cy={y} r="4">
              <title>{`${cents(point.yesAsk)}, ${momentText(point.at)}`}</title>
            </circle>
          ),
        )}
      </svg>
      <figcaption class="quiet">
        Yes ask at each item{hasCards && ' below'}, {cents(lowest(points))} to {cents(highest(points))}. Price
        at each news item, not a history of ticks.
      </figcaption>
    </figure>
  );
};

const lowest = (points: readonly PricePoint[]) => Math.min(...points.map(({ yesAsk }) => yesAsk));
const highest = (points: readonly PricePoint[]) => Math.max(...points.map(({ yesAsk }) => yesAsk));

function marksOf(points: readonly PricePoint[]) {
  const [from, to] = [points.at(0)?.at, points.at(-1)?.at];
  const [low, high] = [lowest(points), highest(points)];
  const share = (value: number, whole: number) => (whole === 0 ? 0.5 : value / whole);
  const rounded = (value: number) => Math.round(value * 10) / 10;
  return points.map((point) => {
    const time =
      from === undefined || to === undefined ? 0 : share(between(from, point.at), between(from, to));
    return {
      point,
      x: rounded(EDGE + time * (WIDTH - 2 * EDGE)),
      y: rounded(HEIGHT - EDGE - share(point.yesAsk - low, high - low) * (HEIGHT - 2 * EDGE)),
    };
  });
}
