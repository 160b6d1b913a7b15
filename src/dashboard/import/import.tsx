// Posts from a file: validates every row before creating any post, then imports all rows or the valid ones.

import { useCallback, useEffect, useMemo, useState } from "react";
import { Link } from "wouter";
import type { Answer } from "../../client/client.ts";
import { useAct, useChannels } from "../reads.ts";
import { useSession } from "../session.tsx";
import { ShownError } from "../shown-error.ts";
import type { Channel } from "../types.ts";
import { Icon } from "../ui/icons.tsx";
import { Able } from "../ui/marks.tsx";
import { Page } from "../ui/page.tsx";
import { saveFile } from "../ui/save-file.ts";
import { Loading, Trouble } from "../ui/states.tsx";
import { AutomationNav } from "../ui/sub-nav.tsx";
import { useSay } from "../ui/toasts.tsx";
import "./import.css";
import { count, formatNumber } from "../words/counts.ts";
import { applyFixes, type Fixes } from "./cells.ts";
import { Export } from "./export.tsx";
import { Rows } from "./row-list.tsx";
import { decoded, refusedOnly } from "./rows.ts";
import { buildTemplate } from "./template.ts";

type Imported = Answer<"posts.import">;
interface Chosen {
  name: string;
  isCsv: boolean;
  text: string;
  /** The idempotency key of this import: retrying the import creates no duplicates. */
  key: string;
}

const NOT_UTF8 = new ShownError("This file isn't UTF-8. In your spreadsheet program, save it as “CSV UTF-8”.");

export function Import() {
  const { whyNot } = useSession();
  const say = useSay();
  const [file, setFile] = useState<Chosen | null>(null);
  const [isOver, setOver] = useState(false);
  const [trouble, setTrouble] = useState<Error | null>(null);
  const [fixes, setFixes] = useState<Fixes>(NO_FIXES);
  const channels = useChannels().data ?? [];
  const channelNames = useMemo(() => listNames(channels), [channels]);
  const reason = whyNot("draft");
  const look = useAct(
    async (client, { isCsv, text }: Chosen) =>
      (await client.call("posts.import", { query: { dry_run: "true" }, body: toImportBody(isCsv, text) })).body,
    [],
  );
  const make = useAct(
    async (client, { isCsv, text, key }: Chosen) => {
      const partial = (look.data?.invalid ?? 0) > 0;
      const query = partial ? { partial: "true" as const } : {};
      return (await client.call("posts.import", { query, body: toImportBody(isCsv, text), idempotencyKey: key })).body;
    },
    ["posts", "media"],
  );

  async function choose(chosenFile: File | undefined) {
    if (chosenFile === undefined) return;
    look.reset();
    make.reset();
    const text = decoded(new Uint8Array(await chosenFile.arrayBuffer()));
    setTrouble(text === null ? NOT_UTF8 : null);
    if (text === null) return setFile(null);
    const isCsv = !/\.(nd)?jsonl?$/i.test(chosenFile.name);
    const chosen = { name: chosenFile.name, isCsv, text, key: crypto.randomUUID() };
    check(chosen);
  }
  function check(chosen: Chosen) {
    setFile(chosen);
    setFixes(NO_FIXES);
    look.mutate(chosen);
  }
  const fix = useCallback(
    (row: number, column: string, value: string) =>
      setFixes((current) => new Map(current).set(row, { ...current.get(row), [column]: value })),
    [],
  );
  const importResult = make.data ?? look.data;

  return (
    <Page title="Import and export" lead="Import posts from a CSV or JSON Lines file.">
      <AutomationNav />
      <section className="card" aria-label="File">
        <label
          className="drop-place"
          data-over={isOver}
          onDragOver={(event) => {
            event.preventDefault();
            setOver(true);
          }}
          onDragLeave={() => setOver(false)}
          onDrop={(event) => {
            event.preventDefault();
            setOver(false);
            if (reason === null) void choose(event.dataTransfer.files[0]);
          }}
        >
          <Icon name="tray" />
          <span className="drop-words">
            <b>{file === null ? "Choose a file, or drop it here" : "Choose another file, or drop it here"}</b>
            <small>One post per row. Nothing is created before you confirm.</small>
          </span>
          <input
            aria-label="File to import"
            type="file"
            accept=".csv,.tsv,.txt,.ndjson,.jsonl,text/csv,application/x-ndjson"
            disabled={reason !== null}
            // Lets the user choose the same file again after fixing it.
            onClick={({ currentTarget }) => {
              currentTarget.value = "";
            }}
            onChange={({ target }) => void choose(target.files?.[0])}
          />
        </label>
        <div className="row">
          <span className="soft">First time? Start from a file with the right columns.</span>
          <button
            type="button"
            className="small"
            onClick={() => {
              const template = buildTemplate(
                channels.map(({ platform }) => platform),
                Date.now(),
              );
              saveFile(new Blob([template], { type: "text/csv" }), "crier-template.csv");
            }}
          >
            Download template
          </button>
        </div>
        {reason !== null && <p className="note">{reason}</p>}
        {trouble !== null && <Trouble error={trouble} />}
      </section>
      {look.isPending && <Loading what="Your file" />}
      {look.isError && <Trouble error={look.error} />}
      {file !== null && importResult !== undefined && (
        <section className="card" aria-label="Rows">
          <h2>{file.name}</h2>
          <p role="status">
            {make.data === undefined
              ? `${rows(importResult.rows.length)}: ${formatNumber(importResult.valid)} ready, ${formatNumber(importResult.invalid)} to fix`
              : `${count(make.data.created, "post")} imported, ${rows(importResult.invalid)} left out`}
          </p>
          {make.isError && <Trouble error={make.error} again={() => make.mutate(file)} />}
          <div className="row">
            {make.data === undefined && fixes.size > 0 && (
              <button
                type="button"
                className="primary"
                onClick={() =>
                  check({ ...file, text: applyFixes(file.text, importResult.rows, fixes), key: crypto.randomUUID() })
                }
              >
                Check again
              </button>
            )}
            {make.data === undefined ? (
              <Able why={importResult.valid === 0 && fixes.size === 0 ? "Fix a row to import it." : null}>
                {(disabled) => (
                  <button
                    type="button"
                    className={fixes.size > 0 ? undefined : "primary"}
                    disabled={disabled || make.isPending || fixes.size > 0}
                    onClick={() =>
                      make.mutate(file, {
                        onSuccess: ({ created }) => say(`${count(created, "post")} imported`),
                      })
                    }
                  >
                    {make.isPending
                      ? "Importing"
                      : importResult.invalid === 0
                        ? `Import all ${rows(importResult.valid)}`
                        : `Import ${rows(importResult.valid)}`}
                  </button>
                )}
              </Able>
            ) : (
              <>
                <Link href="/calendar" className="button primary">
                  View calendar
                </Link>
                <Link href="/posts" className="button">
                  View posts
                </Link>
              </>
            )}
            {importResult.invalid > 0 && <Download file={file} found={importResult} />}
          </div>
          <Rows {...{ file, fixes, channelNames }} found={importResult} onFix={make.data === undefined ? fix : null} />
        </section>
      )}
      <Export />
    </Page>
  );
}

/** The names that the column of channels accepts: of the networks, and the handles where a network has several. */
const listNames = (channels: readonly Channel[]): string[] =>
  [...Map.groupBy(channels, ({ platform }) => platform)].flatMap(([platform, accounts]) =>
    accounts.length === 1 ? [platform] : accounts.map(({ handle }) => handle),
  );

const NO_FIXES: Fixes = new Map();
const rows = (value: number) => count(value, "row");
const toImportBody = (isCsv: boolean, text: string) =>
  isCsv ? { type: "text/csv" as const, text } : { type: "application/x-ndjson" as const, text };

/** Downloads the refused rows as a file, to fix and import separately. */
function Download({ file, found }: { file: Chosen; found: Imported }) {
  const [href, setHref] = useState<string>();
  useEffect(() => {
    const text = refusedOnly(file.text, found.rows, file.isCsv);
    const address = URL.createObjectURL(new Blob([text], { type: file.isCsv ? "text/csv" : "application/x-ndjson" }));
    setHref(address);
    return () => URL.revokeObjectURL(address);
  }, [file, found]);
  return (
    <a className="button" href={href} download={`to-fix-${file.name}`}>
      Download rows to fix
    </a>
  );
}
