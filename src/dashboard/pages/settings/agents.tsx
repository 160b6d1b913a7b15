// The applications that users have authorized by signing in.
import { useRef } from "react";
import type { Answer } from "../../../client/client.ts";
import { useAct, useRead } from "../../reads.ts";
import { useSession } from "../../session.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { Did } from "../../ui/did.tsx";
import { Instant } from "../../ui/marks.tsx";
import { Empty, Found } from "../../ui/states.tsx";
import { useSay } from "../../ui/toasts.tsx";

export function Agents() {
  const { workspace } = useSession();
  const connections = useRead(["connections"], async (client, signal) => {
    const input = { params: { id: workspace.id }, query: { limit: "200" }, signal };
    return (await client.call("connections.list", input)).body.connections;
  });
  return (
    <section className="card" aria-label="Applications">
      <p className="soft">
        They act over MCP at <code>{location.origin}/mcp</code>, with the role of the member who connected them.
      </p>
      <Found query={connections} what="The applications">
        {(connections) =>
          connections.length === 0 ? (
            <Empty title="No applications are connected" />
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
          connected by {user.email}; returns to {client.redirects_to};{" "}
          {used === null ? (
            "not used yet"
          ) : (
            <>
              last used <Instant at={used} />
            </>
          )}
          ; ends <Instant at={until} />
        </small>
      </span>
      <span className="row">
        <Did id={id} name={client.name} />
        <button type="button" className="danger" onClick={() => asking.current?.showModal()}>
          Revoke access<span className="visually-hidden"> of {client.name}</span>
        </button>
      </span>
      <Confirm
        dialog={asking}
        question={`Revoke ${client.name}'s access?`}
        yes="Revoke access"
        act={end}
        onDone={() => say(`${client.name} no longer has access`)}
      >
        It can no longer read or change anything here, unless someone connects it again. Posts that it scheduled stay
        scheduled.
      </Confirm>
    </div>
  );
}
