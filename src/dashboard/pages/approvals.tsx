// Posts that wait for approval: what would be published, and the decision on it.
import { Link } from "wouter";
import { useWaiting } from "../approvals/waiting.ts";
import { WaitingPost } from "../approvals/waiting-post.tsx";
import { useChannels } from "../reads.ts";
import { useSession } from "../session.tsx";
import { Page } from "../ui/page.tsx";
import { Empty, Found } from "../ui/states.tsx";

const SETTINGS = {
  none: "Posts do not need approval in this workspace.",
  authors: "Posts that authors and draft keys queue need approval.",
  all: "Every queued post needs approval.",
};

export function Approvals() {
  const { workspace, whyNot } = useSession();
  const waiting = useWaiting();
  const channels = useChannels();
  const reason = whyNot("publish");
  return (
    <Page
      title="Approvals"
      lead={
        <>
          {SETTINGS[workspace.approval]} <Link href="/settings/workspace">Change who needs approval</Link>
        </>
      }
    >
      {reason !== null && <p className="note">{reason}</p>}
      <Found query={channels} what="Your channels">
        {(channels) => (
          <Found query={waiting} what="Posts waiting for approval">
            {({ posts, next }) =>
              posts.length === 0 ? (
                <Empty title="No posts are waiting for approval" />
              ) : (
                <div className="stack">
                  {posts.map((post) => (
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
    </Page>
  );
}
