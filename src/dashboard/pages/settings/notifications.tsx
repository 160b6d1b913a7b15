// The mail notifications of the signed-in user for this workspace.
import { Link } from "wouter";
import { useAct, useRead } from "../../reads.ts";
import { useSendsMail } from "../../sends-mail.ts";
import { useSession } from "../../session.tsx";
import { Card } from "../../ui/card.tsx";
import { Found, Refused } from "../../ui/states.tsx";
import { useSay } from "../../ui/toasts.tsx";

const KINDS = [
  { name: "delivery_failed", words: "A post fails" },
  { name: "delivery_at_risk", words: "A scheduled post will fail unless it's fixed" },
  { name: "token_expiring", words: "A channel needs to be reconnected soon" },
  { name: "approval_requested", words: "A post needs approval" },
  { name: "version_ending", words: "A network needs an update of Crier" },
  { name: "mentioned", words: "Someone mentions you in a comment" },
  { name: "queue_low", words: "A channel's queue runs low" },
] as const;

export function Notifications() {
  const { me, workspace } = useSession();
  const sendsMail = useSendsMail();
  const say = useSay();
  const chosen = useRead(
    ["notifications"],
    async (client, signal) => (await client.call("notifications.read", { signal })).body,
  );
  type Chosen = NonNullable<typeof chosen.data>;
  const set = useAct(async (client, body: Chosen) => client.call("notifications.set", { body }), ["notifications"]);
  if (!sendsMail) return <p className="note">Email isn't set up here, so there are no notifications by email.</p>;
  return (
    <Card title="Emails" lead={`For ${workspace.name}, to ${me.user.email}.`}>
      {!me.user.email_verified && (
        <p className="note">
          <span>
            Confirm your email to get notifications. <Link href="/settings/account">Send confirmation</Link>
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
    </Card>
  );
}
