// Keys for programs: each with a name, and good for no more than it needs.
import { useState } from "react";
import { SCOPES } from "../../../domain/roles.ts";
import { useAct, useRead } from "../../reads.ts";
import { useSession } from "../../session.tsx";
import { ActForm } from "../../ui/act-form.tsx";
import { Card } from "../../ui/card.tsx";
import { Did } from "../../ui/did.tsx";
import { Field } from "../../ui/field.tsx";
import { Instant } from "../../ui/marks.tsx";
import { Empty, Found, Refused } from "../../ui/states.tsx";
import { useSay } from "../../ui/toasts.tsx";

export function Keys() {
  const { workspace, whyNot } = useSession();
  const say = useSay();
  const why = whyNot("manage_key");
  const [made, setMade] = useState<{ name: string; key: string } | null>(null);
  const [scopes, setScopes] = useState<readonly string[]>(["read"]);
  const keys = useRead(
    ["keys"],
    async (client, signal) =>
      (await client.call("keys.list", { params: { id: workspace.id }, query: { limit: "200" }, signal })).body.keys,
    { when: why === null },
  );
  const revoke = useAct(
    async (client, key: string) => client.call("keys.revoke", { params: { id: workspace.id, key } }),
    ["keys"],
  );
  if (why !== null) return <p className="note">{why}</p>;
  return (
    <div className="stack">
      {made !== null && (
        <section className="note" role="status" aria-label="The key">
          <p>The key {made.name}. Keep it: it is not shown again.</p>
          <p>
            <code className="exact">{made.key}</code>
          </p>
          <button type="button" className="link" onClick={() => setMade(null)}>
            I have it
          </button>
        </section>
      )}
      <section className="card" aria-label="Keys">
        <Refused error={revoke.error} />
        <Found query={keys} what="The keys">
          {(keys) =>
            keys.length === 0 ? (
              <Empty title="No named key yet" />
            ) : (
              <ul className="rows">
                {keys.map((key) => (
                  <li key={key.id} className="row apart">
                    <span className="who">
                      {key.name}
                      <small>
                        {key.start}… · {key.scopes.join(", ")} ·{" "}
                        {key.last_used_at === null ? (
                          "not used yet"
                        ) : (
                          <>
                            last used <Instant at={key.last_used_at} />
                          </>
                        )}
                      </small>
                    </span>
                    <span className="row">
                      <Did id={key.id} name={key.name} />
                      <button
                        type="button"
                        className="danger"
                        disabled={revoke.isPending}
                        onClick={() => revoke.mutate(key.id, { onSuccess: () => say(`${key.name} opens nothing now`) })}
                      >
                        Revoke<span className="visually-hidden"> {key.name}</span>
                      </button>
                    </span>
                  </li>
                ))}
              </ul>
            )
          }
        </Found>
      </section>
      <Card title="Make a key">
        <ActForm
          act={async (client, form) =>
            (
              await client.call("keys.create", {
                params: { id: workspace.id },
                body: { name: form("name"), scopes: SCOPES.filter((scope) => scopes.includes(scope)) },
              })
            ).body
          }
          changes={["keys"]}
          done="The key is made"
          button="Make key"
          why={null}
          onDone={setMade}
        >
          <Field label="Name" name="name" required autoComplete="off" />
          <fieldset>
            <legend>Good for</legend>
            {SCOPES.map((scope) => (
              <label key={scope} className="choice">
                <input
                  type="checkbox"
                  checked={scopes.includes(scope)}
                  onChange={({ target }) =>
                    setScopes(target.checked ? [...scopes, scope] : scopes.filter((one) => one !== scope))
                  }
                />
                {scope}
              </label>
            ))}
          </fieldset>
        </ActForm>
      </Card>
    </div>
  );
}
