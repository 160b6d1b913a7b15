// The cells of a row that has to be fixed, each with its problem.
import { memo, useId } from "react";
import type { Answer } from "../../client/client.ts";
import { capitalize } from "../words/post-types.ts";

type Violation = Answer<"posts.import">["rows"][number]["violations"][number];

interface FixRowProps {
  /** The row's position in the file. */
  row: number;
  line: number;
  /** The values of the row by column. */
  values: ReadonlyMap<string, string>;
  violations: readonly Violation[];
  /** The new values so far. */
  fixes: Readonly<Record<string, string>>;
  /** Names that the column of channels accepts. */
  channelNames: readonly string[];
  describe(violation: Violation): string;
  onChange(row: number, column: string, value: string): void;
}

/** A longer cell gets more lines. Its length before the fix decides, so that the field stays the same while a person types. */
const LINE_MAX = 60;

/** The columns to show: those with a problem; without any, those that the file has. */
function listColumns(values: ReadonlyMap<string, string>, violations: readonly Violation[]): string[] {
  const broken = violations.flatMap(({ column }) => (column !== undefined && values.has(column) ? [column] : []));
  return broken.length > 0 ? [...new Set(broken)] : [...values.keys()];
}

/** The columns of the template by what they mean; other columns keep their names. */
const COLUMNS: ReadonlyMap<string, string> = new Map([["publish_at", "Time"]]);
export const nameColumn = (column: string): string =>
  COLUMNS.get(column) ?? capitalize(column.replaceAll("_", " ").trim());

export const FixRow = memo(function FixRow(props: FixRowProps) {
  const { row, line, values, violations, fixes, channelNames, describe, onChange } = props;
  const names = useId();
  const columns = listColumns(values, violations);
  const others = violations.filter(({ column }) => column === undefined || !values.has(column));
  return (
    <div className="fix-row">
      {columns.map((column) => {
        const before = values.get(column) ?? "";
        const value = fixes[column] ?? before;
        const problems = violations.filter((violation) => violation.column === column);
        const field = {
          value,
          dir: "auto",
          "aria-label": `${nameColumn(column)}, line ${line}`,
          "aria-invalid": fixes[column] === undefined && problems.length > 0 ? (true as const) : undefined,
          onChange: ({ target }: { target: { value: string } }) => onChange(row, column, target.value),
        };
        return (
          <div key={column} className="field">
            <span>{nameColumn(column)}</span>
            {before.length > LINE_MAX ? (
              <textarea rows={3} {...field} />
            ) : (
              <input type="text" {...field} list={column === "channels" ? names : undefined} />
            )}
            {column === "channels" && (
              <datalist id={names}>
                {channelNames.map((name) => (
                  <option key={name} value={name} />
                ))}
              </datalist>
            )}
            {problems.map((violation) => (
              <p key={`${violation.code} ${violation.field}`} className="fault">
                {describe(violation)}
              </p>
            ))}
          </div>
        );
      })}
      {others.length > 0 && (
        <div className="alert">
          {others.map((violation) => (
            <p key={`${violation.code} ${violation.field}`}>{describe(violation)}</p>
          ))}
        </div>
      )}
    </div>
  );
});
