// Validates a post while it is typed: a dry run, repeated whenever the post changes.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Body, Client } from "../../client/client.ts";
import { Refusal } from "../../client/errors.ts";
import { useSession } from "../session.tsx";
import type { DryRun } from "../types.ts";
import { brokenChannels, readViolations, type Violation } from "./violations.ts";

export interface Judgement {
  violations: Violation[];
  /** What each channel would publish. If the post is refused, only the channels whose rules it keeps. */
  deliveries: DryRun["deliveries"];
  warnings: DryRun["warnings"];
  publishAt: string | null;
  publishAtLocal: string | null;
  /** A refusal of the whole post, such as a used-up monthly budget or an insufficient role. */
  refusal: Refusal | null;
}

const NOTHING = { violations: [], deliveries: [], warnings: [], publishAt: null, publishAtLocal: null, refusal: null };

type PostBody = Body<"posts.create">;

async function run(client: Client, body: PostBody, signal: AbortSignal): Promise<DryRun> {
  const answer = await client.call("posts.create", { body: { ...body, dry_run: true }, signal });
  if (!("dry_run" in answer.body)) throw new Error("the service took a dry run for a post");
  return answer.body;
}

async function judge(client: Client, body: PostBody, signal: AbortSignal): Promise<Judgement> {
  try {
    return { ...NOTHING, ...toJudgementFields(await run(client, body, signal)) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const violations = readViolations(error);
    if (error.body.violations === undefined) return { ...NOTHING, violations, refusal: error };
    const broken = brokenChannels(violations);
    const otherChannels = (body.channels ?? []).filter((id) => broken !== null && !broken.includes(id));
    if (otherChannels.length === 0) return { ...NOTHING, violations };
    const overrides = Object.fromEntries(
      Object.entries(body.overrides ?? {}).filter(([id]) => otherChannels.includes(id)),
    );
    try {
      return {
        ...NOTHING,
        ...toJudgementFields(await run(client, { ...body, channels: otherChannels, overrides }, signal)),
        violations,
      };
    } catch (second) {
      if (!(second instanceof Refusal)) throw second;
      return { ...NOTHING, violations };
    }
  }
}

const toJudgementFields = ({ deliveries, warnings, publish_at, publish_at_local }: DryRun) => ({
  deliveries,
  warnings,
  publishAt: publish_at,
  publishAtLocal: publish_at_local,
});

/** Long enough to avoid a request per keystroke. */
const PAUSE_MS = 250;

/** `body` null: there is nothing to validate. */
export function useJudgement(body: PostBody | null) {
  const { client, workspace } = useSession();
  const now = body === null ? null : JSON.stringify(body);
  const [askedBody, ask] = useState(now);
  useEffect(() => {
    const timer = setTimeout(() => ask(now), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [now]);
  const query = useQuery({
    queryKey: [workspace.id, "dry-run", askedBody],
    queryFn: ({ signal }) => judge(client, JSON.parse(askedBody ?? "{}"), signal),
    enabled: askedBody !== null,
    gcTime: 0,
    retry: false,
    placeholderData: keepPreviousData,
  });
  // While offline the query is paused, and the placeholder is the answer to an earlier text.
  const isCurrent = askedBody === now && query.fetchStatus === "idle" && !query.isPlaceholderData && !query.isError;
  return { judgement: now === null ? null : (query.data ?? null), isCurrent, error: query.error };
}
