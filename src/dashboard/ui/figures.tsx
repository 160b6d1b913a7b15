// The metrics that a network reports for one delivery.
import type { Delivery } from "../types.ts";
import { formatNumber } from "../words/counts.ts";
import { nameMetric } from "../words/states.ts";
import { Instant } from "./marks.tsx";

/** Shows the latest figures, or nothing if the network has reported no figures. */
export function Figures({ of: { figures } }: { of: Delivery }) {
  const entries = Object.entries(figures);
  const [[, first] = []] = entries;
  if (first === undefined) return null;
  return (
    <p className="soft numbers">
      {entries.map(([name, { value }]) => `${formatNumber(value)} ${nameMetric(name).toLowerCase()}`).join(" · ")}
      <small>
        , read <Instant at={first.measured_at} />
      </small>
    </p>
  );
}
