// The acts on the selected files: a tag for all, or deletion.
import { useState } from "react";
import { LABEL_LENGTH_MAX } from "../../domain/limits.ts";
import { useSession } from "../session.tsx";
import type { Media } from "../types.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { Refused } from "../ui/states.tsx";
import { useSay } from "../ui/toasts.tsx";
import { count } from "../words/counts.ts";
import { type KeptFile, useEach } from "./each.ts";
import { parseTags } from "./tags.ts";

const countFiles = (files: number) => count(files, "file");

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
  const tag = useEach(files, (client, file, tags: string[]) =>
    client.call("media.describe", { params: { id: file.id }, body: { tags: [...new Set([...file.tags, ...tags])] } }),
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
                onSuccess(kept) {
                  if (kept.length < files.length) say(`${countFiles(files.length - kept.length)} tagged`);
                  if (kept.length === 0) close();
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
      <Kept files={tag.data} />
    </Dialog>
  );
}

function DeleteDialog({ files, onClose, onDone }: { files: Media[]; onClose(): void; onDone(): void }) {
  const say = useSay();
  const remove = useEach(files, (client, { id }, _: null) => client.call("media.remove", { params: { id } }));
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
                onSuccess(kept) {
                  if (kept.length < files.length) say(`${countFiles(files.length - kept.length)} deleted`);
                  if (kept.length === 0) onDone();
                },
              })
            }
          >
            Delete
          </Button>
        </>
      )}
    >
      <p>Files that a scheduled or published post uses are not deleted.</p>
      <Refused error={remove.error} />
      <Kept files={remove.data} />
    </Dialog>
  );
}

/** The files that were not changed. */
function Kept({ files = [] }: { files: KeptFile[] | undefined }) {
  if (files.length === 0) return null;
  return (
    <div className="alert" role="alert">
      <p>{files.length === 1 ? "1 file was not changed." : `${count(files.length, "file")} were not changed.`}</p>
      <ul>
        {files.map(({ id, name, reason }) => (
          <li key={id}>
            <bdi>{name}</bdi>: {reason}
          </li>
        ))}
      </ul>
    </div>
  );
}
