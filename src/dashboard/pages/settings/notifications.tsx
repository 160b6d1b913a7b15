// The mail notifications of the signed-in user for this workspace.
import { Link } from "wouter";
import { useAct, useRead } from "../../reads.ts";
import { useSession } from "../../session.tsx";
import { Found, Refused } from "../../ui/states.tsx";
import { useSay } from "../../ui/toasts.tsx";

const KINDS = [
  { name: "delivery_failed", words: "A post could not be published on a channel" },
  { name: "delivery_at_risk", words: "A scheduled post will fail unless you fix it" },
  { name: "token_expiring", words: "A channel's access expires soon" },
  { name: "approval_requested", words: "A post is waiting for approval" },
  { name: "version_ending", words: "A network is retiring the API version in use" },
  { name: "mentioned", words: "A comment mentions you" },
] as const;

export function Notifications() {
  const { me } = useSession();
  const say = useSay();
  const chosen = useRead(
    ["notifications"],
    async (client, signal) => (await client.call("notifications.read", { signal })).body,
  );
  type Chosen = NonNullable<typeof chosen.data>;
  const set = useAct(async (client, body: Chosen) => client.call("notifications.set", { body }), ["notifications"]);
  return (
    <section className="card" aria-label="Emails">
      {!me.user.email_verified && (
        <p className="note">
          <span>
            Emails are sent only to verified addresses, and yours is not verified yet.{" "}
            <Link href="/settings/account">Verify it</Link>
          </span>
        </p>
      )}
      <Refused error={set.error} />
      <Found query={chosen} what="Your settings">
        {(chosen) => (
          <fieldset>
            <legend>Email me when</legend>
            {KINDS.map(({ name, words }) => (
              <label key={name} className="choice">
                <input
                  type="checkbox"
                  checked={chosen[name]}
                  disabled={set.isPending}
                  onChange={({ target }) =>
                    set.mutate({ ...chosen, [name]: target.checked }, { onSuccess: () => say("Saved") })
                  }
                />
                {words}
              </label>
            ))}
          </fieldset>
        )}
      </Found>
    </section>
  );
}
