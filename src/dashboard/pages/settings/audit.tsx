// The audit log of the workspace.
import { useInfiniteQuery } from "@tanstack/react-query";
import type { Answer } from "../../../client/client.ts";
import { AUDIT_ACT_NAMES, type AuditAct } from "../../../domain/audit.ts";
import { useAct } from "../../reads.ts";
import { useSession } from "../../session.tsx";
import { Choice, useFilters } from "../../ui/filters.tsx";
import { Instant } from "../../ui/marks.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { Empty, Loading, Refused, Trouble } from "../../ui/states.tsx";
import { useSay } from "../../ui/toasts.tsx";
import { actorWords } from "../../words/events.ts";

type Entry = Answer<"audit.list">["audit"][number];

const WORDS: Record<AuditAct, string> = {
  "account.signed_in": "Signed in",
  "account.password_changed": "Changed their password",
  "account.email_changed": "Changed their email address",
  "account.factor_added": "Added a second factor",
  "account.factor_removed": "Removed a second factor",
  "account.recovery_codes_renewed": "Made new recovery codes",
  "account_key.created": "Created an account key",
  "account_key.revoked": "Revoked an account key",
  "workspace.created": "Created the workspace",
  "workspace.changed": "Changed a workspace setting",
  "workspace.emptied": "Took over an unconfirmed account",
  "member.invited": "Invited someone",
  "member.joined": "Joined",
  "member.role_changed": "Changed a role",
  "member.removed": "Removed a member",
  "member.factors_reset": "Reset a member's second factor",
  "invitation.withdrawn": "Withdrew an invitation",
  "invitation.declined": "Declined an invitation",
  "key.created": "Created a key",
  "key.changed": "Changed a key's budget",
  "key.revoked": "Revoked a key",
  "key.revealed": "Viewed the workspace key",
  "key.rotated": "Replaced the workspace key",
  "application.connected": "Connected an app",
  "application.ended": "Revoked an app's access",
  "channel.link_created": "Created a connect link",
  "channel.connected": "Connected a channel",
  "channel.reconnected": "Reconnected a channel",
  "channel.disconnected": "Disconnected a channel",
  "webhook.created": "Added a webhook",
  "webhook.removed": "Removed a webhook",
  "webhook.changed": "Changed a webhook",
  "webhook.secret_replaced": "Replaced a webhook's secret",
  "slots.changed": "Changed the slots",
  "feed.created": "Added a feed",
  "feed.changed": "Changed a feed",
  "feed.deleted": "Deleted a feed",
  "channel_group.created": "Created a channel group",
  "channel_group.changed": "Changed a channel group",
  "channel_group.deleted": "Deleted a channel group",
  "snippet.created": "Created a snippet",
  "snippet.changed": "Changed a snippet",
  "snippet.deleted": "Deleted a snippet",
  "post.approved": "Approved a post",
  "post.declined": "Declined a post",
  "review_link.created": "Created a review link",
  "review_link.ended": "Ended a review link",
  "portal.created": "Created a portal",
  "portal.changed": "Changed a portal",
  "portal.removed": "Removed a portal",
  "report.created": "Created a report",
  "delivery.takedown_requested": "Took a post down",
  "delivery.edit_requested": "Edited a live text",
};
const PAGE = "50";

export function Audit() {
  const { client, workspace, whyNot } = useSession();
  const reason = whyNot("read_audit");
  const { filter, set, clear } = useFilters(["act", "actor"]);
  const act = AUDIT_ACT_NAMES.find((name) => name === filter.act);
  const { actor } = filter;
  const log = useInfiniteQuery({
    queryKey: [workspace.id, "audit", act, actor],
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: PAGE, cursor: pageParam, act, actor };
      return (await client.call("audit.list", { query, signal })).body;
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    enabled: reason === null,
  });
  if (reason !== null) return <p className="note">{reason}</p>;
  const entries = log.data?.pages.flatMap((page) => page.audit) ?? [];
  return (
    <div className="stack">
      <div className="filters">
        <Choice
          label="Action"
          all="All"
          choices={AUDIT_ACT_NAMES.map((name) => [name, WORDS[name]])}
          value={act}
          onChange={(value) => set("act", value)}
        />
        <Choice
          label="By"
          all="Everyone"
          choices={findActors(entries, actor)}
          value={actor}
          onChange={(value) => set("actor", value)}
        />
      </div>
      <section className="card" aria-label="Audit log">
        {log.isPending ? (
          <Loading what="The audit log" />
        ) : log.isError ? (
          <Trouble error={log.error} again={() => void log.refetch()} />
        ) : entries.length === 0 ? (
          <Empty title="No entries match these filters">
            <button type="button" onClick={clear}>
              Show all
            </button>
          </Empty>
        ) : (
          <ol className="rows">
            {entries.map((entry) => (
              <li key={entry.id}>
                <Row entry={entry} />
              </li>
            ))}
          </ol>
        )}
        {log.hasNextPage && (
          <button type="button" disabled={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
            Show more
          </button>
        )}
      </section>
      <Download filter={{ act, actor }} />
    </div>
  );
}

function Row({ entry: { at, act, actor, target, address, client, details } }: { entry: Entry }) {
  const isSelf = target.id !== null && target.id === actor.id;
  const facts = [isSelf ? null : target.name, ...Object.values(details)].filter((fact) => fact !== null);
  const origin = [address, client].filter((text) => text !== null).join(", ");
  return (
    <span className="who">
      <span>
        {WORDS[act]}
        {facts.length > 0 && `: ${facts.join(", ")}`}
      </span>
      <small>
        <Instant at={at} exact /> · {actorWords(actor)}
        {origin !== "" && ` · from ${origin}`}
      </small>
    </span>
  );
}

/** The actors that the entries name, and the selected one. */
function findActors(entries: Entry[], chosen: string | undefined): [string, string][] {
  const names = new Map(
    entries.flatMap(({ actor }): [string, string][] => (actor.id === null ? [] : [[actor.id, actorWords(actor)]])),
  );
  if (chosen !== undefined && !names.has(chosen)) names.set(chosen, "Someone else");
  return [...names];
}

function Download({ filter }: { filter: { act: AuditAct | undefined; actor: string | undefined } }) {
  const say = useSay();
  const take = useAct(async (client, query: typeof filter) => {
    const pieces: string[] = [];
    for await (const piece of client.stream("audit.csv", { query })) pieces.push(piece);
    saveFile(new Blob(pieces, { type: "text/csv" }), "crier-audit.csv");
  }, []);
  return (
    <div className="row">
      <button
        type="button"
        disabled={take.isPending}
        onClick={() => take.mutate(filter, { onSuccess: () => say("crier-audit.csv is in your downloads") })}
      >
        Download as CSV
      </button>
      <Refused error={take.error} />
    </div>
  );
}
