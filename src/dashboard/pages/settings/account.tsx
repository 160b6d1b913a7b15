// The signed-in user's own data: name, email address, password, and sessions.
import { useQueryClient } from "@tanstack/react-query";
import { makeClient } from "../../api.ts";
import { useAct, useRead } from "../../reads.ts";
import { useSession } from "../../session.tsx";
import { ActForm } from "../../ui/act-form.tsx";
import { Card } from "../../ui/card.tsx";
import { Field, PasswordField } from "../../ui/field.tsx";
import { Instant } from "../../ui/marks.tsx";
import { Found, Refused } from "../../ui/states.tsx";
import { useSay } from "../../ui/toasts.tsx";
import { EraseAccount } from "./erase-account.tsx";
import { Factors } from "./factors.tsx";

export function AccountPart() {
  const { me } = useSession();
  const queries = useQueryClient();
  return (
    <div className="stack">
      <Card title="Name">
        <ActForm
          act={(client, form) => client.call("accounts.rename", { body: { name: form("name").trim() || null } })}
          done="Name saved"
          button="Save name"
          why={null}
          onDone={() => void queries.invalidateQueries({ queryKey: ["me"] })}
        >
          <Field label="Your name" name="name" defaultValue={me.user.name ?? ""} autoComplete="name" />
        </ActForm>
      </Card>
      <Card title="Email">
        <p>
          {me.user.email} {me.user.email_verified ? "(confirmed)" : "(not confirmed yet)"}
        </p>
        {!me.user.email_verified && (
          <ActForm
            act={(client) => client.call("accounts.send-verification")}
            done="Check your inbox"
            button="Send confirmation"
            why={null}
          />
        )}
        <ActForm
          act={(client, form) =>
            client.call("accounts.change-email", { body: { email: form("email"), password: form("password") } })
          }
          done="Check your new inbox: your address changes when you open the link."
          button="Change address"
          why={null}
        >
          <Field label="New address" name="email" type="email" autoComplete="email" required />
          <PasswordField label="Your password" name="password" />
        </ActForm>
      </Card>
      <Card title="Password">
        <ActForm
          act={(client, form) =>
            client.call("accounts.change-password", { body: { current: form("current"), password: form("password") } })
          }
          changes={["sessions"]}
          done="Password changed. You're signed out everywhere else."
          button="Change password"
          why={null}
        >
          <PasswordField label="Current password" name="current" />
          <PasswordField label="New password" name="password" isNew />
        </ActForm>
      </Card>
      <Factors />
      <Sessions />
      <EraseAccount />
    </div>
  );
}

function Sessions() {
  const say = useSay();
  const sessions = useRead(
    ["sessions"],
    async (_, signal) =>
      (await makeClient(null).call("accounts.sessions", { query: { limit: "200" }, signal })).body.sessions,
  );
  const end = useAct(
    async (_, id: string) => makeClient(null).call("accounts.end-session", { params: { id } }),
    ["sessions"],
  );
  return (
    <section className="card" aria-label="Sessions">
      <h2>Your sessions</h2>
      <Refused error={end.error} />
      <Found query={sessions} what="Your sessions">
        {(sessions) => (
          <ul className="rows">
            {sessions.map(({ id, user_agent, current, last_used_at }) => (
              <li key={id} className="row apart">
                <span className="who">
                  {user_agent ?? "Unknown device"}
                  <small>
                    {current ? "This session" : "Last used"} <Instant at={last_used_at} />
                  </small>
                </span>
                {!current && (
                  <button
                    type="button"
                    className="danger"
                    onClick={() => end.mutate(id, { onSuccess: () => say("Signed out there") })}
                  >
                    Sign out<span className="visually-hidden"> the session of {user_agent ?? "a program"}</span>
                  </button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Found>
    </section>
  );
}
