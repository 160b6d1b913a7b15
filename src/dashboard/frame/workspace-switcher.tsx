// The open workspace, and the way to another one.
import { useState } from "react";
import { useLocation } from "wouter";
import { useSession } from "../session.tsx";
import { Avatar } from "../ui/channel.tsx";
import { SearchList } from "../ui/combobox.tsx";
import { Icon } from "../ui/icons.tsx";
import { Popover } from "../ui/popover.tsx";
import { formatZone } from "../words/dates.ts";
import { ROLE_NAMES } from "../words/states.ts";
import { NewWorkspace } from "./new-workspace.tsx";

export function WorkspaceSwitcher() {
  const { me, workspace, open } = useSession();
  const [isCreating, setCreating] = useState(false);
  const [location, go] = useLocation();
  return (
    <div className="workspace">
      <Popover
        label={`Workspace: ${workspace.name}`}
        className="workspace-button"
        button={
          <>
            <Avatar name={workspace.name} shape="square" />
            <span className="workspace-name">
              <span>{workspace.name}</span>
              <small>
                {ROLE_NAMES[workspace.role ?? "viewer"]} · {formatZone(workspace.timezone)}
              </small>
            </span>
            <Icon name="updown" />
          </>
        }
      >
        {(close) => (
          <div className="stack tight">
            <SearchList
              label="Workspace"
              selected={workspace.id}
              options={me.workspaces.map(({ id, name, role }) => ({
                value: id,
                name,
                note: ROLE_NAMES[role ?? "viewer"],
                picture: <Avatar name={name} shape="square" size="small" />,
              }))}
              onChoose={(id) => {
                close();
                // A post and the filters of a list belong to the workspace that is left.
                if (!location.startsWith("/settings/")) go(location.replace(/^(\/[^/]*).*$/, "$1"));
                open(id);
              }}
            />
            <button
              type="button"
              className="quiet"
              onClick={() => {
                close();
                setCreating(true);
              }}
            >
              <Icon name="plus" />
              New workspace
            </button>
          </div>
        )}
      </Popover>
      {isCreating && <NewWorkspace onClose={() => setCreating(false)} />}
    </div>
  );
}
