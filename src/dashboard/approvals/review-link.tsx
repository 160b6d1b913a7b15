// A link that lets a person without an account decide on a post.
import { useId, useState } from "react";
import type { Answer } from "../../client/client.ts";
import { useAct } from "../reads.ts";
import type { Post } from "../types.ts";
import { useCopy } from "../ui/copy.ts";
import { Instant } from "../ui/marks.tsx";
import { Refused } from "../ui/states.tsx";
import { useSay } from "../ui/toasts.tsx";

export function ReviewLink({ post }: { post: Post }) {
  const say = useSay();
  const id = useId();
  const [link, setLink] = useState<Answer<"posts.create-review-link"> | null>(null);
  const params = { id: post.id };
  const make = useAct(async (client, _: null) => (await client.call("posts.create-review-link", { params })).body, []);
  const end = useAct(async (client, _: null) => client.call("posts.end-review-link", { params }), []);
  const error = make.error ?? end.error;
  const copy = useCopy("The link");
  return (
    <details>
      <summary>Ask someone without an account</summary>
      <div className="stack tight">
        <p className="soft">
          Creates a link for one person, who sees only this post and can approve or decline it once. Editing the post
          revokes the link.
        </p>
        <Refused error={error} />
        {link !== null && (
          <div className="field" role="status">
            <label htmlFor={id}>The link</label>
            <input id={id} readOnly value={link.url} onFocus={({ target }) => target.select()} />
            <small>
              Copy it now: it is not shown again. It works until <Instant at={link.expires_at} />.
            </small>
          </div>
        )}
        <div className="row">
          {link !== null && (
            <button type="button" onClick={() => void copy(link.url)}>
              Copy link
            </button>
          )}
          <button
            type="button"
            className={link === null ? "" : "quiet"}
            disabled={make.isPending}
            onClick={() => make.mutate(null, { onSuccess: setLink })}
          >
            {link === null ? "Create link" : "Create another link"}
          </button>
          <button
            type="button"
            className="quiet"
            disabled={end.isPending}
            onClick={() =>
              end.mutate(null, {
                onSuccess() {
                  setLink(null);
                  say("The link has been revoked");
                },
              })
            }
          >
            Revoke link
          </button>
        </div>
      </div>
    </details>
  );
}
