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
import { zoneName } from "../../ui/marks.tsx";
import { Found } from "../../ui/states.tsx";
import { findBrowserZone, isSameZone, ZoneField } from "../../ui/zone-field.tsx";
import { Spending } from "./spending.tsx";

const WAITS = {
  none: "No posts: authors can only write drafts",
  authors: "Posts that authors and draft keys queue",
  all: "All queued posts",
};

export function WorkspacePart() {
  const { workspace, whyNot, open } = useSession();
  const queries = useQueryClient();
  const anew = () => void queries.invalidateQueries({ queryKey: ["me"] });
  const reason = whyNot("manage_workspace");
  return (
    <div className="stack" key={workspace.id}>
      <Card title="Name and time zone">
        <ActForm
          act={(client, form) =>
            client.call("workspaces.rename", { params: { id: workspace.id }, body: { name: form("name") } })
          }
          done="Name saved"
          button="Save name"
          why={reason}
          onDone={anew}
        >
          <Field label="Name" name="name" defaultValue={workspace.name} required />
        </ActForm>
        <ActForm
          act={(client, form) => client.call("workspaces.set-timezone", { body: { timezone: form("timezone") } })}
          done="Time zone saved"
          button="Save time zone"
          why={reason}
          onDone={anew}
        >
          <ZoneField
            label="Time zone"
            defaultValue={workspace.timezone}
            note="Posts that are already scheduled keep their exact time."
          />
        </ActForm>
        {reason === null && <OtherZone onSet={anew} />}
      </Card>
      <Card title="Approval">
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
          done="Saved. It applies to posts that are queued from now on."
          button="Save approval"
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
              Members cannot approve their own changes
              <small>
                The person who last changed a post cannot approve it, not even with a key, an application or a review
                link.
              </small>
            </span>
          </label>
        </ActForm>
      </Card>
      <Card title="Images">
        <ActForm
          act={(client, form) =>
            client.call("workspaces.rename", {
              params: { id: workspace.id },
              body: { media_fit: form("media_fit") === "on" ? "adapt" : "exact" },
            })
          }
          done="Saved. It applies to new posts."
          button="Save images"
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
              <small>
                In new posts from the dashboard and the command line, images are converted for networks that would
                reject them.
              </small>
            </span>
          </label>
        </ActForm>
      </Card>
      <Spending why={reason} onSaved={anew} />
      <Card title="Second factor">
        <ActForm
          act={(client, form) =>
            client.call("workspaces.rename", {
              params: { id: workspace.id },
              body: { require_factor: form("require_factor") === "on" },
            })
          }
          done="Saved"
          button="Save second factor"
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
              <small>Members without a second factor cannot do anything here until they set one up.</small>
            </span>
          </label>
        </ActForm>
      </Card>
      <Use />
      <Card title="Another workspace">
        <ActForm
          act={async (client, form) =>
            (await client.call("workspaces.create", { body: { name: form("name"), timezone: form("timezone") } })).body
          }
          done="Workspace created"
          button="Create workspace"
          why={null}
          onDone={({ id }) => {
            void queries.invalidateQueries({ queryKey: ["me"] }).then(() => open(id));
          }}
        >
          <Field label="Its name" name="name" required />
          <ZoneField label="Its time zone" defaultValue={findBrowserZone()} />
        </ActForm>
      </Card>
      <Card title="Delete this workspace">
        <p className="soft">
          Channels, media, posts and drafts, members, keys, webhooks and applications are deleted immediately and
          permanently. Posts that have not been sent will not be sent, and every member is notified by email. Nothing is
          taken down from a network. <Link href="/import">Export first</Link> anything that you want to keep.
        </p>
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
          <Field label="Type its name to delete it" name="name" autoComplete="off" required />
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
        Times here are shown in {zoneName(workspace.timezone)} time. Your device uses {zoneName(zone)} time.
      </p>
      <ActForm
        act={(client) => client.call("workspaces.set-timezone", { body: { timezone: zone } })}
        done="Time zone saved"
        button={`Use ${zoneName(zone)} time`}
        why={null}
        onDone={onSet}
      />
    </div>
  );
}

function Use() {
  const usage = useRead(["usage"], async (client, signal) => (await client.call("usage.read", { signal })).body);
  const number = (value: number) => value.toLocaleString("en");
  return (
    <Card title="Plan and usage">
      <Found query={usage} what="Usage">
        {({ plan, posts, drafts, media_bytes: media, spending }) => (
          <dl className="facts numbers">
            <dt>Plan</dt>
            <dd>{plan}</dd>
            <dt>Posts this month</dt>
            <dd>
              {number(posts.used)} of {posts.allowed === null ? "as many as you like" : number(posts.allowed)}
            </dd>
            <dt>Drafts</dt>
            <dd>
              {number(drafts.used)} of {drafts.allowed === null ? "as many as you like" : number(drafts.allowed)}
            </dd>
            <dt>Media</dt>
            <dd>
              {number(Math.round(media.used / 1_000_000))} MB of{" "}
              {media.allowed === null ? "as much as you like" : `${number(Math.round(media.allowed / 1_000_000))} MB`}
            </dd>
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
