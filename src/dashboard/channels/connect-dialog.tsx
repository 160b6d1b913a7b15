// Connects an account in a dialog: by consent at the network, or with credentials.
import { useState } from "react";
import { networkName } from "../../domain/network-name.ts";
import { useAct } from "../reads.ts";
import type { Channel, Rule } from "../types.ts";
import { Button } from "../ui/button.tsx";
import { Mark } from "../ui/channel.tsx";
import { Field } from "../ui/field.tsx";
import { useOpenDialog } from "../ui/open-dialog.ts";
import { Refused } from "../ui/states.tsx";
import { AccessNeeds } from "./access-needs.tsx";
import { ConnectWays, findWay, listWays } from "./connect-ways.tsx";
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
        <Ways rule={rule} again={again} onClose={close} />
        <AccessNeeds platform={rule.platform} />
      </div>
    </dialog>
  );
}

interface WaysProps {
  rule: Rule;
  again: Channel | null;
  onClose(): void;
}

/** Sign-in at the network where there is one; where the account's handle leads there, the credentials come second. */
function Ways({ rule, again, onClose }: WaysProps) {
  if (rule.consent === undefined) return <Credentials rule={rule} again={again} onClose={onClose} />;
  if (!rule.consent.handle) return <Consent rule={rule} again={again} onClose={onClose} />;
  return (
    <>
      <SignIn rule={rule} again={again} onClose={onClose} />
      <details>
        <summary>Use an app password instead</summary>
        <Credentials rule={rule} again={again} onClose={onClose} />
      </details>
    </>
  );
}

/** Creates a link to connect an account. The browser returns to the channels page afterwards. */
export const useConnectLink = () =>
  useAct(async (client, place: { platform: string; handle?: string; via?: string }) => {
    const body = { ...place, return_to: `${location.origin}/channels` };
    return (await client.call("channels.start-connect", { body })).body;
  }, []);

function SignIn({ rule: { platform }, again, onClose }: WaysProps) {
  const leaving = useConnectLink();
  const name = networkName(platform);
  const [handle, setHandle] = useState(again?.handle.replace(/^@/, "") ?? "");
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        leaving.mutate({ platform, handle }, { onSuccess: ({ url }) => location.assign(url) });
      }}
    >
      <p>Your server asks for your permission and brings you back here. Your password stays there.</p>
      <Field
        label="Handle"
        value={handle}
        placeholder="you.bsky.social"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        dir="ltr"
        maxLength={300}
        required
        data-first-field=""
        onChange={({ target }) => setHandle(target.value)}
      />
      <Refused error={leaving.error} />
      <div className="row end">
        <Button variant="quiet" onClick={onClose}>
          Close
        </Button>
        <Button type="submit" variant="primary" isBusy={leaving.isPending}>
          Sign in with {name}
        </Button>
      </div>
    </form>
  );
}

function Consent({ rule, again, onClose }: WaysProps) {
  const { platform } = rule;
  const leaving = useConnectLink();
  const ways = listWays(rule);
  const [chosen, setChosen] = useState<string | null>(() => findWay(ways, again)?.via ?? ways[0]?.via ?? null);
  const way = ways.find(({ via }) => via === chosen);
  const name = way?.site ?? networkName(platform);
  return (
    <>
      {ways.length > 1 && <ConnectWays ways={ways} chosen={chosen} onChoose={setChosen} />}
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
          onClick={() =>
            leaving.mutate(
              { platform, ...(chosen === null ? {} : { via: chosen }) },
              { onSuccess: ({ url }) => location.assign(url) },
            )
          }
        >
          Continue to {name}
        </Button>
      </div>
    </>
  );
}
