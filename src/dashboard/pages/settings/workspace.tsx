// The workspace: its name and time zone, its plan and usage, and its deletion.
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "wouter";
import { formatUsd } from "../../../domain/money.ts";
import { APPROVAL_SETTINGS } from "../../../domain/posts/approval.ts";
import { useRead } from "../../reads.ts";
import { useSession } from "../../session.tsx";
import { ActForm } from "../../ui/act-form.tsx";
import { Card } from "../../ui/card.tsx";
import { Field } from "../../ui/field.tsx";
import { Found } from "../../ui/states.tsx";
import { findBrowserZone, isSameZone, ZoneField } from "../../ui/zone-field.tsx";
import { formatBytes, formatNumber } from "../../words/counts.ts";
import { formatZone } from "../../words/dates.ts";
import { capitalize } from "../../words/post-types.ts";
import { BrandCard } from "./brand.tsx";
import { LinkTagsCard } from "./link-tags.tsx";
import { Spending } from "./spending.tsx";

const WAITS = {
  none: "None. Authors can only write drafts",
  authors: "Posts by authors",
  all: "All posts",
};

export function WorkspacePart() {
  const { workspace, whyNot } = useSession();
  const queries = useQueryClient();
  const anew = () => void queries.invalidateQueries({ queryKey: ["me"] });
  const reason = whyNot("manage_workspace");
  return (
    <div className="stack" key={workspace.id}>
      <Card
        title="Name and time zone"
        lead={`Times in the dashboard are in ${formatZone(workspace.timezone)} time, for every member.`}
      >
        <ActForm
          act={async (client, form) => {
            const { name, timezone } = { name: form("name"), timezone: form("timezone") };
            if (timezone !== workspace.timezone) await client.call("workspaces.set-timezone", { body: { timezone } });
            if (name !== workspace.name)
              await client.call("workspaces.rename", { params: { id: workspace.id }, body: { name } });
          }}
          done="Name and time zone saved"
          button="Save"
          of="name and time zone"
          why={reason}
          onDone={anew}
        >
          <Field label="Name" name="name" defaultValue={workspace.name} required />
          <ZoneField
            key={workspace.timezone}
            label="Time zone"
            defaultValue={workspace.timezone}
            note="Posts already scheduled keep their exact time."
          />
        </ActForm>
        {reason === null && <OtherZone onSet={anew} />}
      </Card>
      <Card
        title="Approval"
        lead="Posts that need approval wait until a publisher, or a client with a link, approves them."
      >
        <ActForm
          act={(client, form) =>
            client.call("workspaces.rename", {
              params: { id: workspace.id },
              body: {
                approval: APPROVAL_SETTINGS.find((setting) => setting === form("approval")),
                four_eyes: form("four_eyes") === "on",
              },
            })
          }
          done="Saved. This applies to new posts."
          button="Save"
          of="approval"
          why={reason}
          onDone={anew}
        >
          <label className="field">
            <span>Posts that need approval</span>
            <select name="approval" key={workspace.approval} defaultValue={workspace.approval}>
              {APPROVAL_SETTINGS.map((setting) => (
                <option key={setting} value={setting}>
                  {WAITS[setting]}
                </option>
              ))}
            </select>
          </label>
          <label className="choice">
            <input
              type="checkbox"
              name="four_eyes"
              key={String(workspace.four_eyes)}
              defaultChecked={workspace.four_eyes}
            />
            <span className="who">
              Members can't approve their own changes
              <small>The person who changed a post last can't approve it.</small>
            </span>
          </label>
        </ActForm>
      </Card>
      <Card title="Images" lead="Never cropped: a ratio that a network doesn't accept is still yours to fix.">
        <ActForm
          act={(client, form) =>
            client.call("workspaces.rename", {
              params: { id: workspace.id },
              body: { media_fit: form("media_fit") === "on" ? "adapt" : "exact" },
            })
          }
          done="Saved. This applies to new posts."
          button="Save"
          of="images"
          why={reason}
          onDone={anew}
        >
          <label className="choice">
            <input
              type="checkbox"
              name="media_fit"
              key={workspace.media_fit}
              defaultChecked={workspace.media_fit === "adapt"}
            />
            <span className="who">
              Adapt images to each network
              <small>In new posts, images that a network wouldn't accept are converted for it.</small>
            </span>
          </label>
        </ActForm>
      </Card>
      <BrandCard why={reason} onSaved={anew} />
      <LinkTagsCard why={reason} onSaved={anew} />
      <Spending why={reason} onSaved={anew} />
      <Card title="Second factor" lead="A second step after the password: an authenticator app or a passkey.">
        <ActForm
          act={(client, form) =>
            client.call("workspaces.rename", {
              params: { id: workspace.id },
              body: { require_factor: form("require_factor") === "on" },
            })
          }
          done="Saved"
          button="Save"
          of="second factor"
          why={reason}
          onDone={anew}
        >
          <label className="choice">
            <input
              type="checkbox"
              name="require_factor"
              key={String(workspace.require_factor)}
              defaultChecked={workspace.require_factor}
            />
            <span className="who">
              Members need a second factor
              <small>Members without one can't do anything here until they set it up.</small>
            </span>
          </label>
        </ActForm>
      </Card>
      <Use />
      <h2 className="zone-title">Danger zone</h2>
      <Card
        title="Delete this workspace"
        danger
        lead={
          <>
            Everything in it is deleted for good, and scheduled posts won't go out. Live posts stay on their networks.
            Every member gets an email. <Link href="/import">Export first</Link> what you want to keep.
          </>
        }
      >
        <ActForm
          act={(client, form) =>
            client.call("workspaces.delete", { params: { id: workspace.id }, body: { name: form("name") } })
          }
          done="Workspace deleted"
          button="Delete permanently"
          why={reason}
          danger
          onDone={anew}
        >
          <Field label={`Type "${workspace.name}" to delete it`} name="name" autoComplete="off" required />
        </ActForm>
      </Card>
    </div>
  );
}

/** Shown if the user's own time zone differs from the workspace's. */
function OtherZone({ onSet }: { onSet(): void }) {
  const { workspace } = useSession();
  const zone = findBrowserZone();
  if (isSameZone(zone, workspace.timezone)) return null;
  return (
    <div className="note">
      <p>
        Times here are in {formatZone(workspace.timezone)} time. Your device is in {formatZone(zone)} time.
      </p>
      <ActForm
        act={(client) => client.call("workspaces.set-timezone", { body: { timezone: zone } })}
        done="Time zone saved"
        button={`Use ${formatZone(zone)} time`}
        why={null}
        onDone={onSet}
      />
    </div>
  );
}

/** "12 of 30", "12 (unlimited)" */
const describeUse = (
  { used, allowed }: { used: number; allowed: number | null },
  format: (value: number) => string = formatNumber,
): string => (allowed === null ? `${format(used)} (unlimited)` : `${format(used)} of ${format(allowed)}`);

function Use() {
  const usage = useRead(["usage"], async (client, signal) => (await client.call("usage.read", { signal })).body);
  return (
    <Card title="Plan and usage">
      <Found query={usage} what="Usage">
        {({ plan, posts, drafts, media_bytes: media, spending }) => (
          <dl className="facts numbers">
            <dt>Plan</dt>
            <dd>{capitalize(plan)}</dd>
            <dt>Posts this month</dt>
            <dd>{describeUse(posts)}</dd>
            <dt>Drafts</dt>
            <dd>{describeUse(drafts)}</dd>
            <dt>Media</dt>
            <dd>{describeUse(media, formatBytes)}</dd>
            <dt>Cost this month</dt>
            <dd>
              {formatUsd(spending.used_usd)}
              {spending.allowed_usd !== null && ` of ${formatUsd(spending.allowed_usd)}`}
            </dd>
          </dl>
        )}
      </Found>
    </Card>
  );
}
