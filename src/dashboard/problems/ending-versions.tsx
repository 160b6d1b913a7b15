// Networks that soon reject the version of their API that this Crier uses. Only its operator can change that.
import { networkName } from "../../domain/network-name.ts";
import { useChannels, usePlatforms } from "../reads.ts";
import { useSession } from "../session.tsx";
import type { Channel, Rule } from "../types.ts";
import { Button } from "../ui/button.tsx";
import { Mark } from "../ui/channel.tsx";
import { useCopy } from "../ui/copy.ts";
import { useClock } from "../ui/marks.tsx";

/** When the first warning is sent. */
const WARNED_MS = 60 * 24 * 3_600_000;

interface Ending {
  platform: string;
  /** A date. */
  until: string;
}

/** The networks whose API version ends soon, among those with a connected account. */
function listEnding(rules: readonly Rule[], channels: readonly Channel[], now: number): Ending[] {
  return rules.flatMap(({ platform, api }) => {
    const until = api.supported_until;
    const isUsed = channels.some((channel) => channel.platform === platform && channel.connected);
    return until !== null && isUsed && Date.parse(until) - now < WARNED_MS ? [{ platform, until }] : [];
  });
}

/** Rows for a list of problems, shown to owners. */
export function EndingVersions() {
  const { client, whyNot } = useSession();
  const channels = useChannels();
  const platforms = usePlatforms();
  const clock = useClock();
  const copy = useCopy("Message");
  if (whyNot("manage_workspace") !== null) return null;
  return listEnding(platforms.data?.platforms ?? [], channels.data ?? [], client.now()).map(({ platform, until }) => {
    const name = networkName(platform);
    const day = clock.day(`${until}T12:00:00Z`);
    return (
      <li key={platform} className="list-row">
        <Mark platform={platform} />
        <span className="list-text">
          <strong>{name} is changing its API</strong>
          <small className="soft">
            Posts to {name} may fail from {day} on, unless this Crier is updated before.
          </small>
        </span>
        <Button
          onClick={() =>
            void copy(
              `${name} stops supporting the version of its API that our Crier uses on ${day}. Please update Crier.`,
            )
          }
        >
          Copy a note to your admin
        </Button>
      </li>
    );
  });
}
