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
        <strong>Nobody owns {workspace.name}.</strong> Its last owner has erased their account. The first member who
        accepts owns it: manages channels, keys and members, and can delete it.
      </p>
      <ActForm
        act={(client) => client.call("workspaces.take-ownership", { params: { id: workspace.id } })}
        done={`You own ${workspace.name}`}
        button={`Own ${workspace.name}`}
        why={null}
        onDone={() => void queries.invalidateQueries({ queryKey: ["me"] })}
      />
    </section>
  );
}
