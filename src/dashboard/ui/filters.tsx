// The filters of posts. They are part of the address, so that a link leads to the same posts.
import { useSearchParams } from "wouter";
import { networkName } from "../../domain/network-name.ts";
import { useChannels, useRead } from "../reads.ts";
import { formatNumber } from "../words/counts.ts";

/**
 * The filters with these names from the address, without empty ones; a function that sets one (an empty value removes it);
 * and one that clears all.
 */
export function useFilters<Name extends string>(names: readonly Name[]) {
  const [query, setQuery] = useSearchParams();
  const filter: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = query.get(name);
    if (value !== null && value !== "") filter[name] = value;
  }
  const set = (name: Name, value: string) =>
    setQuery(
      (now) => {
        const next = new URLSearchParams(now);
        if (value === "") next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  return { filter, set, clear: () => setQuery(new URLSearchParams()) };
}

interface ChoiceProps {
  value: string | undefined;
  onChange(value: string): void;
}

export function Choice({
  label,
  all,
  choices,
  value,
  onChange,
}: ChoiceProps & { label: string; all: string; choices: [string, string][] }) {
  return (
    <label className="field">
      <span>{label}</span>
      <select value={value ?? ""} onChange={({ target }) => onChange(target.value)}>
        <option value="">{all}</option>
        {choices.map(([choice, words]) => (
          <option key={choice} value={choice}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

export function ChannelChoice({ all = "All", ...props }: ChoiceProps & { all?: string }) {
  const channels = useChannels().data ?? [];
  const choices = channels.map(({ id, platform, handle }): [string, string] => [
    id,
    `${networkName(platform)} ${handle}`,
  ]);
  return <Choice label="Channel" all={all} choices={choices} {...props} />;
}

export function LabelChoice({ all = "All", ...props }: ChoiceProps & { all?: string }) {
  const labels = useRead(
    ["posts", "labels"],
    async (client, signal) => (await client.call("posts.labels", { query: { limit: "200" }, signal })).body.labels,
  );
  const choices = (labels.data ?? []).map(({ name, posts }): [string, string] => [
    name,
    `${name} (${formatNumber(posts)})`,
  ]);
  return <Choice label="Label" all={all} choices={choices} {...props} />;
}
