// Edits the text of a live post on its network: a dialog with the text as it is now.
import { useId, useState } from "react";
import { Refusal } from "../../client/errors.ts";
import { networkName } from "../../domain/network-name.ts";
import { contentFor } from "../../domain/posts/channel-content.ts";
import { whyNotEditable } from "../../domain/posts/editable.ts";
import { applyTier } from "../../domain/posts/tier.ts";
import { findLimit, measure } from "../compose/measure.ts";
import { useAct } from "../reads.ts";
import type { Channel, Delivery, Post, Rule } from "../types.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Refused } from "../ui/states.tsx";
import { useSay } from "../ui/toasts.tsx";
import { count } from "../words/counts.ts";
import { describeViolation } from "../words/violations.ts";

/** Whether the text of a live delivery can be edited now. */
export const mayEditLive = (post: Post, delivery: Delivery, rule: Rule | undefined): boolean =>
  delivery.status === "live" &&
  delivery.takedown !== "pending" &&
  delivery.edit?.status !== "pending" &&
  rule !== undefined &&
  whyNotEditable(rule, { ...post, postType: post.post_type }, delivery.channel) === null;

interface LiveEditProps {
  post: Post;
  delivery: Delivery;
  channel: Channel | undefined;
  rule: Rule;
  onClose(): void;
}

export function LiveEdit({ post, delivery, channel, rule, onClose }: LiveEditProps) {
  const say = useSay();
  const hint = useId();
  const accepted = contentFor(post, delivery.channel);
  const before = delivery.live_text ?? accepted.text;
  const [text, setText] = useState(before);
  const name = networkName(delivery.platform);
  const limits = applyTier(rule, channel?.tier ?? null);
  const limit = findLimit(limits, post.post_type, accepted.media.length > 0);
  const excess = (measure(text, limits, limit)?.length ?? 0) - limit;
  const edit = useAct(
    async (client, body: { text: string }) =>
      client.call("posts.edit-live-text", { params: { id: post.id, channel: delivery.channel }, body }),
    ["posts"],
  );
  const save = (close: () => void) =>
    edit.mutate(
      { text },
      {
        onSuccess({ status }) {
          close();
          say(status === 202 ? `Requested; ${name} has not confirmed the new text yet` : `Text changed on ${name}`);
        },
      },
    );
  return (
    <Dialog
      title={`Edit the text on ${name}`}
      size="large"
      onClose={onClose}
      actions={(close) => (
        <>
          <button type="button" onClick={close}>
            Cancel
          </button>
          <Button
            variant="primary"
            isBusy={edit.isPending}
            disabled={text === before || text.trim() === "" || excess > 0}
            onClick={() => save(close)}
          >
            Save on {name}
          </Button>
        </>
      )}
    >
      <label className="field">
        <span>Text</span>
        <textarea
          rows={8}
          dir="auto"
          value={text}
          aria-describedby={hint}
          onChange={({ target }) => setText(target.value)}
        />
      </label>
      <p id={hint} className="soft">
        {excess > 0
          ? `${count(excess, "character")} too long for ${name}.`
          : "People see the new text at once. Likes, comments and other channels stay as they are."}
      </p>
      <Problems error={edit.error} />
    </Dialog>
  );
}

/** Each problem with the text, or the refusal of the call. */
function Problems({ error }: { error: unknown }) {
  const violations = error instanceof Refusal ? (error.body.violations ?? []) : [];
  if (violations.length === 0) return <Refused error={error} />;
  return (
    <ul className="alert" role="alert">
      {violations.map((violation) => (
        <li key={violation.code}>{describeViolation(violation).text}</li>
      ))}
    </ul>
  );
}
