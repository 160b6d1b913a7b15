import type { Context } from "../../context.ts";
import type { me } from "../../contract/accounts.ts";
import type { Result } from "../../contract/operation.ts";
import { type Owner, ownersOfEach } from "../../store/accounts/members.ts";

/** A workspace as it is shown to a user who decides about access to it. */
export type OwnedWorkspace = Pick<Result<typeof me>["workspaces"][number], "id" | "name" | "role"> & {
  owners: Owner[];
};

export async function withOwners(ctx: Context, workspaces: Result<typeof me>["workspaces"]): Promise<OwnedWorkspace[]> {
  const owners = await ownersOfEach(
    ctx.accounts,
    workspaces.map(({ id }) => id),
  );
  return workspaces.map(({ id, name, role }) => ({ id, name, role, owners: owners.get(id) ?? [] }));
}
