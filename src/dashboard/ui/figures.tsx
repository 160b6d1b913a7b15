// The metrics that a network reports for one delivery.
import type { Delivery } from "../types.ts";
import { Instant, plain } from "./marks.tsx";

/** The latest figures; empty if the network has reported none. */
export function Figures({ of: { figures } }: { of: Delivery }) {
  const found = Object.entries(figures);
  const [[, first] = []] = found;
  if (first === undefined) return null;
  return (
    <p className="soft numbers">
      {found.map(([name, { value }]) => `${value.toLocaleString("en")} ${plain(name)}`).join(" · ")}
      <small>
        , read <Instant at={first.measured_at} />
      </small>
    </p>
  );
}
