// If the last owner of the open workspace has erased their account, every page asks each member to become the owner.
import { useQueryClient } from "@tanstack/react-query";
import { useSession } from "./session.tsx";
import { ActForm } from "./ui/act-form.tsx";

export function OwnershipOffer() {
  const { workspace } = useSession();
  const queries = useQueryClient();
  if (workspace.ownership_offered !== true) return null;
  return (
    <section className="note" aria-label="Ownership">
      <p>
        <strong>{workspace.name} has no owner.</strong> Its last owner has erased their account. The first member who
        accepts becomes the owner, who manages channels, keys and members and can delete the workspace.
      </p>
      <ActForm
        act={(client) => client.call("workspaces.take-ownership", { params: { id: workspace.id } })}
        done={`You now own ${workspace.name}`}
        button={`Become owner of ${workspace.name}`}
        why={null}
        onDone={() => void queries.invalidateQueries({ queryKey: ["me"] })}
      />
    </section>
  );
}
