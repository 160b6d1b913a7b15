// What members say to each other about a post. Nothing of it is published.
import { type FormEvent, useRef, useState } from "react";
import { COMMENT_LENGTH_MAX } from "../../domain/limits.ts";
import { useAct, useRead } from "../reads.ts";
import { useSession } from "../session.tsx";
import { Button } from "../ui/button.tsx";
import { Avatar } from "../ui/channel.tsx";
import { Instant } from "../ui/marks.tsx";
import { Menu } from "../ui/menu.tsx";
import { Found, Refused } from "../ui/states.tsx";

const EVERY_MS = 20_000;

export function Comments({ post }: { post: string }) {
  const { workspace, whyNot } = useSession();
  const comments = useRead(
    ["posts", post, "comments"],
    async (client, signal) =>
      (await client.call("comments.list", { params: { id: post }, query: { limit: "100" }, signal })).body.comments,
    { every: EVERY_MS },
  );
  const members = useRead(["members", "mentions"], async (client, signal) => {
    const input = { params: { id: workspace.id }, query: { limit: "200" }, signal };
    return (await client.call("members.list", input)).body.members;
  });
  const names = (members.data ?? []).map(({ name, email }) => name ?? email);
  return (
    <section className="card" aria-label="Comments">
      <h2>Comments</h2>
      <Found query={comments} what="Comments">
        {(newestFirst) =>
          newestFirst.length === 0 ? (
            <p className="soft">Only members of this workspace see comments.</p>
          ) : (
            <ol className="comments">
              {newestFirst.toReversed().map(({ id, text, by, at }) => (
                <li key={id}>
                  <Avatar name={by} />
                  <div>
                    <p>
                      <strong dir="auto">{by}</strong>{" "}
                      <small className="soft">
                        <Instant at={at} />
                      </small>
                    </p>
                    <p className="exact" dir="auto">
                      {text}
                    </p>
                  </div>
                </li>
              ))}
            </ol>
          )
        }
      </Found>
      {whyNot("comment") === null && <Write post={post} names={names} />}
    </section>
  );
}

function Write({ post, names }: { post: string; names: string[] }) {
  const [text, setText] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const send = useAct(
    async (client, body: { text: string }) => client.call("comments.create", { params: { id: post }, body }),
    ["posts"],
  );
  function submit(event: FormEvent) {
    event.preventDefault();
    if (text.trim() !== "") send.mutate({ text: text.trim() }, { onSuccess: () => setText("") });
  }
  const mention = (name: string) => {
    setText((typed) => `${typed}${typed === "" || typed.endsWith(" ") ? "" : " "}@${name} `);
    field.current?.focus();
  };
  return (
    <form className="stack tight" onSubmit={submit}>
      <label className="field">
        <span>Comment</span>
        <textarea
          ref={field}
          rows={2}
          dir="auto"
          maxLength={COMMENT_LENGTH_MAX}
          value={text}
          placeholder="Write to your team. @ mentions a member."
          onChange={({ target }) => setText(target.value)}
        />
      </label>
      <Refused error={send.error} />
      <div className="row end">
        {names.length > 0 && (
          <Menu
            label="Mention a member"
            className="quiet"
            entries={names.map((name) => ({ name, act: () => mention(name) }))}
          >
            @ Mention
          </Menu>
        )}
        <Button type="submit" isBusy={send.isPending} disabled={text.trim() === ""}>
          Comment
        </Button>
      </div>
    </form>
  );
}
