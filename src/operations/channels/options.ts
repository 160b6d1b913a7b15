import type { Context } from "../../context.ts";
import type { channelOptions as contract } from "../../contract/channel-options.ts";
import { isoInstant } from "../../domain/instant.ts";
import { type LookUpAnswer, type LookUpRequest, matching } from "../../domain/option-lookup.ts";
import { refuse, refuseNotFound } from "../../domain/refusal.ts";
import { findNetwork } from "../../networks/index.ts";
import type { LookUps } from "../../networks/network.ts";
import { channelsByIds } from "../../store/channels/channels.ts";
import { inWorkspace } from "../caller.ts";
import { cursorAtText, readText } from "../cursor.ts";
import { refuseUnusable } from "../posts/check.ts";
import { limitOutbound } from "../rate-limit.ts";
import { reachesChannel } from "../reach.ts";
import { ok, type Run } from "../run.ts";

/** How long a caller waits for a network. A later answer is stored for the next call. */
const ANSWER_MAX_MS = 25_000;

export const channelOptions: Run<typeof contract> = async (ctx, caller, { params, query }) => {
  const { workspaceId } = inWorkspace(caller);
  const [channel] = await channelsByIds(ctx.databaseOf(workspaceId), workspaceId, [params.id]);
  if (channel === undefined || !reachesChannel(caller, channel.id)) throw refuseNotFound("channel");
  const lookUps = findNetwork(channel.platform)?.lookUps ?? {};
  const option = nameIn(lookUps, params.option);
  const { needs = [], searches = false } = lookUps[option] ?? {};
  const values = readNeededValues(needs, query);
  const q = query.q?.trim() ?? "";
  if (searches && q !== "") values.q = q;
  refuseUnusable(channel, ctx.now());
  const request: LookUpRequest = { channel: channel.id, option, values };
  const lookUp = (mode: "kept" | "anew") => ctx.publishers.lookUp(workspaceId, channel.lane, request, mode);
  let answer = query.refresh === true ? null : await lookUp("kept");
  if (answer === null) {
    await limitOutbound(ctx, workspaceId);
    answer = await inTime(ctx, lookUp("anew"));
  }
  if (answer.is === "failed") throw toRefusal(answer, needs);
  const matchingOptions = searches ? answer.options : matching(answer.options, query.q);
  const start = placeAfter(matchingOptions, readText(query.cursor, "option"));
  const rows = matchingOptions.slice(start, start + query.limit);
  return ok({
    options: rows.map(({ value, label, description, disabledReason: disabled_reason }) => ({
      value,
      label,
      description,
      disabled_reason,
    })),
    next: start + rows.length < matchingOptions.length ? cursorAtText("option", rows.at(-1)?.value ?? "") : null,
    fetched_at: isoInstant(answer.fetchedAt),
  });
};

/** Resolves the name of an option: an option that holds an id can also be named without `_id`. */
function nameIn(lookUps: LookUps<never>, name: string): string {
  const lookUpName = [name, `${name}_id`].find((candidate) => Object.hasOwn(lookUps, candidate));
  if (lookUpName !== undefined) return lookUpName;
  const names = Object.keys(lookUps);
  const hint = names.length === 0 ? "This network has no such list." : `There are lists for: ${names.join(", ")}.`;
  throw refuse("option_has_no_lookup", { hint });
}

function readNeededValues(needs: readonly string[], query: { board?: string | undefined }): Record<string, string> {
  return Object.fromEntries(
    needs.map((name) => {
      const value = new Map(Object.entries(query)).get(name);
      if (typeof value !== "string" || value === "") {
        throw refuse("missing_field", {
          field: `/${name}`,
          message: `The list depends on \`${name}\`.`,
          hint: `Add \`?${name}=\`.`,
        });
      }
      return [name, value];
    }),
  );
}

async function inTime(ctx: Context, answer: Promise<LookUpAnswer | null>): Promise<LookUpAnswer> {
  const ended = new AbortController();
  const late = ctx.pause(ANSWER_MAX_MS, ended.signal).then(() => null);
  const first = await Promise.race([answer, late]).finally(() => ended.abort());
  return first ?? { is: "failed", error: "network_unavailable", detail: "The network takes too long." };
}

function toRefusal(
  { error, detail: message, networkMessage }: Extract<LookUpAnswer, { is: "failed" }>,
  needs: readonly string[],
) {
  const details = { ...(message === undefined ? {} : { message }), networkMessage };
  const [neededOption] = needs;
  switch (error) {
    case "token_expired":
    case "token_revoked":
    case "permission_missing":
      return refuse("channel_needs_reconnect", details);
    case "channel_disconnected":
      return refuse("channel_not_connected", details);
    case "content_refused":
      return neededOption === undefined
        ? refuse("network_unavailable", details)
        : refuse("invalid_field", { field: `/${neededOption}`, ...details });
    default:
      return refuse("network_unavailable", details);
  }
}

/** The index of the first option after the one with this value. */
function placeAfter(options: { value: string }[], after: string | null): number {
  if (after === null) return 0;
  const index = options.findIndex(({ value }) => value === after);
  if (index === -1) throw refuse("unreadable_cursor", { field: "/cursor" });
  return index + 1;
}
