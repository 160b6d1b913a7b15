import { ANALYTICS_DAYS, ANALYTICS_DAYS_DEFAULT } from "../../src/domain/limits.ts";
import type { Client } from "../api/client.ts";
import { allChannels, findChannel } from "../channels.ts";
import type { Arguments, Flags } from "../command.ts";

/** The flags that choose the posts whose metrics are shown. */
export const PERIOD_FLAGS = {
  days: {
    type: "string",
    value: "DAYS",
    options: ANALYTICS_DAYS,
    description: `Number of days (default ${ANALYTICS_DAYS_DEFAULT}).`,
  },
  from: { type: "string", value: "DATE", description: "First date, in place of --days: 2026-12-01." },
  to: { type: "string", value: "DATE", description: "Last date (default today)." },
  channel: {
    type: "string",
    short: "c",
    value: "CHANNEL",
    description: "Filter by channel: an id, a handle, or platform:handle.",
  },
  label: { type: "string", short: "l", value: "LABEL", description: "Filter by label." },
} as const satisfies Flags;

export const COMPARE_FLAG = {
  compare: { type: "boolean", description: "Also show the period of the same length before." },
} as const satisfies Flags;

/** The period in the service's form. */
export async function readPeriod(args: Arguments<keyof typeof PERIOD_FLAGS>, client: Client) {
  const channel = args.get("channel");
  return {
    days: args.get("days"),
    from: args.get("from"),
    to: args.get("to"),
    // A disconnected channel is known only by its id.
    channel:
      channel === undefined || channel.startsWith("ch_") ? channel : findChannel(channel, await allChannels(client)).id,
    label: args.get("label"),
  };
}
