// Creates a workspace, and opens it.
import { useQueryClient } from "@tanstack/react-query";
import { useSession } from "../session.tsx";
import { ActForm } from "../ui/act-form.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { findBrowserZone, ZoneField } from "../ui/zone-field.tsx";

export function NewWorkspace({ onClose }: { onClose(): void }) {
  const { open } = useSession();
  const queries = useQueryClient();
  return (
    <Dialog title="New workspace" onClose={onClose}>
      <ActForm
        act={async (client, form) =>
          (await client.call("workspaces.create", { body: { name: form("name"), timezone: form("timezone") } })).body
        }
        done="Workspace created"
        button="Create workspace"
        why={null}
        onDone={({ id }) => {
          onClose();
          void queries.invalidateQueries({ queryKey: ["me"] }).then(() => open(id));
        }}
      >
        <Field label="Name" name="name" autoComplete="organization" required />
        <ZoneField label="Time zone" defaultValue={findBrowserZone()} />
      </ActForm>
    </Dialog>
  );
}
