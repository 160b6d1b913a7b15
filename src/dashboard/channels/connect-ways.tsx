// The ways to connect an account of a network that has several.
import type { Channel, Rule } from "../types.ts";

type Way = NonNullable<Rule["connect_ways"]>[number];

/** The ways that this deployment has an app for. */
export const listWays = ({ connect_ways: ways = [] }: Rule): Way[] => ways.filter(({ available }) => available);

/** The way in which a channel is connected, which a reconnection keeps. */
export const findWay = (ways: Way[], channel: Channel | null): Way | undefined =>
  channel === null ? undefined : ways.find(({ tier }) => tier === channel.tier);

export function ConnectWays({
  ways,
  chosen,
  onChoose,
}: {
  ways: Way[];
  chosen: string | null;
  onChoose(via: string | null): void;
}) {
  return (
    <fieldset className="stack">
      <legend>How do you want to connect?</legend>
      {ways.map(({ via, name, purpose }) => (
        <label className="choice" key={name}>
          <input type="radio" name="via" checked={via === chosen} onChange={() => onChoose(via)} />
          <span>
            {name}
            <br />
            <small>{purpose}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
