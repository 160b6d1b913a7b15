/** The change of a figure against an earlier one, in percent: `+12 %`; null: there is nothing to compare it with. */
export function formatChange(value: number, before: number | null): string | null {
  if (before === null || before === 0) return null;
  const percent = Math.round(((value - before) / before) * 100);
  if (percent === 0) return "±0 %";
  return percent > 0 ? `+${percent} %` : `−${-percent} %`;
}
