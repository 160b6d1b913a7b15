// The technical facts of a channel: who connected it, what it may not do, and what its network promises and requires.
import { findVersionEnd } from "../../domain/api-version.ts";
import { networkName } from "../../domain/network-name.ts";
import { AccessNeeds } from "../pages/access-needs.tsx";
import type { Channel, Rule } from "../types.ts";
import { channelName } from "../ui/channel.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Instant } from "../ui/marks.tsx";

const GUARANTEES: Readonly<Record<string, string>> = {
  exactly_once: "Exactly once: a post cannot appear twice, even after a lost answer.",
  at_most_once: "At most once: after a lost answer Crier looks for the post instead of sending it again.",
  at_least_once: "At least once: after a lost answer a post may appear twice.",
};

interface ChannelDetailsProps {
  channel: Channel;
  rule: Rule | undefined;
  onClose(): void;
}

export function ChannelDetails({ channel, rule, onClose }: ChannelDetailsProps) {
  const { platform, connected_by: connectedBy, created_at, token_expires_at: ends } = channel;
  const ending = rule === undefined ? null : findVersionEnd(rule.api, Date.now());
  const guarantee = rule?.delivery_guarantee ?? "";
  return (
    <Dialog
      title={channelName(channel)}
      onClose={onClose}
      actions={(close) => (
        <button type="button" onClick={close}>
          Close
        </button>
      )}
    >
      <dl className="facts">
        <dt>Connected</dt>
        <dd>
          <Instant at={created_at} />
          {connectedBy !== null && (
            <>
              {" "}
              by <bdi>{connectedBy}</bdi>
            </>
          )}
        </dd>
        <dt>Access</dt>
        <dd>{ends === null ? "Renews itself" : <Instant at={ends} />}</dd>
        {guarantee !== "" && (
          <>
            <dt>Guarantee</dt>
            <dd>{GUARANTEES[guarantee] ?? guarantee.replaceAll("_", " ")}</dd>
          </>
        )}
        {channel.missing_permissions.map(({ permission, lost }) => (
          <div key={permission} className="figure">
            <dt>Not allowed</dt>
            <dd>{lost} Reconnect and allow it.</dd>
          </div>
        ))}
      </dl>
      {ending !== null && (
        <p className="note">
          {networkName(platform)} {ending.hasEnded ? "ended" : "ends"} the version that Crier uses on {ending.end}. Tell
          the person who runs your Crier.
        </p>
      )}
      {rule !== undefined && <AccessNeeds rule={rule} />}
    </Dialog>
  );
}
