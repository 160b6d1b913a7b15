// The networks to choose from when connecting an account.
import { networkName } from "../../domain/network-name.ts";
import { usePlatforms } from "../reads.ts";
import type { Rule } from "../types.ts";
import { Mark } from "../ui/channel.tsx";
import { Icon } from "../ui/icons.tsx";
import { Found, Loading } from "../ui/states.tsx";

interface NetworkTilesProps {
  /** Why the user may not connect accounts, or null. */
  why: string | null;
  /** Whether nothing is connected yet. */
  isFirst: boolean;
  /** Whether the browser is about to leave for a network. */
  isLeaving: boolean;
  onConnect(rule: Rule): void;
  /** Opens the dialog with the requirements of a network and with a link for the owner of an account. */
  onMore(rule: Rule): void;
}

/** As many tiles as there are networks, until they are read. */
const SKELETONS = Array.from({ length: 10 }, (_, tile) => tile);

export function NetworkTiles({ why, isFirst, isLeaving, onConnect, onMore }: NetworkTilesProps) {
  const platforms = usePlatforms();
  return (
    <section className="card connect" aria-label="Connect an account" data-first={isFirst ? "" : undefined}>
      <div>
        <h2>{isFirst ? "Connect your first account" : "Connect an account"}</h2>
        <p className="soft">
          {isFirst
            ? "Write once, and Crier publishes it everywhere: on time, exactly as written, never twice."
            : "Choose a network. You give permission there and come straight back."}
        </p>
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
                  <Tile rule={rule} isOff={why !== null} isLeaving={isLeaving} onConnect={onConnect} onMore={onMore} />
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
  onMore,
}: Pick<NetworkTilesProps, "isLeaving" | "onConnect" | "onMore"> & { rule: Rule; isOff: boolean }) {
  const name = networkName(rule.platform);
  const isMissing = rule.publishes === "not_configured";
  return (
    <div className="network-tile">
      <button type="button" disabled={isOff || isMissing || isLeaving} onClick={() => onConnect(rule)}>
        <Mark platform={rule.platform} />
        <span className="who">
          <span>
            <span className="visually-hidden">Connect </span>
            {name}
          </span>
          {isMissing && <small>Not set up yet</small>}
        </span>
      </button>
      <button type="button" className="quiet icon-button" disabled={isOff || isMissing} onClick={() => onMore(rule)}>
        <Icon name="link" />
        <span className="visually-hidden">Requirements and link for {name}</span>
      </button>
    </div>
  );
}
