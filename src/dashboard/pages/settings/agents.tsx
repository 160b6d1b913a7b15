// The applications that people let in, by signing in from them.
import { useAct, useRead } from "../../reads.ts";
import { useSession } from "../../session.tsx";
import { Did } from "../../ui/did.tsx";
import { Instant } from "../../ui/marks.tsx";
import { Empty, Found, Refused } from "../../ui/states.tsx";
import { useSay } from "../../ui/toasts.tsx";

export function Agents() {
  const { workspace } = useSession();
  const say = useSay();
  const connections = useRead(["connections"], async (client, signal) => {
    const input = { params: { id: workspace.id }, query: { limit: "200" }, signal };
    return (await client.call("connections.list", input)).body.connections;
  });
  const end = useAct(
    async (client, connection: string) => client.call("connections.end", { params: { id: workspace.id, connection } }),
    ["connections"],
  );
  return (
    <section className="card" aria-label="Applications">
      <p className="soft">
        They act over MCP at <code>{location.origin}/mcp</code>, with the role of who let them in.
      </p>
      <Refused error={end.error} />
      <Found query={connections} what="The applications">
        {(connections) =>
          connections.length === 0 ? (
            <Empty title="No application is let in" />
          ) : (
            <ul className="rows">
              {connections.map(({ id, client, user, last_used_at, expires_at }) => (
                <li key={id} className="row apart">
                  <span className="who">
                    {client.name}
                    <small>
                      let in by {user.email}; answers go to {client.redirects_to};{" "}
                      {last_used_at === null ? (
                        "not used yet"
                      ) : (
                        <>
                          last used <Instant at={last_used_at} />
                        </>
                      )}
                      ; ends <Instant at={expires_at} />
                    </small>
                  </span>
                  <span className="row">
                    <Did id={id} name={client.name} />
                    <button
                      type="button"
                      className="danger"
                      disabled={end.isPending}
                      onClick={() => end.mutate(id, { onSuccess: () => say(`${client.name} is out`) })}
                    >
                      Show out<span className="visually-hidden"> {client.name}</span>
                    </button>
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Found>
    </section>
  );
}
