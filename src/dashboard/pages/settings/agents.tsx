// The applications that users have authorized by signing in.
import { useRef } from "react";
import type { Answer } from "../../../client/client.ts";
import { useAct, useRead } from "../../reads.ts";
import { useSession } from "../../session.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { useCopy } from "../../ui/copy.ts";
import { Instant } from "../../ui/marks.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Empty, Found } from "../../ui/states.tsx";
import { useSay } from "../../ui/toasts.tsx";

export function Agents() {
  const { workspace } = useSession();
  const copy = useCopy("The address");
  const address = `${location.origin}/mcp`;
  const connections = useRead(["connections"], async (client, signal) => {
    const input = { params: { id: workspace.id }, query: { limit: "200" }, signal };
    return (await client.call("connections.list", input)).body.connections;
  });
  return (
    <div className="stack">
      <section className="card" aria-label="Connected apps">
        <Found query={connections} what="Connected apps">
          {(connections) =>
            connections.length === 0 ? (
              <Empty title="No connected apps" icon="spark">
                <p>Claude and other assistants can write and schedule posts for you.</p>
              </Empty>
            ) : (
              <ul className="rows">
                {connections.map((connection) => (
                  <li key={connection.id}>
                    <Row of={connection} />
                  </li>
                ))}
              </ul>
            )
          }
        </Found>
      </section>
      {!connections.isPending && (
        <Card
          title="Connect an app"
          lead="It gets the role of the member who connects it, and can be revoked at any time."
        >
          <label className="field">
            <span>Server address for MCP</span>
            <input readOnly value={address} onFocus={({ target }) => target.select()} />
            <small>Add it in the app as a custom connector, then sign in and allow access.</small>
          </label>
          <div>
            <Button onClick={() => void copy(address)}>Copy address</Button>
          </div>
        </Card>
      )}
    </div>
  );
}

function Row({
  of: { id, client, user, last_used_at: used, expires_at: until },
}: {
  of: Answer<"connections.list">["connections"][number];
}) {
  const { workspace } = useSession();
  const say = useSay();
  const asking = useRef<HTMLDialogElement>(null);
  const end = useAct(
    async (client, _: null) => client.call("connections.end", { params: { id: workspace.id, connection: id } }),
    ["connections"],
  );
  return (
    <div className="row apart">
      <span className="who">
        {client.name}
        <small>
          Connected by {user.email} from {client.redirects_to} ·{" "}
          {used === null ? (
            "Not used yet"
          ) : (
            <>
              Last used <Instant at={used} />
            </>
          )}{" "}
          · Access ends <Instant at={until} />
        </small>
      </span>
      <span className="row">
        <Menu
          label={`More for ${client.name}`}
          entries={[
            { name: "Activity", icon: "list", href: `/activity?actor=${id}` },
            "line",
            { name: "Revoke access", icon: "trash", isDanger: true, act: () => asking.current?.showModal() },
          ]}
        />
      </span>
      <Confirm
        dialog={asking}
        question={`Revoke ${client.name}'s access?`}
        yes="Revoke access"
        act={end}
        onDone={() => say(`${client.name} no longer has access`)}
      >
        It can't see or change anything here anymore. Scheduled posts stay scheduled.
      </Confirm>
    </div>
  );
}
