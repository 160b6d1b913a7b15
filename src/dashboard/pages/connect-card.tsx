// The networks to choose from when connecting an account.
import { networkName } from "../../domain/network-name.ts";
import { usePlatforms } from "../reads.ts";
import type { Rule } from "../types.ts";
import { Mark } from "../ui/channel.tsx";
import { Icon } from "../ui/icons.tsx";
import { plain } from "../ui/marks.tsx";
import { Found } from "../ui/states.tsx";

interface ConnectCardProps {
  /** Why the user may not connect accounts, or null. */
  why: string | null;
  /** Whether the browser is about to leave for a network. */
  isLeaving: boolean;
  onConnect(rule: Rule): void;
  /** Opens the dialog with the requirements of a network and with a link for the owner of an account. */
  onMore(rule: Rule): void;
}

export function ConnectCard({ why, isLeaving, onConnect, onMore }: ConnectCardProps) {
  const platforms = usePlatforms();
  return (
    <section className="card" aria-label="Connect an account">
      <h2>Connect an account</h2>
      {why !== null && <p className="note">{why}</p>}
      <Found query={platforms} what="The networks">
        {({ platforms }) => (
          <ul className="channel-grid">
            {platforms.map((rule) => {
              const name = networkName(rule.platform);
              const isOff = why !== null || rule.publishes === "not_configured";
              return (
                <li key={rule.platform} className="network">
                  <button type="button" disabled={isOff || isLeaving} onClick={() => onConnect(rule)}>
                    <Mark platform={rule.platform} />
                    <span className="who">
                      <span>
                        <span className="visually-hidden">Connect </span>
                        {name}
                      </span>
                      <small>
                        {rule.publishes === "not_configured"
                          ? "not set up in this deployment"
                          : plain(rule.delivery_guarantee)}
                      </small>
                    </span>
                  </button>
                  <button type="button" className="quiet" disabled={isOff} onClick={() => onMore(rule)}>
                    <Icon name="more" />
                    <span className="visually-hidden">Requirements and links for {name}</span>
                  </button>
                </li>
              );
            })}
          </ul>
        )}
      </Found>
    </section>
  );
}
