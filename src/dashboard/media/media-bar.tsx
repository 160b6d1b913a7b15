// The acts on the selected files: a tag for all, or deletion.
import { useState } from "react";
import { LABEL_LENGTH_MAX } from "../../domain/limits.ts";
import { useAct } from "../reads.ts";
import { useSession } from "../session.tsx";
import type { Media } from "../types.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { Refused } from "../ui/states.tsx";
import { useSay } from "../ui/toasts.tsx";
import { parseTags } from "./tags.ts";

const countFiles = (count: number) => (count === 1 ? "1 file" : `${count} files`);

export function MediaBar({ files, onClear }: { files: Media[]; onClear(): void }) {
  const { whyNot } = useSession();
  const [question, ask] = useState<"tag" | "delete" | null>(null);
  if (files.length === 0) return null;
  const close = () => ask(null);
  return (
    <section className="bulk-bar" aria-label="Selected files">
      <strong className="numbers">{files.length} selected</strong>
      {whyNot("add_media") === null && (
        <Button icon="tag" onClick={() => ask("tag")}>
          Tag
        </Button>
      )}
      {whyNot("delete_media") === null && (
        <Button variant="danger" icon="trash" onClick={() => ask("delete")}>
          Delete
        </Button>
      )}
      <Button variant="quiet" onClick={onClear}>
        Clear
      </Button>
      {question === "tag" && <TagDialog files={files} onClose={close} />}
      {question === "delete" && <DeleteDialog files={files} onClose={close} onDone={onClear} />}
    </section>
  );
}

function TagDialog({ files, onClose }: { files: Media[]; onClose(): void }) {
  const say = useSay();
  const [typed, setTyped] = useState("");
  const added = parseTags(typed);
  const tag = useAct(
    async (client, tags: string[]) => {
      for (const file of files) {
        const body = { tags: [...new Set([...file.tags, ...tags])] };
        await client.call("media.describe", { params: { id: file.id }, body });
      }
    },
    ["media"],
  );
  return (
    <Dialog
      title={`Tag ${countFiles(files.length)}`}
      onClose={onClose}
      actions={(close) => (
        <>
          <Button onClick={close}>Cancel</Button>
          <Button
            variant="primary"
            isBusy={tag.isPending}
            disabled={added.length === 0}
            onClick={() =>
              tag.mutate(added, {
                onSuccess() {
                  say(`${countFiles(files.length)} tagged`);
                  close();
                },
              })
            }
          >
            Add tag
          </Button>
        </>
      )}
    >
      <Field
        label="Tag"
        dir="auto"
        maxLength={LABEL_LENGTH_MAX}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <Refused error={tag.error} />
    </Dialog>
  );
}

function DeleteDialog({ files, onClose, onDone }: { files: Media[]; onClose(): void; onDone(): void }) {
  const say = useSay();
  const remove = useAct(
    async (client, _: null) => {
      for (const { id } of files) await client.call("media.remove", { params: { id } });
    },
    ["media"],
  );
  return (
    <Dialog
      title={`Delete ${countFiles(files.length)}?`}
      onClose={onClose}
      actions={(close) => (
        <>
          <Button onClick={close}>Keep</Button>
          <Button
            variant="danger"
            isBusy={remove.isPending}
            onClick={() =>
              remove.mutate(null, {
                onSuccess() {
                  say(`${countFiles(files.length)} deleted`);
                  onDone();
                },
              })
            }
          >
            Delete
          </Button>
        </>
      )}
    >
      <p>Posts that are already live keep their files. A file that a scheduled post uses is not deleted.</p>
      <Refused error={remove.error} />
    </Dialog>
  );
}
