// A network's own fields, under our labels.
import type { ReactNode } from "react";
import { CAPTIONS } from "../../domain/posts/captions.ts";
import { listForeignOptions } from "../../domain/posts/tier.ts";
import type { Channel, Rule } from "../types.ts";
import { isJsonMap, isSchema, type Json, type Schema } from "../ui/schema.ts";
import { SchemaField, SchemaFields } from "../ui/schema-field.tsx";
import type { FieldProps } from "../ui/schema-words.ts";
import { findOption, listOptions } from "../words/options/index.ts";
import { Alerts } from "./alerts.tsx";
import { CaptionsField } from "./captions-field.tsx";
import type { Override } from "./draft.ts";
import { FramePicker, isFrameOption } from "./frame-picker.tsx";
import { LibraryImage, LookUp } from "./option-choices.tsx";
import { locateViolation, type Violation } from "./violations.ts";
import "./options.css";

export interface OptionsProps {
  channel: Channel;
  rule: Rule;
  own: Override;
  violations: Violation[];
  /** The address of the post's video, for the choice of its cover; null: it has none. */
  video: string | null;
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

/** "required": fields without which the post cannot go out. "panel": the usual ones. "more": those behind "More options". */
type OptionGroup = "required" | "panel" | "more";

/** Whether the option is for posts with other files than this one. */
const isForOtherFiles = (rule: Rule, name: string, video: string | null): boolean => {
  const media = new Map(Object.entries(rule.options_go_with ?? {})).get(name)?.media;
  return media === "video" ? video === null : media === "image" && video !== null;
};

function readOptions({ channel, rule, own, violations, video }: Omit<OptionsProps, "onChange">) {
  const described = isSchema(rule.options) ? rule.options : {};
  const { text: _text, media: _media, thread: _thread, poll: _poll, publish_at: _time, ...ownOptions } = own;
  const values = isJsonMap(ownOptions) ? ownOptions : {};
  const schema: Schema & { required: string[] } = { ...described, required: requiredBeside(described, values) };
  const order = Object.keys(listOptions(channel.platform));
  const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  const groupOf = (name: string): OptionGroup => {
    if (schema.required.includes(name)) return "required";
    const isShown =
      values[name] !== undefined ||
      violations.some((violation) => isAboutOption(violation, channel, name)) ||
      (findOption(channel.platform, name)?.group === "common" && !isForOtherFiles(rule, name, video));
    return isShown ? "panel" : "more";
  };
  const foreign = listForeignOptions(rule.tiers, channel.tier);
  const offered = Object.entries(schema.properties ?? {}).filter(
    ([name]) => !foreign.includes(name) || values[name] !== undefined,
  );
  const entries = offered.sort(([first], [second]) => rank(first) - rank(second));
  return { schema, values, entries, groupOf };
}

/** Whether the network has fields of this group. */
export const hasOptions = (props: Omit<OptionsProps, "onChange">, group: OptionGroup): boolean => {
  const { entries, groupOf } = readOptions(props);
  return entries.some(([name]) => groupOf(name) === group);
};

export function Options(props: OptionsProps & { group: OptionGroup }) {
  const { channel, violations, video, onChange, group } = props;
  const { schema, values, entries, groupOf } = readOptions(props);
  const properties = entries.filter(([name]) => groupOf(name) === group);
  if (properties.length === 0) return null;
  return (
    <div className="options" data-options={channel.id}>
      <SchemaFields
        schema={{ ...schema, properties: Object.fromEntries(properties) }}
        values={values}
        wordsFor={(name) => findOption(channel.platform, name)}
        onChange={(next) => {
          for (const name of new Set([...Object.keys(values), ...Object.keys(next)])) {
            if (JSON.stringify(values[name]) !== JSON.stringify(next[name])) onChange(name, next[name]);
          }
        }}
        field={(field) => (
          <OptionField field={field} channel={channel} board={values.board} video={video}>
            <Alerts
              violations={violations.filter((violation) => isAboutOption(violation, channel, field.name))}
              omit="choose"
            />
          </OptionField>
        )}
      />
    </div>
  );
}

interface OptionFieldProps {
  field: FieldProps;
  channel: Channel;
  board: Json | undefined;
  video: string | null;
  /** The problems of the field. */
  children: ReactNode;
}

function OptionField({ field, channel, board, video, children }: OptionFieldProps) {
  const content = () => {
    if (field.schema["x-media"] !== undefined) return <LibraryImage {...field}>{children}</LibraryImage>;
    if (field.name === CAPTIONS) return <CaptionsField {...field}>{children}</CaptionsField>;
    if (video !== null && isFrameOption(field.name)) {
      return (
        <FramePicker {...field} video={video}>
          {children}
        </FramePicker>
      );
    }
    return field.schema["x-lookup"] === true && channel.connected ? (
      <LookUp {...field} channel={channel} board={board}>
        {children}
      </LookUp>
    ) : (
      <SchemaField {...field}>{children}</SchemaField>
    );
  };
  return <div data-option={`${channel.id}/${field.name}`}>{content()}</div>;
}
