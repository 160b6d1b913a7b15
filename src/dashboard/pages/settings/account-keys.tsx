// Account keys: for programs that manage all workspaces of a person, as platforms with customers do.
import { useRef, useState } from "react";
import type { Answer } from "../../../client/client.ts";
import { ACCOUNT_SCOPES, type AccountScope } from "../../../domain/account-scopes.ts";
import { useAct, useRead } from "../../reads.ts";
import { ActForm } from "../../ui/act-form.tsx";
import { Card } from "../../ui/card.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { Field, PasswordField } from "../../ui/field.tsx";
import { Instant } from "../../ui/marks.tsx";
import { Menu } from "../../ui/menu.tsx";
import { ScopeChoices } from "../../ui/scope-choices.tsx";
import { ShownOnce } from "../../ui/shown-once.tsx";
import { Empty, Found } from "../../ui/states.tsx";
import { useSay } from "../../ui/toasts.tsx";
import { ACCOUNT_SCOPE_NAMES } from "../../words/states.ts";

const GOOD_FOR: Record<AccountScope, string> = {
  workspaces: "Create, list, change and delete workspaces, and see how much each uses",
  keys: "View, replace, create and revoke the keys of workspaces",
  connect: "Create links with which people connect their accounts",
  read: "See posts, media, channels, activity and figures",
};

export function AccountKeys() {
  const [newKey, setNewKey] = useState<{ name: string; key: string } | null>(null);
  const [scopes, setScopes] = useState<readonly AccountScope[]>(["workspaces", "keys", "connect"]);
  const keys = useRead(
    ["account-keys"],
    async (client, signal) => (await client.call("account-keys.list", { query: { limit: "200" }, signal })).body.keys,
  );
  return (
    <div className="stack">
      {newKey !== null && <ShownOnce what="key" of={newKey.name} value={newKey.key} onDone={() => setNewKey(null)} />}
      <section className="card" aria-label="Account keys">
        <Found query={keys} what="The account keys">
          {(keys) =>
            keys.length === 0 ? (
              <Empty title="No account keys yet" icon="key">
                <p>An account key lets a program manage all workspaces that you own. It can't publish.</p>
              </Empty>
            ) : (
              <ul className="rows">
                {keys.map((key) => (
                  <li key={key.id}>
                    <Row of={key} />
                  </li>
                ))}
              </ul>
            )
          }
        </Found>
      </section>
      <Card
        title="Create an account key"
        lead="For a platform that publishes for its customers: one workspace for each of them, made by your program."
      >
        <ActForm
          act={async (client, form) => {
            const body = { name: form("name"), scopes: [...scopes], password: form("password") };
            return (await client.call("account-keys.create", { body })).body;
          }}
          changes={["account-keys"]}
          done="Account key created"
          button="Create account key"
          why={null}
          onDone={setNewKey}
        >
          <Field label="Name" name="name" required autoComplete="off" />
          <ScopeChoices
            all={ACCOUNT_SCOPES}
            value={scopes}
            names={ACCOUNT_SCOPE_NAMES}
            notes={GOOD_FOR}
            onChange={setScopes}
          />
          <PasswordField label="Your password" name="password" />
        </ActForm>
      </Card>
    </div>
  );
}

function Row({
  of: { id, name, start, scopes, last_used_at: used, expires_at: expires },
}: {
  of: Answer<"account-keys.list">["keys"][number];
}) {
  const say = useSay();
  const asking = useRef<HTMLDialogElement>(null);
  const revoke = useAct(
    async (client, _: null) => client.call("account-keys.revoke", { params: { id } }),
    ["account-keys"],
  );
  return (
    <div className="row apart">
      <span className="who">
        {name}
        <small>
          {start}… · {scopes.map((scope) => ACCOUNT_SCOPE_NAMES[scope]).join(", ")} ·{" "}
          {used === null ? (
            "Not used yet"
          ) : (
            <>
              Last used <Instant at={used} />
            </>
          )}
          {expires !== null && (
            <>
              {" "}
              · Expires <Instant at={expires} />
            </>
          )}
        </small>
      </span>
      <Menu
        label={`More for ${name}`}
        entries={[{ name: "Revoke", icon: "trash", isDanger: true, act: () => asking.current?.showModal() }]}
      />
      <Confirm
        dialog={asking}
        question={`Revoke ${name}?`}
        yes="Revoke account key"
        act={revoke}
        onDone={() => say(`${name} no longer works`)}
      >
        Programs that use this key lose access, and its connect links stop working. You can't undo this.
      </Confirm>
    </div>
  );
}
