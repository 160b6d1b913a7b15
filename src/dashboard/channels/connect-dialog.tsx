// Connects an account in a dialog: by consent at the network, or with credentials.
import { networkName } from "../../domain/network-name.ts";
import { useAct } from "../reads.ts";
import type { Channel, Rule } from "../types.ts";
import { Button } from "../ui/button.tsx";
import { Mark } from "../ui/channel.tsx";
import { useOpenDialog } from "../ui/open-dialog.ts";
import { Refused } from "../ui/states.tsx";
import { AccessNeeds } from "./access-needs.tsx";
import { Credentials } from "./credentials.tsx";

/** `again`: the channel to reconnect; null: connect a new one. */
export function ConnectDialog({ rule, again, onClose }: { rule: Rule; again: Channel | null; onClose(): void }) {
  const dialog = useOpenDialog();
  const name = networkName(rule.platform);
  const close = () => dialog.current?.close();
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby="connect-title" onClose={onClose}>
      <div className="stack">
        <div className="connect-head">
          <Mark platform={rule.platform} />
          <h2 id="connect-title">
            {again === null ? "Connect" : "Reconnect"} {name}
          </h2>
        </div>
        {again !== null && (
          <p className="soft">
            <bdi>{again.handle}</bdi> keeps its scheduled posts.
          </p>
        )}
        {rule.auth === "oauth" ? (
          <Consent rule={rule} onClose={close} />
        ) : (
          <Credentials rule={rule} again={again} onClose={close} />
        )}
        <AccessNeeds platform={rule.platform} />
      </div>
    </dialog>
  );
}

/** Creates a link to connect an account. The browser returns to the channels page afterwards. */
export const useConnectLink = () =>
  useAct(
    async (client, platform: string) =>
      (await client.call("channels.start-connect", { body: { platform, return_to: `${location.origin}/channels` } }))
        .body,
    [],
  );

function Consent({ rule: { platform }, onClose }: { rule: Rule; onClose(): void }) {
  const leaving = useConnectLink();
  const name = networkName(platform);
  return (
    <>
      <p>
        {name} asks for your permission and brings you back here. Sign in there with the account that you want to post
        to.
      </p>
      <Refused error={leaving.error} />
      <div className="row end">
        <Button onClick={onClose}>Close</Button>
        <Button
          variant="primary"
          isBusy={leaving.isPending}
          onClick={() => leaving.mutate(platform, { onSuccess: ({ url }) => location.assign(url) })}
        >
          Continue to {name}
        </Button>
      </div>
    </>
  );
}
