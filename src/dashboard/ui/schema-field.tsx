// A form field for a value that a JSON Schema describes. An empty field has no value.
import { type ReactNode, useId } from "react";
import type { OptionWords } from "../words/options/option-words.ts";
import { isRecord, type Json, type Schema, toLabel } from "./schema.ts";
import { Choices, YesNo } from "./schema-choices.tsx";
import { buildLabel, type FieldProps, fromShown, nameUnset, toShown, wordsInside } from "./schema-words.ts";

/** A longer text gets a multi-line field. */
const LINE_MAX = 400;

export function SchemaField(props: FieldProps) {
  const { name, schema, words: optionWords, value, required = false, onChange, children } = props;
  const id = useId();
  const label = buildLabel(props);
  const help = optionWords?.help === undefined ? null : <small id={`${id}-help`}>{optionWords.help}</small>;
  const described = help === null ? undefined : `${id}-help`;
  const field = (control: ReactNode) => (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {control}
      {help}
      {children}
    </div>
  );

  const objectSchema = schema.anyOf?.find(({ type }) => type === "object");
  const words = schema.enum ?? schema.anyOf?.find((option) => option.enum !== undefined)?.enum;
  if (schema.type === "boolean") return <YesNo {...props} />;
  if (words !== undefined) {
    const chosen = typeof value === "string" ? value : value === undefined ? "" : OWN;
    return (
      <>
        {field(
          <select
            id={id}
            aria-describedby={described}
            value={chosen}
            onChange={({ target }) =>
              onChange(target.value === "" ? undefined : target.value === OWN ? {} : target.value)
            }
          >
            <option value="">{required ? "Choose" : nameUnset(props)}</option>
            {words.map((word) => (
              <option key={word} value={word}>
                {optionWords?.values?.[word] ?? toLabel(word)}
              </option>
            ))}
            {objectSchema !== undefined && <option value={OWN}>{optionWords?.custom ?? "Custom"}</option>}
          </select>,
        )}
        {objectSchema !== undefined && chosen === OWN && (
          <SchemaFields
            schema={objectSchema}
            values={isRecord(value) ? value : {}}
            onChange={onChange}
            wordsFor={(field) => wordsInside(optionWords, field)}
          />
        )}
      </>
    );
  }
  if (schema.type === "object") {
    return (
      <fieldset className="stack tight nested">
        <legend>{label}</legend>
        {help}
        <SchemaFields
          schema={schema}
          values={isRecord(value) ? value : {}}
          onChange={(next) => onChange(Object.keys(next).length === 0 ? undefined : next)}
          wordsFor={(field) => wordsInside(optionWords, field)}
        />
        {children}
      </fieldset>
    );
  }
  if (schema.type === "array" && schema.items?.type === "object") return <Rows {...props} />;
  if (schema.type === "array" && schema.items?.enum !== undefined) return <Choices {...props} />;
  if (schema.type === "array") {
    const list = Array.isArray(value) ? value.join(", ") : "";
    return field(
      <input
        id={id}
        aria-describedby={described}
        defaultValue={list}
        placeholder="Separated by commas"
        onChange={({ target }) => {
          const parts = target.value.split(",").map((item) => item.trim());
          const filled = parts.filter((item) => item !== "");
          onChange(filled.length === 0 ? undefined : filled);
        }}
      />,
    );
  }
  if (schema.type === "integer" || schema.type === "number") {
    return field(
      <input
        id={id}
        type="number"
        aria-describedby={described}
        step={schema.type === "integer" && optionWords?.shows !== "seconds" ? 1 : "any"}
        value={typeof value === "number" ? toShown(value, optionWords) : ""}
        onChange={({ target }) =>
          onChange(target.value === "" ? undefined : fromShown(Number(target.value), optionWords))
        }
      />,
    );
  }
  const text = typeof value === "string" ? value : "";
  const give = (typed: string) => onChange(typed === "" ? undefined : typed);
  const spelled = schema.anyOf?.find(({ type }) => type === "string");
  if (spelled !== undefined && schema.anyOf?.some(({ type }) => type === "null")) {
    const { anyOf: _, ...otherKeywords } = schema;
    return (
      <>
        <SchemaField {...props} schema={{ ...otherKeywords, ...spelled }} />
        <label className="choice">
          <input
            type="checkbox"
            checked={value === null}
            onChange={({ target }) => onChange(target.checked ? null : undefined)}
          />
          {optionWords?.none ?? `Without ${toLabel(name).toLowerCase()}`}
        </label>
      </>
    );
  }
  return field(
    schema.format !== "uri" && (schema.maxLength ?? 0) > LINE_MAX ? (
      <textarea
        id={id}
        rows={3}
        aria-describedby={described}
        value={text}
        onChange={({ target }) => give(target.value)}
      />
    ) : (
      <input
        id={id}
        type="text"
        autoComplete="off"
        inputMode={schema.format === "uri" ? "url" : undefined}
        aria-describedby={described}
        value={text}
        onChange={({ target }) => give(target.value)}
      />
    ),
  );
}

/** A choice outside the schema's values. */
const OWN = "\0own";

/** A list whose entries each have several fields. */
function Rows({ name, schema, words, value, onChange, children }: FieldProps) {
  const label = words?.label ?? toLabel(name);
  const rows = Array.isArray(value) ? value : [];
  const give = (next: Json[]) => onChange(next.length === 0 ? undefined : next);
  return (
    <fieldset className="stack tight nested">
      <legend>{label} (optional)</legend>
      {words?.help !== undefined && <small>{words.help}</small>}
      {rows.map((row, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is identified by its position.
        <div key={i} className="stack tight">
          <SchemaFields
            schema={schema.items ?? {}}
            values={isRecord(row) ? row : {}}
            onChange={(next) => give(rows.with(i, next))}
            wordsFor={(field) => wordsInside(words, field)}
          />
          <button type="button" onClick={() => give(rows.toSpliced(i, 1))}>
            Remove {label.toLowerCase()} {i + 1}
          </button>
        </div>
      ))}
      <button type="button" onClick={() => give([...rows, {}])}>
        Add to {label.toLowerCase()}
      </button>
      {children}
    </fieldset>
  );
}

/** The fields of an object, required ones first. */
export function SchemaFields({
  schema,
  values,
  onChange,
  wordsFor = () => undefined,
  field = (props) => <SchemaField {...props} />,
}: {
  schema: Schema;
  values: Record<string, Json | undefined>;
  onChange(values: { [name: string]: Json }): void;
  /** The labels of a field. */
  wordsFor?: (name: string) => OptionWords | undefined;
  /** Renders fields that need a special control. */
  field?: (props: FieldProps) => ReactNode;
}) {
  const { properties = {}, required = [] } = schema;
  const names = Object.keys(properties).sort((a, b) => Number(required.includes(b)) - Number(required.includes(a)));
  return (
    <div className="stack">
      {names.map((name) => (
        <div key={name}>
          {field({
            name,
            schema: properties[name] ?? {},
            words: wordsFor(name),
            value: values[name],
            required: required.includes(name),
            onChange(value) {
              const next: { [name: string]: Json } = {};
              for (const [key, fieldValue] of Object.entries({ ...values, [name]: value })) {
                if (fieldValue !== undefined) next[key] = fieldValue;
              }
              onChange(next);
            },
          })}
        </div>
      ))}
    </div>
  );
}
