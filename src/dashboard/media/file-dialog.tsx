// One file: its name, tags and alt text, the posts that use it, and when our copy is deleted.
import { Link } from "wouter";
import { FILE_NAME_LENGTH_MAX, LABEL_LENGTH_MAX, MEDIA_TAGS_MAX } from "../../domain/limits.ts";
import { useAct, useRead } from "../reads.ts";
import { useSession } from "../session.tsx";
import type { Media } from "../types.ts";
import { AltField } from "../ui/alt-field.tsx";
import { Button } from "../ui/button.tsx";
import { Switch } from "../ui/choices.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Able, Instant, State } from "../ui/marks.tsx";
import { PostRows } from "../ui/post-row.tsx";
import { Found, Refused } from "../ui/states.tsx";
import { Thumbnail } from "../ui/thumbnail.tsx";
import { useSay } from "../ui/toasts.tsx";
import { formatBytes } from "../words/counts.ts";
import { getFileName } from "./names.ts";
import { parseTags } from "./tags.ts";

export function FileDialog({ file, onClose }: { file: Media; onClose(): void }) {
  const { whyNot } = useSession();
  const say = useSay();
  const name = getFileName(file);
  const remove = useAct(async (client, _: null) => client.call("media.remove", { params: { id: file.id } }), ["media"]);
  return (
    <Dialog
      title={name}
      onClose={onClose}
      actions={(close) => (
        <>
          <Able why={whyNot("delete_media")}>
            {(disabled) => (
              <Button
                variant="danger"
                icon="trash"
                disabled={disabled}
                isBusy={remove.isPending}
                onClick={() =>
                  remove.mutate(null, {
                    onSuccess() {
                      say("The file was deleted");
                      close();
                    },
                  })
                }
              >
                Delete
              </Button>
            )}
          </Able>
          <Button onClick={close}>Close</Button>
        </>
      )}
    >
      <div className="file-picture">
        <Thumbnail media={file} isDescribed />
      </div>
      <p className="meta numbers">
        {file.state === "ready" ? null : <State of={file.state} />}
        {file.width !== null && <span>{`${file.width} × ${file.height}`}</span>}
        {file.seconds !== null && <span>{Math.round(file.seconds)} s</span>}
        {file.bytes !== null && <span>{formatBytes(file.bytes)}</span>}
        {file.expires_at !== null && (
          <span>
            Our copy is deleted <Instant at={file.expires_at} />
          </span>
        )}
      </p>
      <AltField file={file.id} alt={file.alt} of={`this ${file.kind}`} disabled={whyNot("add_media") !== null} />
      <Names file={file} />
      {file.public_url !== null && file.state !== "expired" && <Keep file={file} />}
      <Refused error={remove.error} />
      <h3>Used by</h3>
      <Uses media={file.id} />
    </Dialog>
  );
}

/** Whether our copy stays after the posts that use it. */
function Keep({ file }: { file: Media }) {
  const { whyNot } = useSession();
  const say = useSay();
  const save = useAct(
    async (client, keep: boolean) => client.call("media.describe", { params: { id: file.id }, body: { keep } }),
    ["media"],
  );
  return (
    <>
      <Switch
        label="Keep in the library"
        note="Otherwise our copy is deleted seven days after the last post that uses it."
        checked={file.keep}
        disabled={whyNot("add_media") !== null || save.isPending}
        onChange={(keep) =>
          save.mutate(keep, { onSuccess: () => say(keep ? "Kept in the library" : "No longer kept") })
        }
      />
      <Refused error={save.error} />
    </>
  );
}

/** Name and tags, saved together. */
function Names({ file }: { file: Media }) {
  const { whyNot } = useSession();
  const say = useSay();
  const save = useAct(
    async (client, body: { name: string | null; tags: string[] }) =>
      client.call("media.describe", { params: { id: file.id }, body }),
    ["media"],
  );
  return (
    <form
      className="stack tight"
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        const name = String(form.get("name")).trim();
        const tags = parseTags(String(form.get("tags")));
        save.mutate({ name: name === "" ? null : name, tags }, { onSuccess: () => say("Saved") });
      }}
    >
      <fieldset className="file-names" disabled={whyNot("add_media") !== null}>
        <label className="field">
          <span>Name</span>
          <input name="name" dir="auto" maxLength={FILE_NAME_LENGTH_MAX} defaultValue={file.name ?? ""} />
        </label>
        <label className="field">
          <span>Tags</span>
          <input
            name="tags"
            dir="auto"
            maxLength={LABEL_LENGTH_MAX * MEDIA_TAGS_MAX}
            defaultValue={file.tags.join(", ")}
            placeholder="product, summer"
          />
        </label>
        <Button type="submit" isBusy={save.isPending}>
          Save
        </Button>
      </fieldset>
      <Refused error={save.error} />
    </form>
  );
}

const USES = "10";

/** The posts that use a file, drafts first. */
function Uses({ media }: { media: string }) {
  const uses = useRead(["posts", "media", media], async (client, signal) => {
    const find = async (query: { status?: "draft" }) =>
      (await client.call("posts.list", { query: { media, limit: USES, ...query }, signal })).body;
    const [drafts, otherPage] = await Promise.all([find({ status: "draft" }), find({})]);
    return { posts: [...drafts.posts, ...otherPage.posts], isAll: drafts.next === null && otherPage.next === null };
  });
  return (
    <Found query={uses} what="The posts that use it">
      {({ posts, isAll }) => (
        <>
          {posts.length === 0 ? <p className="soft">No posts use it.</p> : <PostRows posts={posts} />}
          {!isAll && (
            <p>
              <Link href={`/posts?media=${media}`}>All posts that use it</Link>
            </p>
          )}
        </>
      )}
    </Found>
  );
}
