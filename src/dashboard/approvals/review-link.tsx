// A link that lets a person without an account decide on a post.
import { useId, useState } from "react";
import type { Answer } from "../../client/client.ts";
import { useAct } from "../reads.ts";
import type { Post } from "../types.ts";
import { Button } from "../ui/button.tsx";
import { useCopy } from "../ui/copy.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Instant } from "../ui/marks.tsx";
import { Refused } from "../ui/states.tsx";
import { useSay } from "../ui/toasts.tsx";

export function ReviewLink({ post, onClose }: { post: Post; onClose(): void }) {
  const say = useSay();
  const id = useId();
  const [link, setLink] = useState<Answer<"posts.create-review-link"> | null>(null);
  const params = { id: post.id };
  const make = useAct(async (client, _: null) => (await client.call("posts.create-review-link", { params })).body, []);
  const end = useAct(async (client, _: null) => client.call("posts.end-review-link", { params }), []);
  const copy = useCopy("The link");
  return (
    <Dialog
      title="Share for review"
      onClose={onClose}
      actions={(close) => (
        <>
          <Button
            variant="quiet"
            isBusy={end.isPending}
            onClick={() =>
              end.mutate(null, {
                onSuccess() {
                  setLink(null);
                  say("Link revoked");
                },
              })
            }
          >
            Revoke link
          </Button>
          <Button onClick={close}>Close</Button>
          {link === null ? (
            <Button variant="primary" isBusy={make.isPending} onClick={() => make.mutate(null, { onSuccess: setLink })}>
              Create link
            </Button>
          ) : (
            <Button variant="primary" onClick={() => void copy(link.url)}>
              Copy link
            </Button>
          )}
        </>
      )}
    >
      <p className="soft">
        One person without an account sees this post and decides on it. A change to the post ends the link.
      </p>
      <Refused error={make.error ?? end.error} />
      {link !== null && (
        <div className="field" role="status">
          <label htmlFor={id}>The link</label>
          <input id={id} readOnly value={link.url} onFocus={({ target }) => target.select()} />
          <small>
            Copy it now: it is not shown again. It works until <Instant at={link.expires_at} />.
          </small>
        </div>
      )}
    </Dialog>
  );
}
