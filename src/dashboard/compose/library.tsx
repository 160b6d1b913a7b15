// Files that were uploaded before, to use again.
import { useDeferredValue, useState } from "react";
import { useRead } from "../reads.ts";
import type { Media } from "../types.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Empty, Found } from "../ui/states.tsx";
import { Thumbnail } from "../ui/thumbnail.tsx";
import { count } from "../words/counts.ts";
import "./library.css";

const SHOWN_MAX = 60;

interface LibraryProps {
  /** Files that the post has already. */
  known: readonly string[];
  /** Exactly one image is chosen; absent: any number of files. */
  picks?: "image";
  onChoose(ids: string[]): void;
  onClose(): void;
}

const nameFile = ({ name, alt, kind }: Media) => alt ?? name ?? (kind === "video" ? "Video" : "Photo");

export function Library({ known, picks, onChoose, onClose }: LibraryProps) {
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState<string[]>([]);
  const q = useDeferredValue(typed.trim());
  const files = useRead(
    ["media", "library", q, picks],
    async (client, signal) => {
      const query = { limit: SHOWN_MAX, ...(q === "" ? {} : { q }), kind: picks };
      const { media } = (await client.call("media.list", { query, signal })).body;
      return media.filter(({ state }) => state === "ready" || state === "registered");
    },
    { keep: true },
  );
  const toggle = (id: string) =>
    setChosen((current) => {
      if (picks !== undefined) return [id];
      return current.includes(id) ? current.filter((other) => other !== id) : [...current, id];
    });
  return (
    <Dialog
      title="Library"
      size="large"
      onClose={onClose}
      actions={(close) => (
        <>
          <Button onClick={close}>Cancel</Button>
          <Button
            variant="primary"
            disabled={chosen.length === 0}
            onClick={() => {
              onChoose(chosen);
              close();
            }}
          >
            {chosen.length === 0 ? "Add" : `Add ${count(chosen.length, "file")}`}
          </Button>
        </>
      )}
    >
      <input
        type="search"
        aria-label="Search files"
        placeholder="Search by name, tag or alt text"
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <Found query={files} what="Your files">
        {(list) =>
          list.length === 0 ? (
            <Empty title={q === "" ? "No files yet" : "No results"} icon="image" />
          ) : (
            <ul className="library">
              {list.map((file) => (
                <li key={file.id}>
                  <label className="library-file">
                    <input
                      type="checkbox"
                      aria-label={nameFile(file)}
                      checked={chosen.includes(file.id) || known.includes(file.id)}
                      disabled={known.includes(file.id)}
                      onChange={() => toggle(file.id)}
                    />
                    <Thumbnail media={file} isDescribed isSmall />
                    <span className="one-line" dir="auto">
                      {nameFile(file)}
                    </span>
                  </label>
                </li>
              ))}
            </ul>
          )
        }
      </Found>
    </Dialog>
  );
}
