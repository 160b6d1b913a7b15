// A form field for a value that a JSON Schema describes. An empty field has no value.
import { type ReactNode, useId } from "react";
import { isRecord, type Json, type Schema, toLabel } from "./schema.ts";

export interface FieldProps {
  name: string;
  schema: Schema;
  value: Json | undefined;
  required?: boolean;
  onChange(value: Json | undefined): void;
  /** The problems of the field, shown below it. */
  children?: ReactNode;
  secret?: boolean;
}

/** A longer text gets a multi-line field. */
const LINE_MAX = 400;

export function SchemaField(props: FieldProps) {
  const { name, schema, value, required = false, onChange, children, secret = false } = props;
  const id = useId();
  const label = toLabel(name) + (required ? "" : " (optional)");
  const help = schema.description === undefined ? null : <small id={`${id}-help`}>{schema.description}</small>;
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
            <option value="">{required ? "Choose" : usual(schema)}</option>
            {words.map((word) => (
              <option key={word} value={word}>
                {word.replaceAll("_", " ")}
              </option>
            ))}
            {objectSchema !== undefined && <option value={OWN}>your own</option>}
          </select>,
        )}
        {objectSchema !== undefined && chosen === OWN && (
          <SchemaFields schema={objectSchema} values={isRecord(value) ? value : {}} onChange={onChange} />
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
        />
        {children}
      </fieldset>
    );
  }
  if (schema.type === "array" && schema.items?.type === "object") return <Rows {...props} />;
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
        step={schema.type === "integer" ? 1 : "any"}
        value={typeof value === "number" ? value : ""}
        onChange={({ target }) => onChange(target.value === "" ? undefined : Number(target.value))}
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
          {`Without ${toLabel(name).toLowerCase()}`}
        </label>
      </>
    );
  }
  return field(
    schema.format !== "uri" && !secret && (schema.maxLength ?? 0) > LINE_MAX ? (
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
        type={secret ? "password" : "text"}
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

const usual = ({ default: value }: Schema) =>
  value === undefined || value === "" ? "Default" : `Default (${String(value).replaceAll("_", " ")})`;

/** A checkbox if the network's default is false; otherwise three choices, one of which leaves the value unset. */
function YesNo({ name, schema, value, required = false, onChange, children }: FieldProps) {
  const id = useId();
  const help = schema.description === undefined ? null : <small>{schema.description}</small>;
  if (schema.default === false && !required) {
    return (
      <div className="field">
        <label className="choice">
          <input
            type="checkbox"
            checked={value === true}
            onChange={({ target }) => onChange(target.checked ? true : undefined)}
          />
          {toLabel(name)}
        </label>
        {help}
        {children}
      </div>
    );
  }
  return (
    <div className="field">
      <label htmlFor={id}>{toLabel(name) + (required ? "" : " (optional)")}</label>
      <select
        id={id}
        value={value === undefined ? "" : String(value)}
        onChange={({ target }) => onChange(target.value === "" ? undefined : target.value === "true")}
      >
        <option value="">{required ? "Choose" : "Default"}</option>
        <option value="true">Yes</option>
        <option value="false">No</option>
      </select>
      {help}
      {children}
    </div>
  );
}

/** A list whose entries each have several fields. */
function Rows({ name, schema, value, onChange, children }: FieldProps) {
  const rows = Array.isArray(value) ? value : [];
  const give = (next: Json[]) => onChange(next.length === 0 ? undefined : next);
  return (
    <fieldset className="stack tight nested">
      <legend>{toLabel(name)} (optional)</legend>
      {schema.description !== undefined && <small>{schema.description}</small>}
      {rows.map((row, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is identified by its position.
        <div key={i} className="stack tight">
          <SchemaFields
            schema={schema.items ?? {}}
            values={isRecord(row) ? row : {}}
            onChange={(next) => give(rows.with(i, next))}
          />
          <button type="button" onClick={() => give(rows.toSpliced(i, 1))}>
            Remove {toLabel(name).toLowerCase()} {i + 1}
          </button>
        </div>
      ))}
      <button type="button" onClick={() => give([...rows, {}])}>
        Add to {toLabel(name).toLowerCase()}
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
  field = (props) => <SchemaField {...props} />,
}: {
  schema: Schema;
  values: Record<string, Json | undefined>;
  onChange(values: { [name: string]: Json }): void;
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
