// Spending at networks that charge: how often live posts are rechecked, and the monthly budget.
import { RECHECKS, type Rechecks } from "../../../domain/delivery/recheck.ts";
import { useSession } from "../../session.tsx";
import { ActForm } from "../../ui/act-form.tsx";
import { Card } from "../../ui/card.tsx";
import { Field } from "../../ui/field.tsx";

const RECHECK_WORDS: Record<Rechecks, string> = {
  full: "Eight times in 30 days",
  light: "After 10 minutes, 1 day and 7 days",
  off: "Never",
};

/** The value of a budget field, in US dollars; null: the field is empty, so there is no limit. */
export const budgetFrom = (typed: string): number | null => (typed === "" ? null : Number(typed));

/** `why`: why the person may not change it; null: they may. */
export function Spending({ why, onSaved }: { why: string | null; onSaved(): void }) {
  const { workspace } = useSession();
  return (
    <>
      <Card title="Rechecks">
        <ActForm
          act={(client, form) =>
            client.call("workspaces.rename", {
              params: { id: workspace.id },
              body: { rechecks: RECHECKS.find((setting) => setting === form("rechecks")) ?? null },
            })
          }
          done="Rechecks saved. They apply to posts that you schedule from now on."
          button="Save rechecks"
          why={why}
          onDone={onSaved}
        >
          <label className="field">
            <span>Rechecks of live posts</span>
            <select name="rechecks" key={workspace.rechecks} defaultValue={workspace.rechecks ?? ""}>
              <option value="">Default of each network</option>
              {RECHECKS.map((setting) => (
                <option key={setting} value={setting}>
                  {RECHECK_WORDS[setting]}
                </option>
              ))}
            </select>
            <small>
              A recheck finds out whether a post was changed or removed, and reads its metrics. X charges for each one,
              so its default has fewer.
            </small>
          </label>
        </ActForm>
      </Card>
      <Card title="Budget">
        <ActForm
          act={(client, form) =>
            client.call("workspaces.rename", {
              params: { id: workspace.id },
              body: { budget_usd: budgetFrom(form("budget_usd")) },
            })
          }
          changes={["usage"]}
          done="Budget saved"
          button="Save budget"
          why={why}
          onDone={onSaved}
        >
          <Field
            label="Monthly budget in US dollars"
            name="budget_usd"
            key={workspace.budget_usd}
            type="number"
            min="0"
            step="any"
            defaultValue={workspace.budget_usd ?? ""}
          >
            <small>
              A post that costs more than the rest of the month's budget is refused. Leave the field empty for no limit.
              A month begins at midnight UTC.
            </small>
          </Field>
        </ActForm>
      </Card>
    </>
  );
}
