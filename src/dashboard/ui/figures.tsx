// The metrics that a network reports for one delivery.
import type { Delivery } from "../types.ts";
import { countMetric } from "../words/states.ts";
import { useClock } from "./marks.tsx";

/** Shows the latest figures, or nothing if the network has reported no figures. */
export function Figures({ of: { figures } }: { of: Pick<Delivery, "figures"> }) {
  const clock = useClock();
  const entries = Object.entries(figures);
  const [[, first] = []] = entries;
  if (first === undefined) return null;
  const counted = entries.filter(([, { value }]) => value > 0);
  return (
    <span className="soft numbers figures" title={`Read ${clock.friendly(first.measured_at)}`}>
      {(counted.length === 0 ? entries : counted).map(([name, { value }]) => countMetric(name, value)).join(" · ")}
    </span>
  );
}
