// The technical facts of a channel: who connected it, what it may not do, and what its network promises and requires.
import { findVersionEnd } from "../../domain/api-version.ts";
import { networkName } from "../../domain/network-name.ts";
import type { Channel, Rule } from "../types.ts";
import { channelName } from "../ui/channel.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Instant } from "../ui/marks.tsx";
import { explainMissingPermission } from "../words/permissions.ts";
import { AccessNeeds } from "./access-needs.tsx";

const GUARANTEES: Record<Rule["delivery_guarantee"], string> = {
  exactly_once: "Never twice, even if an answer gets lost.",
  reconciled: "If an answer gets lost, Crier looks for the post before it sends it again.",
  at_most_once: "If an answer gets lost, Crier never sends the post again by itself.",
};

interface ChannelDetailsProps {
  channel: Channel;
  rule: Rule | undefined;
  onClose(): void;
}

export function ChannelDetails({ channel, rule, onClose }: ChannelDetailsProps) {
  const { platform, connected_by: connectedBy, created_at, token_expires_at: ends } = channel;
  const ending = rule === undefined ? null : findVersionEnd(rule.api, Date.now());
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
        {rule !== undefined && (
          <>
            <dt>Guarantee</dt>
            <dd>{GUARANTEES[rule.delivery_guarantee]}</dd>
          </>
        )}
        {channel.missing_permissions.map(({ permission }) => (
          <div key={permission} className="figure">
            <dt>Not allowed</dt>
            <dd>{explainMissingPermission(permission)} Reconnect and allow it.</dd>
          </div>
        ))}
      </dl>
      {ending !== null && (
        <p className="note">
          {networkName(platform)} {ending.hasEnded ? "ended" : "ends"} the version that Crier uses on {ending.end}. Tell
          the person who runs your Crier.
        </p>
      )}
      <AccessNeeds platform={platform} />
    </Dialog>
  );
}
