// The mail notifications of the signed-in user for this workspace.
import { Link } from "wouter";
import { useAct, useRead } from "../../reads.ts";
import { useSession } from "../../session.tsx";
import { Found, Refused } from "../../ui/states.tsx";
import { useSay } from "../../ui/toasts.tsx";

const KINDS = [
  { name: "delivery_failed", words: "A post could not be published on a channel" },
  { name: "delivery_at_risk", words: "A scheduled post would fail as things are" },
  { name: "token_expiring", words: "A channel's access ends soon" },
  { name: "approval_requested", words: "A post waits for approval" },
  { name: "version_ending", words: "A network ends the version of its API that is in use" },
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
    <section className="card" aria-label="Mails">
      {!me.user.email_verified && (
        <p className="note">
          <span>
            Mails go to proven addresses only, and yours is not proven yet.{" "}
            <Link href="/settings/account">Prove it</Link>
          </span>
        </p>
      )}
      <Refused error={set.error} />
      <Found query={chosen} what="Your choice">
        {(chosen) => (
          <fieldset>
            <legend>Mail me when</legend>
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
