// Connects an account in a dialog: by consent at the network, with a link for the account's owner, or with credentials.
import { useState } from "react";
import { networkName } from "../../domain/network-name.ts";
import { AccessNeeds } from "../pages/access-needs.tsx";
import { useAct } from "../reads.ts";
import type { Channel, Rule } from "../types.ts";
import { Button } from "../ui/button.tsx";
import { Mark } from "../ui/channel.tsx";
import { useCopy } from "../ui/copy.ts";
import { Instant } from "../ui/marks.tsx";
import { useOpenDialog } from "../ui/open-dialog.ts";
import { Refused } from "../ui/states.tsx";
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
        <AccessNeeds rule={rule} />
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

const DAY_S = 86_400;
/** For how many days a link can work. */
const LIVES = [1, 7, 30] as const;

/** Creates a link for the owner of an account, who sees the result on a page of its own. */
const useOwnersLink = () =>
  useAct(async (client, { platform, days, brand }: { platform: string; days: number; brand: string }) => {
    const own = brand.trim() === "" ? {} : { brand: { name: brand.trim() } };
    const body = { platform, expires_in: days * DAY_S, ...own };
    return (await client.call("channels.start-connect", { body })).body;
  }, []);

function Consent({ rule: { platform }, onClose }: { rule: Rule; onClose(): void }) {
  const leaving = useConnectLink();
  const link = useOwnersLink();
  const copy = useCopy("Link");
  const [days, setDays] = useState<number>(LIVES[1]);
  const [brand, setBrand] = useState("");
  const name = networkName(platform);
  return (
    <>
      <p>
        {name} asks for your permission and brings you back here. If the account belongs to somebody else, send them a
        link instead: they need no Crier account.
      </p>
      <Refused error={leaving.error ?? link.error} />
      {link.data === undefined && (
        <details>
          <summary>Link for a client</summary>
          <div className="stack tight">
            <label className="field">
              <span>Works for</span>
              <select
                value={days}
                onChange={({ target }) => setDays(LIVES.find((life) => String(life) === target.value) ?? LIVES[1])}
              >
                {LIVES.map((life) => (
                  <option key={life} value={life}>
                    {life === 1 ? "1 day" : `${life} days`}
                  </option>
                ))}
              </select>
            </label>
            <label className="field">
              <span>Your agency's name (optional)</span>
              <input value={brand} maxLength={60} dir="auto" onChange={({ target }) => setBrand(target.value)} />
              <small>The link's pages show it to your client.</small>
            </label>
          </div>
        </details>
      )}
      {link.data !== undefined && (
        <div className="stack tight">
          <label className="field">
            <span>Link for the account's owner</span>
            <input readOnly value={link.data.url} onFocus={({ target }) => target.select()} />
            <small>
              Works until it has connected an account, at the latest until <Instant at={link.data.expires_at} />.
            </small>
          </label>
          <div>
            <Button onClick={() => void copy(link.data?.url ?? "")}>Copy link</Button>
          </div>
        </div>
      )}
      <div className="row end">
        <Button variant="quiet" onClick={onClose}>
          Close
        </Button>
        {link.data === undefined && (
          <Button icon="link" isBusy={link.isPending} onClick={() => link.mutate({ platform, days, brand })}>
            Create a link
          </Button>
        )}
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
