// Choices among the images of the library, and among the values that a network offers for an account.
import { useId, useState } from "react";
import { networkName } from "../../domain/network-name.ts";
import { describeError } from "../api.ts";
import { useRead } from "../reads.ts";
import { useSession } from "../session.tsx";
import type { Channel } from "../types.ts";
import type { Json } from "../ui/schema.ts";
import { SchemaField } from "../ui/schema-field.tsx";
import { buildLabel, type FieldProps, nameUnset } from "../ui/schema-words.ts";
import { getClock } from "../words/dates.ts";

/** A choice among the images of the library, newest first. */
export function LibraryImage(props: FieldProps) {
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
export function LookUp(props: FieldProps & { channel: Channel; board: Json | undefined }) {
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
