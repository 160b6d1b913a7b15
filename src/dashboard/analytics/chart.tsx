// A figure by day as bars. A day without a reported figure has no bar, while a day with the value zero has a low one.
import { formatNumber } from "../words/counts.ts";
import { formatDate } from "../words/dates.ts";

const [WIDTH, HEIGHT, BASE] = [720, 200, 176];
/** More names of days would touch each other. */
const NAMES_MAX = 8;

interface ChartProps {
  /** The figure's name, for screen readers. */
  name: string;
  dates: readonly string[];
  values: readonly (number | null)[];
}

/** A round number at or above the highest value. */
function computeCeiling(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= most) ?? most;
}

export function Chart({ name, dates, values }: ChartProps) {
  const most = Math.max(0, ...values.map((value) => value ?? 0));
  const ceiling = computeCeiling(most);
  const step = WIDTH / Math.max(1, dates.length);
  const every = Math.ceil(dates.length / NAMES_MAX);
  const [first = "", last = ""] = [dates[0], dates.at(-1)];
  return (
    <svg
      className="chart"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={`${name} by the day of publishing, from ${formatDate(first)} to ${formatDate(last)}; at most ${formatNumber(most)} on one day`}
    >
      {[0, 0.5, 1].map((share) => {
        const y = BASE - share * (BASE - 16);
        return (
          <g key={share}>
            <line x1="0" x2={WIDTH} y1={y} y2={y} className="chart-line" />
            {share > 0 && (
              <text x="0" y={y - 4} className="chart-words">
                {formatNumber(ceiling * share)}
              </text>
            )}
          </g>
        );
      })}
      {dates.map((date, i) => {
        const value = values[i] ?? null;
        const height = value === null ? 0 : Math.max(3, (value / ceiling) * (BASE - 16));
        return (
          <g key={date}>
            {value !== null && (
              <rect
                className="chart-bar"
                x={i * step + step * 0.18}
                y={BASE - height}
                width={step * 0.64}
                height={height}
                rx={Math.min(4, step * 0.2)}
              >
                <title>{`${formatDate(date)}: ${formatNumber(value)}`}</title>
              </rect>
            )}
            {(dates.length - 1 - i) % every === 0 && (
              <text
                x={i === dates.length - 1 ? WIDTH : (i + 0.5) * step}
                y={HEIGHT - 6}
                textAnchor={i === dates.length - 1 ? "end" : "middle"}
                className="chart-words"
              >
                {formatDate(date)}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}
