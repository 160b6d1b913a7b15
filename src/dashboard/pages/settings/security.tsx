// How the signed-in user signs in: password, second factors and sessions.
import { makeClient } from "../../api.ts";
import { useAct, useRead } from "../../reads.ts";
import { ActForm } from "../../ui/act-form.tsx";
import { Card } from "../../ui/card.tsx";
import { PasswordField } from "../../ui/field.tsx";
import { Instant } from "../../ui/marks.tsx";
import { Found, Refused } from "../../ui/states.tsx";
import { useSay } from "../../ui/toasts.tsx";
import { Factors } from "./factors.tsx";

export const Security = () => (
  <div className="stack">
    <Card title="Password" lead="A new password signs you out everywhere else.">
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
  </div>
);

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
    <Card title="Your sessions" lead="Where you are signed in. Sign out what you don't recognize.">
      <Refused error={end.error} />
      <Found query={sessions} what="Your sessions">
        {(sessions) => (
          <ul className="rows">
            {sessions.map(({ id, user_agent: agent, current, last_used_at: used }) => {
              const device = agent ?? "Unknown device";
              return (
                <li key={id} className="row apart">
                  <span className="who">
                    {device}
                    <small>
                      {current ? (
                        "This device"
                      ) : (
                        <>
                          Last used <Instant at={used} />
                        </>
                      )}
                    </small>
                  </span>
                  {!current && (
                    <button
                      type="button"
                      disabled={end.isPending}
                      onClick={() => end.mutate(id, { onSuccess: () => say("Signed out there") })}
                    >
                      Sign out<span className="visually-hidden"> the session of {device}</span>
                    </button>
                  )}
                </li>
              );
            })}
          </ul>
        )}
      </Found>
    </Card>
  );
}
