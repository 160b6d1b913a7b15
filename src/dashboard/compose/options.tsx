// The network's own fields, from the network's schema.
import { useId, useState } from "react";
import { networkName } from "../../domain/network-name.ts";
import { describeError } from "../api.ts";
import { useRead } from "../reads.ts";
import { useSession } from "../session.tsx";
import type { Channel, Rule } from "../types.ts";
import { isJsonMap, isSchema, type Json, type Schema } from "../ui/schema.ts";
import { SchemaField, SchemaFields } from "../ui/schema-field.tsx";
import { buildLabel, type FieldProps, nameUnset } from "../ui/schema-words.ts";
import { getClock } from "../words/dates.ts";
import { findOption, listOptions } from "../words/options/index.ts";
import { Alerts } from "./alerts.tsx";
import type { Override } from "./draft.ts";
import { locateViolation, type Violation } from "./violations.ts";

export interface OptionsProps {
  channel: Channel;
  rule: Rule;
  own: Override;
  /** The shared text of the post. A channel's own text starts as a copy of it. */
  text: string;
  violations: Violation[];
  onChange(name: string, value: Json | undefined): void;
}

/** Whether the violation concerns this field of the channel. */
export const isAboutOption = (violation: Violation, channel: Channel, option: string) => {
  const spot = locateViolation(violation);
  return spot.at === "own" && spot.channel === channel.id && spot.option === option;
};

/** The names of the required fields. The value of one field can make another field required. */
const requiredBeside = ({ required = [], properties = {} }: Schema, values: Record<string, Json | undefined>) => [
  ...required,
  ...Object.entries(properties).flatMap(([name, { "x-required-unless": unless }]) =>
    unless === undefined || Object.entries(unless).some(([field, value]) => values[field] === value) ? [] : [name],
  ),
];

/**
 * "open": fields that are required or have a violation, which are always visible. "others": all other fields, which are shown
 * on request.
 */
export type Part = "open" | "others";

export function Options(props: OptionsProps & { part: Part }) {
  const { channel, rule, own, violations, onChange, part } = props;
  const described = isSchema(rule.options) ? rule.options : {};
  const { text: _text, media: _media, thread: _thread, ...ownOptions } = own;
  const values = isJsonMap(ownOptions) ? ownOptions : {};
  const schema = { ...described, required: requiredBeside(described, values) };
  const isOpen = (name: string) =>
    schema.required.includes(name) || violations.some((violation) => isAboutOption(violation, channel, name));
  const order = Object.keys(listOptions(channel.platform));
  const properties = Object.entries(schema.properties ?? {})
    .filter(([name]) => isOpen(name) === (part === "open"))
    .sort(([first], [second]) => order.indexOf(first) - order.indexOf(second));
  if (properties.length === 0) return null;
  return (
    <SchemaFields
      schema={{ ...schema, properties: Object.fromEntries(properties) }}
      values={values}
      wordsFor={(name) => findOption(channel.platform, name)}
      onChange={(next) => {
        for (const name of new Set([...Object.keys(values), ...Object.keys(next)])) {
          if (JSON.stringify(values[name]) !== JSON.stringify(next[name])) onChange(name, next[name]);
        }
      }}
      field={(field) => {
        const alerts = (
          <Alerts violations={violations.filter((violation) => isAboutOption(violation, channel, field.name))} />
        );
        if (field.schema["x-media"] !== undefined) return <LibraryImage {...field}>{alerts}</LibraryImage>;
        return field.schema["x-lookup"] === true && channel.connected ? (
          <LookUp {...field} channel={channel} board={values.board}>
            {alerts}
          </LookUp>
        ) : (
          <SchemaField {...field}>{alerts}</SchemaField>
        );
      }}
    />
  );
}

/** A choice among the images of the library, newest first. */
function LibraryImage(props: FieldProps) {
  const { value, words, onChange, children } = props;
  const { workspace } = useSession();
  const clock = getClock(workspace.timezone);
  const id = useId();
  const list = useRead(
    ["media", "images"],
    async (client, signal) => (await client.call("media.list", { query: { limit: "200" }, signal })).body.media,
    { keep: true },
  );
  // If the list cannot be read, the value can still be typed.
  if (list.isError) return <SchemaField {...props} />;
  const images = (list.data ?? []).filter((file) => file.kind === "image" && file.state !== "expired");
  const chosen = typeof value === "string" ? value : "";
  return (
    <div className="field">
      <label htmlFor={id}>{buildLabel(props)}</label>
      <select
        id={id}
        value={chosen}
        disabled={list.isPending}
        onChange={({ target }) => onChange(target.value === "" ? undefined : target.value)}
      >
        <option value="">{words?.unset ?? "None"}</option>
        {chosen !== "" && !images.some((image) => image.id === chosen) && (
          <option value={chosen}>The chosen image</option>
        )}
        {images.map((image) => (
          <option key={image.id} value={image.id}>
            {`${image.alt ?? "Image without alt text"}, ${clock.full(image.created_at)}`}
          </option>
        ))}
      </select>
      {words?.help !== undefined && <small>{words.help}</small>}
      {children}
    </div>
  );
}

/** A choice among the values that the network offers for this account. */
function LookUp(props: FieldProps & { channel: Channel; board: Json | undefined }) {
  const { channel, name, board, value, required = false, words, onChange, children } = props;
  const id = useId();
  const [anew, setAnew] = useState(0);
  const boardQuery = typeof board === "string" && name !== "board" ? { board } : {};
  const list = useRead(
    ["options", channel.id, name, boardQuery.board, anew],
    async (client, signal) => {
      const query = { ...boardQuery, limit: "200", ...(anew > 0 ? { refresh: "true" as const } : {}) };
      return (await client.call("channels.options", { params: { id: channel.id, option: name }, query, signal })).body;
    },
    { keep: true },
  );
  const options = list.data?.options ?? [];
  // If the list cannot be read, the value can still be typed.
  if (list.isError) {
    return (
      <SchemaField {...props}>
        <p className="note">
          {describeError(list.error)}{" "}
          <button type="button" className="link" onClick={() => void list.refetch()}>
            Refresh
          </button>
        </p>
        {children}
      </SchemaField>
    );
  }
  const chosen = typeof value === "string" ? value : "";
  const isListed = chosen === "" || options.some((option) => option.value === chosen);
  return (
    <div className="field">
      <label htmlFor={id}>{buildLabel(props)}</label>
      <select
        id={id}
        value={chosen}
        disabled={list.isPending}
        onChange={({ target }) => onChange(target.value === "" ? undefined : target.value)}
      >
        <option value="">
          {list.isPending ? `Loading from ${networkName(channel.platform)}` : required ? "Choose" : nameUnset(props)}
        </option>
        {!isListed && <option value={chosen}>{words?.values?.[chosen] ?? "No longer available"}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value} disabled={option.disabled_reason !== null}>
            {words?.values?.[option.value] ?? option.label}
            {option.disabled_reason === null ? "" : ` (${option.disabled_reason})`}
          </option>
        ))}
      </select>
      <small>
        {words?.help}{" "}
        <button type="button" className="link" onClick={() => setAnew(anew + 1)}>
          Refresh
        </button>
      </small>
      {children}
    </div>
  );
}
