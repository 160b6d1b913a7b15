// The rows of a file: first those that have to be fixed, each with its cells, then the others.
import { useMemo, useState } from "react";
import { Link } from "wouter";
import type { Answer } from "../../client/client.ts";
import { count } from "../words/counts.ts";
import { describeViolation } from "../words/violations.ts";
import { type Fixes, readBroken } from "./cells.ts";
import { FixRow, nameColumn } from "./fix-row.tsx";
import { getLine } from "./rows.ts";

const NO_FIX: Readonly<Record<string, string>> = {};
const NO_CELLS: ReadonlyMap<string, string> = new Map();
/** How many valid rows are listed at first, after all refused rows. */
const VALID_SHOWN = 10;

interface RowsProps {
  file: { text: string; isCsv: boolean };
  found: Answer<"posts.import">;
  fixes: Fixes;
  channelNames: readonly string[];
  /** null: the rows can no longer be fixed here. */
  onFix: ((row: number, column: string, value: string) => void) | null;
}

const describeRow = (violation: Answer<"posts.import">["rows"][number]["violations"][number]) =>
  describeViolation(violation).text;

export function Rows({ file, found, fixes, channelNames, onFix }: RowsProps) {
  const [isShowingAll, setAll] = useState(false);
  const numbered = found.rows.map((row, index) => ({ row, index }));
  const broken = numbered.filter(({ row }) => !row.valid);
  const valid = numbered.filter(({ row }) => row.valid);
  const brokenCells = useMemo(() => readBroken(file.text, found.rows), [file.text, found.rows]);
  const shownRows = [...broken, ...(isShowingAll ? valid : valid.slice(0, VALID_SHOWN))];
  return (
    <>
      <ul className="rows" aria-label="Rows of the file">
        {shownRows.map(({ row, index }) => (
          <li key={row.line} className="stack tight">
            <span className="row">
              <span className="numbers">Line {row.line}</span>
              {row.external_id !== null && <span className="state">{row.external_id}</span>}
              <span className="state" data-tone={row.valid ? "live" : "failed"}>
                {row.post !== null ? "Imported" : row.valid ? "Ready" : "To fix"}
              </span>
              {row.post !== null && <Link href={`/posts/${row.post.id}`}>View post</Link>}
            </span>
            <p className="soft one-line" dir="auto">
              {getLine(file.text, row.line)}
            </p>
            {row.violations.length > 0 && file.isCsv && onFix !== null ? (
              <FixRow
                row={index}
                line={row.line}
                values={brokenCells.get(index) ?? NO_CELLS}
                violations={row.violations}
                fixes={fixes.get(index) ?? NO_FIX}
                channelNames={channelNames}
                describe={describeRow}
                onChange={onFix}
              />
            ) : (
              row.violations.length > 0 && (
                <div className="alert">
                  <ul>
                    {row.violations.map((violation) => (
                      <li key={`${violation.code} ${violation.field} ${violation.channel}`}>
                        {violation.column !== undefined && <strong>{nameColumn(violation.column)}: </strong>}
                        {describeRow(violation)}
                      </li>
                    ))}
                  </ul>
                </div>
              )
            )}
          </li>
        ))}
      </ul>
      {!isShowingAll && valid.length > VALID_SHOWN && (
        <div>
          <button type="button" onClick={() => setAll(true)}>
            Show all {count(found.rows.length, "row")}
          </button>
        </div>
      )}
    </>
  );
}
