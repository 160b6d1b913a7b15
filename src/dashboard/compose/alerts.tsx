// Violations, next to the field that they concern.

import { networkName } from "../../domain/network-name.ts";
import type { Channel } from "../types.ts";
import { describeViolation } from "../words/violations.ts";
import type { Violation } from "./violations.ts";

interface AlertsProps {
  violations: Violation[];
  /** Used to name the violation's channel; omitted where the context is clear. */
  channels?: Channel[];
  /** Whether the same violation also appears, and is announced, next to its field. */
  again?: boolean;
}

export function Alerts({ violations, channels = [], again = false }: AlertsProps) {
  if (violations.length === 0) return null;
  return (
    <div className="alert" role={again ? undefined : "alert"}>
      <ul>
        {violations.map((violation) => {
          const channel = channels.find(({ id }) => id === violation.channel);
          return (
            <li key={`${violation.code} ${violation.field} ${violation.channel} ${violation.message}`}>
              {channel !== undefined && (
                <strong>
                  {networkName(channel.platform)} {channel.handle}:{" "}
                </strong>
              )}
              {describeViolation(violation).text}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
