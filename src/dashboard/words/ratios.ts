// Ratios of width to height as people write them: 4:5, 16:9, 1.91:1.
const KNOWN: readonly [ratio: number, name: string][] = [
  [9 / 16, "9:16"],
  [2 / 3, "2:3"],
  [3 / 4, "3:4"],
  [4 / 5, "4:5"],
  [1, "1:1"],
  [5 / 4, "5:4"],
  [4 / 3, "4:3"],
  [3 / 2, "3:2"],
  [16 / 9, "16:9"],
  [1.91, "1.91:1"],
];
/** A known ratio stands for a limit that it is this near to. */
const NEAR = 0.05;

interface Ratio {
  ratio: number;
  name: string;
}

/** The ratio to crop to for a limit: the nearest known one that keeps the limit. `side`: whether the limit is the most or the least. */
export function nearestRatio(limit: number, side: "most" | "least"): Ratio {
  const keeps = KNOWN.filter(([ratio]) => (side === "most" ? ratio <= limit + 0.001 : ratio >= limit - 0.001));
  const [ratio, name] = (side === "most" ? keeps.at(-1) : keeps[0]) ?? [Number.POSITIVE_INFINITY, ""];
  return Math.abs(ratio - limit) / limit <= NEAR ? { ratio, name } : { ratio: limit, name: formatRatio(limit) };
}

const round = (value: number) => Number(value.toFixed(2));
/** "2.5:1", "1:10" */
const formatRatio = (ratio: number): string => (ratio >= 1 ? `${round(ratio)}:1` : `1:${round(1 / ratio)}`);
