// Who may act in the workspace, and who is invited to.
import { ROLE_DEFAULT, ROLES } from "../../../domain/roles.ts";
import { useAct, useRead } from "../../reads.ts";
import { useSession } from "../../session.tsx";
import { ActForm } from "../../ui/act-form.tsx";
import { Instant } from "../../ui/marks.tsx";
import { Found, Refused } from "../../ui/states.tsx";
import { useSay } from "../../ui/toasts.tsx";

export function Members() {
  const { workspace, me, whyNot } = useSession();
  const say = useSay();
  const why = whyNot("manage_members");
  const members = useRead(
    ["members"],
    async (client, signal) =>
      (await client.call("members.list", { params: { id: workspace.id }, query: { limit: "200" }, signal })).body,
  );
  const change = useAct(
    async (client, { user, role }: { user: string; role: (typeof ROLES)[number] | null }) => {
      const params = { id: workspace.id, user };
      return role === null
        ? client.call("members.remove", { params })
        : client.call("members.change-role", { params, body: { role } });
    },
    ["members"],
  );
  const withdraw = useAct(
    async (client, invitation: string) =>
      client.call("members.withdraw-invitation", { params: { id: workspace.id, invitation } }),
    ["members"],
  );
  const trouble = change.error ?? withdraw.error;
  return (
    <div className="stack">
      <section className="card" aria-label="Members">
        <Refused error={trouble} />
        <Found query={members} what="The members">
          {({ members, invitations }) => (
            <ul className="rows">
              {members.map(({ id, email, name, role }) => (
                <li key={id} className="row apart">
                  <span className="who">
                    {name ?? email}
                    <small>
                      {email}
                      {id === me.user.id && " (you)"}
                    </small>
                  </span>
                  <span className="row">
                    <select
                      aria-label={`Role of ${email}`}
                      value={role}
                      disabled={why !== null}
                      onChange={({ target }) => {
                        const chosen = ROLES.find((one) => one === target.value) ?? role;
                        change.mutate(
                          { user: id, role: chosen },
                          { onSuccess: () => say(`${email} is ${chosen} now`) },
                        );
                      }}
                    >
                      {ROLES.map((one) => (
                        <option key={one} value={one}>
                          {one}
                        </option>
                      ))}
                    </select>
                    <button
                      type="button"
                      className="danger"
                      disabled={why !== null && id !== me.user.id}
                      onClick={() =>
                        change.mutate({ user: id, role: null }, { onSuccess: () => say(`${email} is out`) })
                      }
                    >
                      {id === me.user.id ? "Leave" : "Remove"}
                      <span className="visually-hidden"> {email}</span>
                    </button>
                  </span>
                </li>
              ))}
              {invitations.map(({ id, email, role, expires_at }) => (
                <li key={id} className="row apart">
                  <span className="who">
                    {email}
                    <small>
                      invited as {role}, until <Instant at={expires_at} />
                    </small>
                  </span>
                  <button type="button" disabled={why !== null} onClick={() => withdraw.mutate(id)}>
                    Withdraw<span className="visually-hidden"> the invitation of {email}</span>
                  </button>
                </li>
              ))}
            </ul>
          )}
        </Found>
      </section>
      <section className="card" aria-label="Invite somebody">
        <h2>Invite somebody</h2>
        <ActForm
          act={(client, form) =>
            client.call("members.invite", {
              params: { id: workspace.id },
              body: { email: form("email"), role: ROLES.find((one) => one === form("role")) },
            })
          }
          changes={["members"]}
          done="The invitation is on its way"
          button="Invite"
          why={why}
        >
          <label className="field">
            <span>Email</span>
            <input name="email" type="email" required />
          </label>
          <label className="field">
            <span>Role</span>
            <select name="role" defaultValue={ROLE_DEFAULT}>
              {ROLES.map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
            </select>
          </label>
        </ActForm>
      </section>
    </div>
  );
}
