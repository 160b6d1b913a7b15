// Campaign parameters that new posts add to their links, with an example of a link.
import { useState } from "react";
import { networkName } from "../../../domain/network-name.ts";
import { type LinkTags, tagAddress } from "../../../domain/posts/link-tags.ts";
import { usePlatforms } from "../../reads.ts";
import { useSession } from "../../session.tsx";
import { ActForm } from "../../ui/act-form.tsx";
import { Card } from "../../ui/card.tsx";
import { Field } from "../../ui/field.tsx";

const FIELDS = [
  { name: "utm_source", label: "Source", placeholder: "{network}" },
  { name: "utm_medium", label: "Medium", placeholder: "social" },
  { name: "utm_campaign", label: "Campaign", placeholder: "{label}" },
  { name: "utm_content", label: "Content", placeholder: "{post}" },
] as const;
const isField = (name: string) => FIELDS.some((field) => field.name === name);

/** The sites as typed, separated by commas or spaces; null: all. */
function readDomains(typed: string): string[] | null {
  const domains = typed.split(/[\s,]+/).flatMap((site) => {
    const host = site === "" ? undefined : URL.parse(site.includes("://") ? site : `https://${site}`)?.hostname;
    return host === undefined ? [] : [host.replace(/^www\./, "")];
  });
  return domains.length === 0 ? null : domains;
}

/** `why`: why the person may not change it; null: they may. */
export function LinkTagsCard({ why, onSaved }: { why: string | null; onSaved(): void }) {
  const { workspace } = useSession();
  const [sample] = usePlatforms().data?.platforms ?? [];
  const platform = sample?.platform ?? "network";
  const saved = workspace.link_tags;
  const [values, setValues] = useState<Record<string, string>>(saved?.parameters ?? {});
  const [sites, setSites] = useState(saved?.domains?.join(", ") ?? "");
  // Parameters that were set elsewhere stay.
  const parameters = Object.fromEntries(
    Object.entries(values).filter(([name, value]) => value.trim() !== "" || !isField(name)),
  );
  const domains = readDomains(sites);
  const tags: LinkTags = { parameters, domains };
  const example = `https://${domains?.[0] ?? "example.com"}/spring`;
  const shown = tagAddress(example, tags, { platform, channel: "ch_1", post: "post_1" }).replaceAll(
    "%7Blabel%7D",
    "spring",
  );
  return (
    <Card
      title="Campaign parameters"
      lead="Added to the links of new posts, so that your statistics show where visitors come from."
    >
      <ActForm
        act={(client) =>
          client.call("workspaces.rename", {
            params: { id: workspace.id },
            body: { link_tags: Object.keys(parameters).length === 0 ? null : tags },
          })
        }
        done="Saved. This applies to new posts."
        button="Save"
        of="campaign parameters"
        why={why}
        onDone={onSaved}
      >
        <div className="pair">
          {FIELDS.map(({ name, label, placeholder }) => (
            <Field
              key={name}
              label={label}
              value={values[name] ?? ""}
              placeholder={placeholder}
              maxLength={200}
              onChange={({ target }) => setValues({ ...values, [name]: target.value })}
            >
              <small>{name}</small>
            </Field>
          ))}
        </div>
        <Field
          label="Only links to these sites"
          value={sites}
          placeholder="All sites"
          onChange={({ target }) => setSites(target.value)}
        />
        <p className="soft">
          Use {"{network}"}, {"{label}"}, {"{channel}"} and {"{post}"} for values that differ. A parameter that a link
          already has stays as it is.
        </p>
        <p>
          <small className="soft">A link on {networkName(platform)}</small>
          <br />
          <span className="exact">{shown}</span>
        </p>
      </ActForm>
    </Card>
  );
}
