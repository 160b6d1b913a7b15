// Fields for yes or no, and for several values of a list.
import { useId } from "react";
import { toLabel } from "./schema.ts";
import { buildLabel, type FieldProps, nameUnset } from "./schema-words.ts";

/** A checkbox if the network's default is false; otherwise three choices, one of which leaves the value unset. */
export function YesNo(props: FieldProps) {
  const { name, schema, words, value, required = false, onChange, children } = props;
  const id = useId();
  const help = words?.help === undefined ? null : <small>{words.help}</small>;
  if (schema.default === false && !required) {
    return (
      <div className="field">
        <label className="choice">
          <input
            type="checkbox"
            checked={value === true}
            onChange={({ target }) => onChange(target.checked ? true : undefined)}
          />
          {words?.label ?? toLabel(name)}
        </label>
        {help}
        {children}
      </div>
    );
  }
  return (
    <div className="field">
      <label htmlFor={id}>{buildLabel(props)}</label>
      <select
        id={id}
        value={value === undefined ? "" : String(value)}
        onChange={({ target }) => onChange(target.value === "" ? undefined : target.value === "true")}
      >
        <option value="">{required ? "Choose" : nameUnset(props)}</option>
        <option value="true">Yes</option>
        <option value="false">No</option>
      </select>
      {help}
      {children}
    </div>
  );
}

/** A list of values, each of which can be chosen. */
export function Choices({ name, schema, words, value, onChange, children }: FieldProps) {
  const chosen = Array.isArray(value) ? value : [];
  return (
    <fieldset className="stack tight nested">
      <legend>{words?.label ?? toLabel(name)} (optional)</legend>
      {schema.items?.enum?.map((choice) => (
        <label key={choice} className="choice">
          <input
            type="checkbox"
            checked={chosen.includes(choice)}
            onChange={({ target }) => {
              const next = target.checked ? [...chosen, choice] : chosen.filter((entry) => entry !== choice);
              onChange(next.length === 0 ? undefined : next);
            }}
          />
          {words?.values?.[choice] ?? toLabel(choice)}
        </label>
      ))}
      {children}
    </fieldset>
  );
}
