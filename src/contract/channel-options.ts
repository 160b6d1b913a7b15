// The values that a network offers for an option of a channel.
import * as z from "zod";
import { LIST_LIMIT_DEFAULT } from "../domain/limits.ts";
import { operation, plain } from "./operation.ts";
import { SAMPLE } from "./samples.ts";
import { about, buildIdParams, cursor, instant, limit, page, pathId, switchedOn, untrusted } from "./shapes.ts";

const OptionValue = z
  .object({
    value: z.string().meta(about("The value to set as the option.")),
    label: z.string().meta(untrusted("The name, as the network has it.")),
    description: z.string().nullable().meta(untrusted()),
    disabled_reason: z.string().nullable().meta(about("Why the value cannot be chosen; null if it can.")),
  })
  .meta({
    id: "OptionValue",
    examples: [{ value: "101", label: "Winter", description: null, disabled_reason: null }],
  });

export const channelOptions = operation({
  ...plain,
  method: "GET",
  path: "/v1/channels/:id/options/:option",
  auth: "key_or_session",
  ability: "read",
  tag: "Channels",
  summary: "List the network's values for an option",
  description:
    "Options with a list have `x-lookup: true` in their platform's rule; `text_lookup` names a list for texts. The list is cached for five minutes; `refresh=true` fetches it again.",
  params: z.object({ ...buildIdParams(SAMPLE.channel), option: pathId.meta({ examples: ["board"] }) }),
  query: z.object({
    q: z
      .string()
      .max(200)
      .optional()
      .meta({
        description:
          "Only values that contain all of these words. `mention` finds an organization by its page's address, or the end of " +
          "it, and without `q` lists the account's own pages; on networks with handles, it finds an account by its first letters.",
        examples: ["winter"],
      }),
    refresh: switchedOn,
    board: z
      .string()
      .max(100)
      .optional()
      .meta({ description: "The value of the option `board`, for a list that depends on it.", examples: ["101"] }),
    limit: limit(LIST_LIMIT_DEFAULT),
    cursor,
  }),
  result: page("options", OptionValue).extend({ fetched_at: instant }),
  success: { 200: "A page of values, in the network's order." },
  refusals: [
    "not_found",
    "option_has_no_lookup",
    "channel_not_connected",
    "channel_needs_reconnect",
    "unreadable_cursor",
    "rate_limited",
    "network_unavailable",
  ],
});
