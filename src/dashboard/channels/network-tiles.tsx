// The networks to choose from when connecting an account.
import { networkName } from "../../domain/network-name.ts";
import { usePlatforms } from "../reads.ts";
import type { Rule } from "../types.ts";
import { Button } from "../ui/button.tsx";
import { Mark } from "../ui/channel.tsx";
import { Found, Loading } from "../ui/states.tsx";
import { describeAccounts } from "../words/accounts.ts";

interface NetworkTilesProps {
  /** Why the user may not connect accounts, or null. */
  why: string | null;
  /** Whether nothing is connected yet. */
  isFirst: boolean;
  /** Whether the browser is about to leave for a network. */
  isLeaving: boolean;
  onConnect(rule: Rule): void;
  /** Opens the dialog that makes a link for a client. */
  onClientLink(): void;
}

/** As many tiles as there are networks, until they are read. */
const SKELETONS = Array.from({ length: 10 }, (_, tile) => tile);

export function NetworkTiles({ why, isFirst, isLeaving, onConnect, onClientLink }: NetworkTilesProps) {
  const platforms = usePlatforms();
  return (
    <section
      id="connect"
      className="card connect"
      aria-label="Connect an account"
      data-first={isFirst ? "" : undefined}
    >
      <div className="connect-lead">
        <div>
          <h2>{isFirst ? "Connect your first account" : "Connect an account"}</h2>
          <p className="soft">
            {isFirst
              ? "Write once, and Crier publishes it everywhere: on time, exactly as written, never twice."
              : "Choose a network. You give permission there and come straight back."}
          </p>
        </div>
        <Button icon="link" disabled={why !== null} onClick={onClientLink}>
          Link for a client
        </Button>
      </div>
      {why !== null && <p className="note">{why}</p>}
      {platforms.data === undefined && !platforms.isError && platforms.fetchStatus !== "paused" ? (
        <Loading what="The networks" className="network-grid">
          {SKELETONS.map((tile) => (
            <span key={tile} className="network-tile bar" />
          ))}
        </Loading>
      ) : (
        <Found query={platforms} what="The networks">
          {({ platforms }) => (
            <ul className="network-grid">
              {platforms.map((rule) => (
                <li key={rule.platform}>
                  <Tile rule={rule} isOff={why !== null} isLeaving={isLeaving} onConnect={onConnect} />
                </li>
              ))}
            </ul>
          )}
        </Found>
      )}
    </section>
  );
}

function Tile({
  rule,
  isOff,
  isLeaving,
  onConnect,
}: Pick<NetworkTilesProps, "isLeaving" | "onConnect"> & { rule: Rule; isOff: boolean }) {
  const name = networkName(rule.platform);
  const isMissing = rule.publishes === "not_configured";
  return (
    <button
      type="button"
      className="network-tile"
      disabled={isOff || isMissing || isLeaving}
      onClick={() => onConnect(rule)}
    >
      <Mark platform={rule.platform} />
      <span className="who">
        <span>
          <span className="visually-hidden">Connect </span>
          {name}
        </span>
        <small className="one-line">{isMissing ? "Not set up yet" : describeAccounts(rule.platform).kind}</small>
      </span>
    </button>
  );
}
