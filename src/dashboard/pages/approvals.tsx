// Posts that wait for approval: what would be published, and the decision on it.
import { Link, useSearchParams } from "wouter";
import "../approvals/approvals.css";
import { Portals } from "../approvals/portals.tsx";
import { useWaiting } from "../approvals/waiting.ts";
import { WaitingPost } from "../approvals/waiting-post.tsx";
import { useBulk } from "../posts/bulk.ts";
import { useChannels } from "../reads.ts";
import { useSession } from "../session.tsx";
import type { Post } from "../types.ts";
import { Button } from "../ui/button.tsx";
import { Page } from "../ui/page.tsx";
import { Empty, Found, Refused } from "../ui/states.tsx";
import { useSay } from "../ui/toasts.tsx";

const SETTINGS = {
  none: "Posts here don't need approval.",
  authors: "Posts by authors need approval.",
  all: "Every post needs approval.",
};

export function Approvals() {
  const { workspace, whyNot } = useSession();
  const [query] = useSearchParams();
  const waiting = useWaiting();
  const channels = useChannels();
  const reason = whyNot("publish");
  const waitingPosts = waiting.data?.posts ?? [];
  // A link to one post shows it first.
  const rank = (post: Post) => (post.id === query.get("post") ? 0 : 1);
  return (
    <Page
      title="Approvals"
      lead={
        <>
          {SETTINGS[workspace.approval]} <Link href="/settings/workspace">Approval settings</Link>
        </>
      }
      actions={reason === null && waitingPosts.length > 1 && <ApproveAll posts={waitingPosts} />}
    >
      {reason !== null && <p className="note">{reason}</p>}
      <Found query={channels} what="Your channels">
        {(channels) => (
          <Found query={waiting} what="Posts waiting for approval">
            {({ posts, next }) =>
              posts.length === 0 ? (
                <Empty title="No posts are waiting for approval" icon="check">
                  <p>Posts that somebody has to approve appear here, as they will look on each network.</p>
                </Empty>
              ) : (
                <div className="stack">
                  {posts
                    .toSorted((first, second) => rank(first) - rank(second))
                    .map((post) => (
                      <WaitingPost key={post.id} post={post} channels={channels} why={reason} />
                    ))}
                  {next !== null && (
                    <p className="soft">
                      These are the first {posts.length}.{" "}
                      <Link href="/posts?status=awaiting_approval">All of them</Link>
                    </p>
                  )}
                </div>
              )
            }
          </Found>
        )}
      </Found>
      {reason === null && channels.data !== undefined && channels.data.length > 0 && (
        <Portals channels={channels.data} />
      )}
    </Page>
  );
}

/** Approves the shown revision of each post; one that has changed meanwhile, or whose time has passed, stays. */
function ApproveAll({ posts }: { posts: Post[] }) {
  const say = useSay();
  const approve = useBulk(posts);
  return (
    <>
      <Refused error={approve.error} />
      <Button
        isBusy={approve.isPending}
        onClick={() =>
          approve.mutate(
            { do: "approve" },
            {
              onSuccess: ({ changed, failures }) =>
                say(
                  failures.length === 0
                    ? `${changed} posts approved`
                    : `${changed} approved. ${failures.length} still wait: look at them one by one.`,
                ),
            },
          )
        }
      >
        Approve all
      </Button>
    </>
  );
}
