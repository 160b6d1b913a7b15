// Deletes the account: shows what is deleted with it, and asks for the new owners of shared workspaces and for the password.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { makeClient } from "../../api.ts";
import { useAct } from "../../reads.ts";
import { useSession } from "../../session.tsx";
import type { Workspace } from "../../types.ts";
import { Card } from "../../ui/card.tsx";
import { Field, PasswordField } from "../../ui/field.tsx";
import { Refused } from "../../ui/states.tsx";

const heirField = (workspaceId: string) => `heir-${workspaceId}`;

export function EraseAccount() {
  const { me } = useSession();
  const [typed, setTyped] = useState("");
  const owned = me.workspaces.filter(({ role }) => role === "owner");
  const erase = useAct(async (_, form: FormData) => {
    const heirs = owned.map(({ id }) => [id, String(form.get(heirField(id)) ?? "")]);
    const body = {
      password: String(form.get("password")),
      heirs: Object.fromEntries(heirs.filter(([, heir]) => heir !== "")),
    };
    return makeClient(null).call("accounts.erase", { body });
  }, []);
  const isTyped = typed.trim().toLowerCase() === me.user.email.toLowerCase();
  return (
    <Card
      title="Erase your account"
      danger
      lead={
        <>
          Your account and every workspace without other members are deleted for good, and their scheduled posts won't
          go out. Shared workspaces stay, and your posts in them keep your name. Live posts stay on their networks.
        </>
      }
    >
      <form
        className="stack tight"
        onSubmit={(event) => {
          event.preventDefault();
          if (isTyped) erase.mutate(new FormData(event.currentTarget), { onSuccess: () => location.assign("/") });
        }}
      >
        {owned.map((workspace) => (
          <HeirField key={workspace.id} workspace={workspace} />
        ))}
        <Field
          label={`Type your address, ${me.user.email}, to erase it`}
          value={typed}
          autoComplete="off"
          required
          onChange={({ target }) => setTyped(target.value)}
        />
        <PasswordField label="Your password" name="password" />
        <p className="soft">
          No password yet, because you sign in through a provider? <a href="/auth/forgot">Set one first</a>.
        </p>
        <Refused error={erase.error} />
        <div>
          <button type="submit" className="danger" disabled={!isTyped || erase.isPending}>
            Erase permanently
          </button>
        </div>
      </form>
    </Card>
  );
}

/** Asks who becomes the next owner of a shared workspace. Shows nothing if there are no other members. */
function HeirField({ workspace: { id, name } }: { workspace: Workspace }) {
  const { me } = useSession();
  const { data: members = [] } = useQuery({
    queryKey: ["heirs", id],
    queryFn: async ({ signal }) =>
      (await makeClient(null).call("members.list", { params: { id }, query: { limit: "200" }, signal })).body.members,
  });
  const otherMembers = members.filter((member) => member.id !== me.user.id);
  if (otherMembers.length === 0) return null;
  return (
    <label className="field">
      <span>Next owner of {name}</span>
      <select name={heirField(id)} defaultValue="">
        <option value="">
          {otherMembers.some(({ role }) => role === "owner") ? "The other owners" : "The first member who accepts"}
        </option>
        {otherMembers.map((member) => (
          <option key={member.id} value={member.id}>
            {member.name === null ? member.email : `${member.name} (${member.email})`}
          </option>
        ))}
      </select>
    </label>
  );
}
