// The open workspace, and the way to another one.
import { Link } from "wouter";
import { useSession } from "../session.tsx";
import { Avatar } from "../ui/channel.tsx";
import { SearchList } from "../ui/combobox.tsx";
import { Icon } from "../ui/icons.tsx";
import { zoneName } from "../ui/marks.tsx";
import { Popover } from "../ui/popover.tsx";

export function WorkspaceSwitcher() {
  const { me, workspace, open } = useSession();
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
                {workspace.role} · {zoneName(workspace.timezone)}
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
                note: role,
                picture: <Avatar name={name} shape="square" size="small" />,
              }))}
              onChoose={(id) => {
                close();
                open(id);
              }}
            />
            <Link href="/settings/workspace#new-workspace" className="button quiet" onClick={close}>
              <Icon name="plus" />
              New workspace
            </Link>
          </div>
        )}
      </Popover>
    </div>
  );
}
