// The workspace's accounts: connect them, see their state, reconnect and disconnect them.
import { useEffect, useRef, useState } from "react";
import { useSearchParams } from "wouter";
import { findVersionEnd } from "../../domain/api-version.ts";
import { networkName } from "../../domain/network-name.ts";
import { useAct, useChannels, usePlatforms } from "../reads.ts";
import { useSession } from "../session.tsx";
import type { Channel, Rule } from "../types.ts";
import { ChannelAvatar } from "../ui/channel.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Able, Instant, plain, State } from "../ui/marks.tsx";
import { Page } from "../ui/page.tsx";
import { Empty, Found, Refused } from "../ui/states.tsx";
import { useSay } from "../ui/toasts.tsx";
import { AccessNeeds } from "./access-needs.tsx";
import { ConnectDialog, useConnectLink } from "./connect.tsx";
import { ConnectCard } from "./connect-card.tsx";

export function Channels() {
  const channels = useChannels();
  const platforms = usePlatforms();
  const { whyNot } = useSession();
  const [connecting, setConnecting] = useState<{ rule: Rule; again: Channel | null } | null>(null);
  const reason = whyNot("manage_channels");
  const link = useConnectLink();
  // Consent is given on the network; credentials are entered in a dialog.
  const connect = (rule: Rule, again: Channel | null) => {
    if (rule.auth === "oauth") link.mutate(rule.platform, { onSuccess: ({ url }) => location.assign(url) });
    else setConnecting({ rule, again });
  };
  const findRule = (platform: string) => platforms.data?.platforms.find((rule) => rule.platform === platform);
  const [query, setQuery] = useSearchParams();
  const requestedRule = reason === null ? findRule(query.get("connect") ?? "") : undefined;
  // The parameter `connect` of the address opens the dialog for a network.
  useEffect(() => {
    if (requestedRule === undefined) return;
    setConnecting({ rule: requestedRule, again: null });
    setQuery(new URLSearchParams(), { replace: true });
  }, [requestedRule, setQuery]);
  return (
    <Page title="Channels" lead="The accounts that this workspace posts to.">
      <CameBack />
      <Refused error={link.error} />
      <section className="card" aria-label="Connected accounts">
        <Found query={channels} what="Your channels">
          {(channels) =>
            channels.length === 0 ? (
              <Empty title="No channel yet">
                <p>Choose a network below.</p>
              </Empty>
            ) : (
              <ul className="rows">
                {channels.map((channel) => (
                  <li key={channel.id}>
                    <ChannelRow
                      channel={channel}
                      rule={findRule(channel.platform)}
                      why={reason}
                      onAgain={() => {
                        const rule = findRule(channel.platform);
                        if (rule !== undefined) connect(rule, channel);
                      }}
                    />
                  </li>
                ))}
              </ul>
            )
          }
        </Found>
      </section>
      <ConnectCard
        why={reason}
        isLeaving={link.isPending}
        onConnect={(rule) => connect(rule, null)}
        onMore={(rule) => setConnecting({ rule, again: null })}
      />
      {connecting !== null && (
        <ConnectDialog
          key={`${connecting.rule.platform} ${connecting.again?.id}`}
          {...connecting}
          onClose={() => setConnecting(null)}
        />
      )}
    </Page>
  );
}

/** A version of the network's API that ends soon, or has ended. */
function VersionEnd({ rule: { api } }: { rule: Rule }) {
  const ending = findVersionEnd(api, Date.now());
  if (ending === null) return null;
  return (
    <small className="soft">
      API version {api.version} {ending.hasEnded ? "ended" : "ends"} on {ending.end}. Tell the operator of your
      deployment.
    </small>
  );
}

/** The result of connecting, after the network has redirected back. */
function CameBack() {
  const [query] = useSearchParams();
  const platform = query.get("platform");
  const error = query.get("error");
  if (platform === null) return null;
  return error === null ? (
    <p className="note good" role="status">
      Connected to {networkName(platform)}.
    </p>
  ) : (
    <p className="alert" role="alert">
      Nothing was connected to {networkName(platform)}: {plain(error)}. Try again and give consent on the network.
    </p>
  );
}

function ChannelRow({
  channel,
  rule,
  why,
  onAgain,
}: {
  channel: Channel;
  rule: Rule | undefined;
  why: string | null;
  onAgain(): void;
}) {
  const say = useSay();
  const asking = useRef<HTMLDialogElement>(null);
  const disconnect = useAct(
    async (client, _: null) => client.call("channels.disconnect", { params: { id: channel.id } }),
    ["channels"],
  );
  const {
    platform,
    handle,
    name,
    state,
    token_expires_at: ends,
    waits_until: waits,
    created_at,
    connected_by: connectedBy,
  } = channel;
  return (
    <div className="row apart">
      <span className="row">
        <ChannelAvatar channel={channel} size="large" />
        <span className="who">
          <span>{networkName(platform)}</span>
          <small>
            {handle}
            {name !== null && name !== handle && ` · ${name}`}
          </small>
          {channel.missing_permissions.map(({ permission, lost }) => (
            <small key={permission} className="soft">
              Not granted: {permission}. {lost}
            </small>
          ))}
          <small>
            {rule !== undefined && `${plain(rule.delivery_guarantee)} · `}since <Instant at={created_at} />
            {connectedBy !== null && ` · connected by ${connectedBy}`}
          </small>
          {rule !== undefined && <VersionEnd rule={rule} />}
          {rule !== undefined && <AccessNeeds rule={rule} />}
        </span>
        <State of={state} />
        {waits !== null && (
          <small className="soft">
            {networkName(platform)} is rate limiting this account until <Instant at={waits} />
          </small>
        )}
        {ends !== null && (
          <small className="soft">
            access expires <Instant at={ends} />
          </small>
        )}
      </span>
      <Able why={why}>
        {(disabled) => (
          <span className="row">
            <button type="button" disabled={disabled} onClick={onAgain}>
              Reconnect
              <span className="visually-hidden">
                {" "}
                {networkName(platform)} {handle}
              </span>
            </button>
            <button
              type="button"
              className="danger"
              disabled={disabled || !channel.connected}
              onClick={() => asking.current?.showModal()}
            >
              Disconnect
              <span className="visually-hidden">
                {" "}
                {networkName(platform)} {handle}
              </span>
            </button>
          </span>
        )}
      </Able>
      <Confirm
        dialog={asking}
        question={`Disconnect ${networkName(platform)} ${handle}?`}
        yes="Disconnect"
        act={disconnect}
        onDone={() => say(`${networkName(platform)} ${handle} is disconnected`)}
      >
        Its credential is erased. Posts that are queued for it fail at their time, unless the same account is connected
        again before then.
      </Confirm>
    </div>
  );
}
