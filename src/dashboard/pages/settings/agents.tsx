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
    <section className="card" aria-label="Connected apps">
      <p className="soft">
        Connect apps over MCP at <code>{location.origin}/mcp</code>. They get the role of the member who connects them.
      </p>
      <Found query={connections} what="Connected apps">
        {(connections) =>
          connections.length === 0 ? (
            <Empty title="No connected apps" />
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
        It can't see or change anything here anymore. Scheduled posts stay scheduled.
      </Confirm>
    </div>
  );
}
