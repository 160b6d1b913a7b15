// The draft being edited. The browser keeps it until it is sent, and sending the same draft again never creates a second
// post.
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import { useLocation } from "wouter";
import { Refusal } from "../../client/errors.ts";
import { useSettledAltTexts } from "../alt-texts.ts";
import { repeatReads } from "../repeat-reads.ts";
import { useSession } from "../session.tsx";
import type { Post } from "../types.ts";
import { useClock } from "../ui/marks.tsx";
import { useSay } from "../ui/toasts.tsx";
import { buildPostBody, type Draft, type Ending, listFileIds, toDraft } from "./draft.ts";
import { forget, type Kept, keep, readKept } from "./kept.ts";
import { rememberChoice } from "./last-choice.ts";

interface Subject {
  /** The edited post. */
  kept: Post | undefined;
  start: Draft;
  /** The key of the draft in browser storage. */
  place: string;
}

export function useEditing({ kept, start, place }: Subject) {
  const { client, workspace } = useSession();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const say = useSay();
  const clock = useClock();
  const settleAltTexts = useSettledAltTexts();
  const [restored, setRestored] = useState(() => readKept(place));
  const [draft, setDraft] = useState(restored?.draft ?? start);
  const [rev, setRev] = useState(restored?.rev ?? kept?.rev);
  const [tried, setTried] = useState<Kept["tried"]>(restored?.tried);
  const [sending, setSending] = useState<Ending | null>(null);
  const [refused, setRefused] = useState<{ draft: Draft; error: unknown } | null>(null);
  const [changed, setChanged] = useState<Post | null>(null);
  const change = useCallback((patch: Partial<Draft>) => setDraft((now) => ({ ...now, ...patch })), []);
  const isTouched = JSON.stringify(draft) !== JSON.stringify(start);

  useEffect(() => {
    if (isTouched) keep(place, { draft, rev, tried });
    else forget(place);
  }, [place, draft, rev, tried, isTouched]);

  /** Creates or changes the post, and returns it. */
  async function deliver(ending: Ending): Promise<Post> {
    const body = buildPostBody(draft, ending, kept);
    if (kept === undefined) {
      const text = JSON.stringify(body);
      const key = tried?.body === text ? tried.key : crypto.randomUUID();
      setTried({ key, body: text });
      // Stored before it is sent, so that a retry after the page was closed finds the same post.
      keep(place, { draft, rev, tried: { key, body: text } });
      const answer = await client.call("posts.create", { body, idempotencyKey: key });
      if ("dry_run" in answer.body) throw new Error("the service took the post for a dry run");
      return answer.body;
    }
    const { post_type, ...patch } = body;
    const type = kept.post_type === null && post_type !== null && post_type !== undefined ? { post_type } : {};
    const input = { params: { id: kept.id }, body: { ...patch, ...type } };
    return (await client.call("posts.update", rev === undefined ? input : { ...input, rev })).body;
  }

  return {
    draft,
    setDraft,
    change,
    sending,
    /** The refusal of the last attempt, until the draft changes. */
    refusal: refused !== null && refused.draft === draft ? refused.error : null,
    isRestored: restored !== null,
    beginAnew() {
      setDraft(start);
      setRev(kept?.rev);
      setTried(undefined);
      setRestored(null);
    },
    /** The version that another user has saved meanwhile. */
    changed,
    keepMine(theirs: Post) {
      setRev(theirs.rev);
      setChanged(null);
      say("Your version is kept. Save to replace theirs.");
    },
    takeTheirs(theirs: Post) {
      setDraft(toDraft(theirs));
      setRev(theirs.rev);
      setChanged(null);
      say("You're now editing their version.");
    },
    /** Opens the post; false: the service refused it. */
    async send(ending: Ending): Promise<boolean> {
      setSending(ending);
      setRefused(null);
      try {
        // The post is sent with the alt texts typed for its files.
        await settleAltTexts(listFileIds(draft));
        const post = await deliver(ending);
        forget(place);
        rememberChoice(workspace.id, post.channels);
        await repeatReads(queries, [workspace.id, "posts"]);
        const message =
          post.status === "draft"
            ? "Draft saved"
            : post.status === "awaiting_approval"
              ? "Waiting for approval"
              : ending === "now"
                ? "Sending"
                : null;
        say(message ?? `Scheduled for ${clock.full(post.publish_at ?? post.created_at)}`);
        go(`/posts/${post.id}`);
        return true;
      } catch (error) {
        setSending(null);
        if (error instanceof Refusal && error.code === "post_changed" && isCurrentPost(error.body)) {
          setChanged(error.body.current);
          return true;
        }
        setRefused({ draft, error });
        return false;
      }
    },
  };
}

const isCurrentPost = (body: object): body is { current: Post } =>
  "current" in body && typeof body.current === "object";
