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
      <Card
        title="Checks of live posts"
        lead="A check finds out if a post was changed or removed, and reads its figures."
      >
        <ActForm
          act={(client, form) =>
            client.call("workspaces.rename", {
              params: { id: workspace.id },
              body: { rechecks: RECHECKS.find((setting) => setting === form("rechecks")) ?? null },
            })
          }
          done="Saved. This applies to new posts."
          button="Save"
          of="checks"
          why={why}
          onDone={onSaved}
        >
          <label className="field">
            <span>Check live posts</span>
            <select name="rechecks" key={workspace.rechecks} defaultValue={workspace.rechecks ?? ""}>
              <option value="">Default</option>
              {RECHECKS.map((setting) => (
                <option key={setting} value={setting}>
                  {RECHECK_WORDS[setting]}
                </option>
              ))}
            </select>
            <small>X charges for each check, so the default there is fewer.</small>
          </label>
        </ActForm>
      </Card>
      <Card title="Budget" lead="For networks that charge for posts. Posts that would cost more aren't accepted.">
        <ActForm
          act={(client, form) =>
            client.call("workspaces.rename", {
              params: { id: workspace.id },
              body: { budget_usd: budgetFrom(form("budget_usd")) },
            })
          }
          changes={["usage"]}
          done="Budget saved"
          button="Save"
          of="budget"
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
            <small>Leave empty for no limit.</small>
          </Field>
        </ActForm>
      </Card>
    </>
  );
}
