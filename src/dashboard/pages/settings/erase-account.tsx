// The end of the account: what goes with it, and the last word.
import { useState } from "react";
import { clientOf } from "../../api.ts";
import { useAct } from "../../reads.ts";
import { useSession } from "../../session.tsx";
import { Card } from "../../ui/card.tsx";
import { Refused } from "../../ui/states.tsx";

export function EraseAccount() {
  const { me } = useSession();
  const [typed, setTyped] = useState("");
  const erase = useAct(async (_, __: null) => clientOf(null).call("accounts.erase"), []);
  return (
    <Card title="Erase your account">
      <p className="soft">
        Your name, address, password and sessions go at once, for good. Workspaces that nobody else belongs to go with
        everything in them: channels, media, posts, drafts, webhooks; what has not been sent is not sent. Shared ones
        stay: where you are the only owner, the member with the largest role becomes it, and what you wrote and decided
        in them keeps your name. Nothing is taken down from a network.
      </p>
      <form
        className="stack tight"
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.trim().toLowerCase() !== me.user.email.toLowerCase()) return;
          erase.mutate(null, { onSuccess: () => location.assign("/") });
        }}
      >
        <label className="field">
          <span>Type your address, {me.user.email}, to erase it</span>
          <input value={typed} autoComplete="off" required onChange={({ target }) => setTyped(target.value)} />
        </label>
        <Refused error={erase.error} />
        <div>
          <button
            type="submit"
            className="danger"
            disabled={typed.trim().toLowerCase() !== me.user.email.toLowerCase() || erase.isPending}
          >
            Erase for good
          </button>
        </div>
      </form>
    </Card>
  );
}
