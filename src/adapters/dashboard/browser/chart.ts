import type uPlot from 'uplot';

/** The chart library loads before this module and defines one global. */
const library = () => (window as unknown as { readonly uPlot?: typeof uPlot }).uPlot;

/**
 * The library formats numbers for `navigator.language` while it loads, and fails for a language that `Intl` refuses
 * (`en-US@posix`). Then it is loaded again with one that `Intl` knows.
 */
async function loadAgain(): Promise<typeof uPlot> {
  Object.defineProperty(navigator, 'language', { value: 'en-US' });
  const script = document.createElement('script');
  script.src = document.querySelector<HTMLScriptElement>('script[src*="uplot"]')?.src ?? '';
  await new Promise((resolve, reject) => {
    script.onload = resolve;
    script.onerror = reject;
    document.head.append(script);
  });
  return library() ?? Promise.reject(new Error('the chart library did not load'));
}

const Chart = library() ?? (await loadAgain());

const SERIES = ['2xx', '3xx', '4xx', '5xx'] as const;
const HEIGHT = 220;

/** The bars of a chart, as its container states them: the table has only those with requests. */
type Bars = {
  readonly first: number;
  readonly step: number;
  readonly count: number;
  readonly quota: number | null;
};

/** A color of the page in its current color scheme. */
const color = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const barsOf = ({ dataset }: HTMLElement): Bars => ({
  first: Number(dataset['first']),
  step: Number(dataset['step']),
  count: Number(dataset['bars']),
  quota: dataset['quota'] === undefined ? null : Number(dataset['quota']),
});

/** The start of each bar with its requests by class; zeros where the table has no row. */
function rowsOf(
  table: HTMLTableElement | null,
  { first, step, count }: Bars,
): readonly (readonly number[])[] {
  const found = new Map(
    [...(table?.tBodies[0]?.rows ?? [])].map((row) => {
      const start = row.querySelector('time')?.dateTime.slice(0, 19) ?? '';
      const cells = [...row.querySelectorAll('td')].slice(0, SERIES.length);
      return [Date.parse(`${start}Z`) / 1_000, cells.map((cell) => Number(cell.textContent))] as const;
    }),
  );
  return Array.from({ length: count }, (_, i) => {
    const start = first + i * step;
    return [start, ...(found.get(start) ?? SERIES.map(() => 0))];
  });
}

/** Stacked values, so that the top line is the sum; in drawing order, the last class first. */
function stacked(rows: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const times = rows.map(([time = 0]) => time);
  const tops = SERIES.map((_, i) => rows.map((row) => row.slice(1, i + 2).reduce((sum, n) => sum + n, 0)));
  return [times, ...tops.toReversed()];
}

/** `14:00`, or `11-21` if a bar is a quarter of a day, or a day. */
function timeText(seconds: number, step: number): string {
  const text = new Date(seconds * 1_000).toISOString();
  return step < 6 * 3_600 ? text.slice(11, 16) : text.slice(5, 10);
}

/** The values of the bar under the cursor; of all bars while there is none. */
function valuesText(
  rows: readonly (readonly number[])[],
  index: number | null | undefined,
  step: number,
): string {
  const row = rows[index ?? -1];
  const values = SERIES.map((_, i) =>
    row === undefined ? rows.reduce((sum, each) => sum + (each[i + 1] ?? 0), 0) : (row[i + 1] ?? 0),
  );
  const numbers = SERIES.map((name, i) => `${name} ${(values[i] ?? 0).toLocaleString('en-US')}`).join(' · ');
  if (row === undefined) return `All: ${numbers}`;
  const start = new Date((row[0] ?? 0) * 1_000).toISOString();
  return `${step < 86_400 ? `${start.slice(5, 10)} ${start.slice(11, 16)}` : start.slice(0, 10)}: ${numbers}`;
}

/** A dashed line at the quota. */
function drawQuota(chart: uPlot, quota: number): void {
  const { ctx, bbox } = chart;
  const y = Math.round(chart.valToPos(quota, 'y', true));
  ctx.save();
  ctx.strokeStyle = color('--text');
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.restore();
}

function optionsOf(
  container: HTMLElement,
  { step, quota }: Bars,
  onCursor: (chart: uPlot) => void,
): uPlot.Options {
  const bars = Chart.paths.bars?.({ size: [0.7, 48] });
  const axis = { stroke: color('--quiet'), ticks: { show: false } };
  return {
    width: container.parentElement?.clientWidth ?? 0,
    height: HEIGHT,
    tzDate: (seconds) => Chart.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    legend: { show: false },
    hooks: {
      setCursor: [onCursor],
      draw: [(chart) => quota !== null && drawQuota(chart, quota)],
    },
    scales: {
      // Half a bar more at either end: bars are centered on their start.
      x: { range: (_, first, last) => [first - step / 2, last + step / 2] },
      y: { range: (_, __, most) => [0, Math.max(5, (most ?? 0) * 1.1, (quota ?? 0) * 1.05)] },
    },
    axes: [
      { ...axis, grid: { show: false }, values: (_, seconds) => seconds.map((at) => timeText(at, step)) },
      { ...axis, size: 64, grid: { stroke: color('--line'), width: 1 } },
    ],
    series: [
      {},
      ...SERIES.toReversed().map((name) => ({
        label: name,
        fill: color(`--status-${name}`),
        width: 0,
        points: { show: false },
        ...(bars !== undefined && { paths: bars }),
      })),
    ],
  };
}

function draw(container: HTMLElement, table: HTMLTableElement | null): void {
  const bars = barsOf(container);
  const rows = rowsOf(table, bars);
  const values = document.createElement('p');
  values.className = 'chart-values';
  const onCursor = ({ cursor }: uPlot) => {
    values.textContent = valuesText(rows, cursor.idx, bars.step);
  };
  const options = optionsOf(container, bars, onCursor);
  const chart = new Chart(options, stacked(rows) as unknown as uPlot.AlignedData, container);
  values.textContent = valuesText(rows, null, bars.step);
  container.prepend(values);
  // Only now: without a chart the table is enough.
  container.hidden = false;
  new ResizeObserver(() => chart.setSize({ width: container.clientWidth, height: HEIGHT })).observe(
    container,
  );
}

function drawAll(): void {
  for (const container of document.querySelectorAll<HTMLElement>('[data-chart]')) {
    const table = document.getElementById(container.dataset['chart'] ?? '');
    container.replaceChildren();
    draw(container, table instanceof HTMLTableElement ? table : null);
    // The chart replaces the table, which can still be opened.
    container.nextElementSibling?.removeAttribute('open');
  }
}

drawAll();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
