// Keys for programs, each with a name and only the rights that it needs.
import { useRef, useState } from "react";
import type { Answer } from "../../../client/client.ts";
import { formatUsd } from "../../../domain/money.ts";
import { SCOPES, type Scope } from "../../../domain/roles.ts";
import { useAct, useRead } from "../../reads.ts";
import { useSession } from "../../session.tsx";
import { ActForm } from "../../ui/act-form.tsx";
import { Card } from "../../ui/card.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { Field } from "../../ui/field.tsx";
import { Instant } from "../../ui/marks.tsx";
import { Menu } from "../../ui/menu.tsx";
import { ScopeChoices } from "../../ui/scope-choices.tsx";
import { ShownOnce } from "../../ui/shown-once.tsx";
import { Empty, Found } from "../../ui/states.tsx";
import { useSay } from "../../ui/toasts.tsx";
import { SCOPE_NAMES } from "../../words/states.ts";
import { budgetFrom } from "./spending.tsx";

const GOOD_FOR: Record<Scope, string> = {
  read: "See posts, media, channels, activity and figures",
  draft: "Write drafts and add media",
  publish: "Publish, schedule, edit and cancel posts, and add media",
  manage: "Connect channels, add webhooks, set slots, delete media",
};

export function Keys() {
  const { workspace, whyNot } = useSession();
  const reason = whyNot("manage_key");
  const [newKey, setMade] = useState<{ name: string; key: string } | null>(null);
  const [scopes, setScopes] = useState<readonly Scope[]>(["read"]);
  const keys = useRead(
    ["keys"],
    async (client, signal) =>
      (await client.call("keys.list", { params: { id: workspace.id }, query: { limit: "200" }, signal })).body.keys,
    { when: reason === null },
  );
  if (reason !== null) return <p className="note">{reason}</p>;
  return (
    <div className="stack">
      {newKey !== null && <ShownOnce what="key" of={newKey.name} value={newKey.key} onDone={() => setMade(null)} />}
      <section className="card" aria-label="Keys">
        <Found query={keys} what="The keys">
          {(keys) =>
            keys.length === 0 ? (
              <Empty title="No keys yet" icon="key">
                <p>A key lets a program post for this workspace.</p>
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
      {!keys.isPending && (
        <Card title="Create a key" lead="Give each program its own key, with only the rights that it needs.">
          <ActForm
            act={async (client, form) =>
              (
                await client.call("keys.create", {
                  params: { id: workspace.id },
                  body: {
                    name: form("name"),
                    scopes: [...scopes],
                    budget_usd: budgetFrom(form("budget_usd")),
                  },
                })
              ).body
            }
            changes={["keys"]}
            done="Key created"
            button="Create key"
            why={null}
            onDone={setMade}
          >
            <Field label="Name" name="name" required autoComplete="off" />
            <Field label="Monthly budget in US dollars" name="budget_usd" type="number" min="0" step="any">
              <small>For networks that charge. Leave empty for no limit.</small>
            </Field>
            <ScopeChoices all={SCOPES} value={scopes} names={SCOPE_NAMES} notes={GOOD_FOR} onChange={setScopes} />
          </ActForm>
        </Card>
      )}
    </div>
  );
}

function Row({
  of: { id, name, start, scopes, last_used_at: used, budget_usd: budget },
}: {
  of: Answer<"keys.list">["keys"][number];
}) {
  const { workspace } = useSession();
  const say = useSay();
  const asking = useRef<HTMLDialogElement>(null);
  const revoke = useAct(
    async (client, _: null) => client.call("keys.revoke", { params: { id: workspace.id, key: id } }),
    ["keys"],
  );
  return (
    <div className="row apart">
      <span className="who">
        {name}
        <small>
          {start}… · {scopes.map((scope) => SCOPE_NAMES[scope]).join(", ")} ·{" "}
          {budget !== null && `${formatUsd(budget)} a month · `}
          {used === null ? (
            "Not used yet"
          ) : (
            <>
              Last used <Instant at={used} />
            </>
          )}
        </small>
      </span>
      <span className="row">
        <Menu
          label={`More for ${name}`}
          entries={[
            { name: "Activity", icon: "list", href: `/activity?actor=${id}` },
            "line",
            { name: "Revoke", icon: "trash", isDanger: true, act: () => asking.current?.showModal() },
          ]}
        />
      </span>
      <Confirm
        dialog={asking}
        question={`Revoke ${name}?`}
        yes="Revoke key"
        act={revoke}
        onDone={() => say(`${name} no longer works`)}
      >
        Programs that use this key lose access. Scheduled posts stay scheduled. You can't undo this.
      </Confirm>
    </div>
  );
}
