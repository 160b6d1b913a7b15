// A link with which a client connects their own account, without an account at Crier.
import { useState } from "react";
import { Link } from "wouter";
import { networkName } from "../../domain/network-name.ts";
import { useAct, usePlatforms } from "../reads.ts";
import { useSession } from "../session.tsx";
import { Button } from "../ui/button.tsx";
import { useCopy } from "../ui/copy.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Instant } from "../ui/marks.tsx";
import { Refused } from "../ui/states.tsx";
import { ConnectWays, listWays } from "./connect-ways.tsx";

const DAY_S = 86_400;
/** For how many days a link can work. */
const LIVES = [1, 7, 30] as const;
const LIFE_DEFAULT = 7;

/** The client sees the result on a page of its own, not in the dashboard. */
const useClientLink = () =>
  useAct(async (client, { platform, via, days }: { platform: string; via: string | null; days: number }) => {
    const body = { platform, expires_in: days * DAY_S, ...(via !== null && { via }) };
    return (await client.call("channels.start-connect", { body })).body;
  }, []);

export function ClientLinkDialog({ onClose }: { onClose(): void }) {
  const { workspace } = useSession();
  const platforms = (usePlatforms().data?.platforms ?? []).filter(
    ({ consent, publishes }) => consent !== undefined && publishes !== "not_configured",
  );
  const link = useClientLink();
  const copy = useCopy("Link");
  const [chosen, setChosen] = useState<string | null>(null);
  const [days, setDays] = useState<number>(LIFE_DEFAULT);
  const platform = chosen ?? platforms[0]?.platform ?? null;
  const rule = platforms.find((candidate) => candidate.platform === platform);
  const ways = rule === undefined ? [] : listWays(rule);
  const [chosenVia, setVia] = useState<string | null>(null);
  const { via = null } = ways.find((way) => way.via === chosenVia) ?? ways[0] ?? {};
  const brand = workspace.brand?.name ?? workspace.name;
  return (
    <Dialog
      title="Link for a client"
      onClose={onClose}
      actions={(close) => (
        <>
          <Button onClick={close}>Close</Button>
          {link.data === undefined ? (
            <Button
              variant="primary"
              disabled={platform === null}
              isBusy={link.isPending}
              onClick={() => platform !== null && link.mutate({ platform, via, days })}
            >
              Create link
            </Button>
          ) : (
            <Button variant="primary" onClick={() => void copy(link.data?.url ?? "")}>
              Copy link
            </Button>
          )}
        </>
      )}
    >
      {link.data === undefined ? (
        <>
          <p>
            Your client opens it, allows access on the network and is done: no account here, no password for you. The
            pages are in the name of <bdi>{brand}</bdi>. <Link href="/settings/workspace">Change the brand</Link>
          </p>
          <div className="pair">
            <label className="field">
              <span>Network</span>
              <select value={platform ?? ""} onChange={({ target }) => setChosen(target.value)}>
                {platforms.map((rule) => (
                  <option key={rule.platform} value={rule.platform}>
                    {networkName(rule.platform)}
                  </option>
                ))}
              </select>
            </label>
            <label className="field">
              <span>Works for</span>
              <select value={days} onChange={({ target }) => setDays(Number(target.value))}>
                {LIVES.map((life) => (
                  <option key={life} value={life}>
                    {life === 1 ? "1 day" : `${life} days`}
                  </option>
                ))}
              </select>
            </label>
          </div>
          {ways.length > 1 && <ConnectWays ways={ways} chosen={via} onChoose={setVia} />}
        </>
      ) : (
        <label className="field">
          <span>Link to connect {networkName(platform ?? "")}</span>
          <input readOnly value={link.data.url} onFocus={({ target }) => target.select()} />
          <small>
            Works until it has connected an account, at the latest until <Instant at={link.data.expires_at} />. Copy it
            now: it is not shown again.
          </small>
        </label>
      )}
      <Refused error={link.error} />
    </Dialog>
  );
}
