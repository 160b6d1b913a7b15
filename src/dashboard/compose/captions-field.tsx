// The captions of a video: a language and a file for each. A file is uploaded here, because the post itself takes none.
import { useId, useState } from "react";
import { Refusal } from "../../client/errors.ts";
import { upload } from "../../client/upload.ts";
import { CAPTIONS_TYPES, detectCaptionsType } from "../../domain/media/types.ts";
import { findCaptions } from "../../domain/posts/captions.ts";
import { describeError } from "../api.ts";
import { getFileName } from "../media/names.ts";
import { useRead } from "../reads.ts";
import { useSession } from "../session.tsx";
import { buildLabel, type FieldProps } from "../ui/schema-words.ts";

const ACCEPTED = Object.values(CAPTIONS_TYPES).map(({ ending }) => `.${ending}`);

export function CaptionsField(props: FieldProps) {
  const { name, schema, value, words, onChange, children } = props;
  const { client } = useSession();
  const id = useId();
  const [trouble, setTrouble] = useState<string | null>(null);
  const list = useRead(
    ["media", "captions"],
    async (reader, signal) =>
      (await reader.call("media.list", { query: { kind: "captions", limit: "200" }, signal })).body.media,
    { keep: true },
  );
  const rows = findCaptions({ captions: value });
  const give = (next: typeof rows) => onChange(next.length === 0 ? undefined : next.map((row) => ({ ...row })));
  const files = (list.data ?? []).filter(({ state }) => state !== "expired");

  async function add(file: File) {
    setTrouble(null);
    const contentType = detectCaptionsType(new Uint8Array(await file.slice(0, 64).arrayBuffer()));
    if (contentType === null) return setTrouble("This is neither an SRT nor a VTT file.");
    try {
      const uploaded = await upload(client, file, { name: file.name, contentType });
      give([...rows, { lang: readLanguage(file.name), file: uploaded }]);
      void list.refetch();
    } catch (error) {
      setTrouble(error instanceof Refusal ? describeError(error) : "This file couldn't be uploaded.");
    }
  }

  return (
    <fieldset className="stack tight nested">
      <legend>{buildLabel(props)}</legend>
      {words?.help !== undefined && <small>{words.help}</small>}
      {rows.map((row, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is identified by its position.
        <div key={i} className="stack tight">
          <div className="field">
            <label htmlFor={`${id}-${i}-lang`}>Language</label>
            <input
              id={`${id}-${i}-lang`}
              type="text"
              autoComplete="off"
              placeholder="en or pt-BR"
              value={row.lang}
              onChange={({ target }) => give(rows.with(i, { ...row, lang: target.value.trim() }))}
            />
          </div>
          <div className="field">
            <label htmlFor={`${id}-${i}-file`}>File</label>
            <select
              id={`${id}-${i}-file`}
              value={row.file}
              onChange={({ target }) => give(rows.with(i, { ...row, file: target.value }))}
            >
              {!files.some((file) => file.id === row.file) && <option value={row.file}>The chosen file</option>}
              {files.map((file) => (
                <option key={file.id} value={file.id}>
                  {getFileName(file)}
                </option>
              ))}
            </select>
          </div>
          <button type="button" onClick={() => give(rows.toSpliced(i, 1))}>
            Remove captions {i + 1}
          </button>
        </div>
      ))}
      {rows.length < (schema.maxItems ?? 1) && (
        <div className="field">
          <label htmlFor={`${id}-${name}`}>Add captions (SRT or VTT)</label>
          <input
            id={`${id}-${name}`}
            type="file"
            accept={ACCEPTED.join(",")}
            onChange={({ target }) => {
              const [file] = target.files ?? [];
              if (file !== undefined) void add(file);
              target.value = "";
            }}
          />
        </div>
      )}
      {trouble !== null && <p className="note">{trouble}</p>}
      {children}
    </fieldset>
  );
}

/** The language in a file's name, as in `talk.pt-BR.srt`; empty if it names none, for the person to type. */
const readLanguage = (fileName: string): string => /\.([a-z]{2,3}(?:-[A-Z]{2})?)\.[a-z]+$/.exec(fileName)?.[1] ?? "";
