// The workspace's accounts: connect them, see their state, reconnect and disconnect them.
import "../channels/channels.css";
import { useEffect, useEffectEvent, useState } from "react";
import { useSearchParams } from "wouter";
import { networkName } from "../../domain/network-name.ts";
import { ChannelRow } from "../channels/channel-row.tsx";
import { ClientLinkDialog } from "../channels/client-link.tsx";
import { ConnectDialog, useConnectLink } from "../channels/connect-dialog.tsx";
import { listWays } from "../channels/connect-ways.tsx";
import { NetworkTiles } from "../channels/network-tiles.tsx";
import { useQueues } from "../channels/queues.ts";
import { useChannels, usePlatforms } from "../reads.ts";
import { useSession } from "../session.tsx";
import type { Channel, Rule } from "../types.ts";
import { channelName } from "../ui/channel.tsx";
import { Page } from "../ui/page.tsx";
import { Empty, Found, Refused, SkeletonRows } from "../ui/states.tsx";

/** With more accounts, the networks to connect are out of sight. */
const MANY = 8;

/** Whether every typed word is in the account's names. */
function isFound({ platform, handle, name }: Channel, typed: string): boolean {
  const names = `${networkName(platform)} ${handle} ${name ?? ""}`.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => names.includes(word));
}

export function Channels() {
  const channels = useChannels();
  const platforms = usePlatforms();
  const queues = useQueues();
  const { whyNot } = useSession();
  const [connecting, setConnecting] = useState<{ rule: Rule; again: Channel | null } | null>(null);
  const [isLinking, setLinking] = useState(false);
  const reason = whyNot("manage_channels");
  const link = useConnectLink();
  // Consent is given on the network; a way, a handle and credentials are chosen and entered in a dialog.
  const connect = (rule: Rule, again: Channel | null) => {
    const [way, ...otherWays] = listWays(rule);
    if (rule.consent?.handle !== false || otherWays.length > 0) return setConnecting({ rule, again });
    const place = { platform: rule.platform, ...(typeof way?.via === "string" && { via: way.via }) };
    link.mutate(place, { onSuccess: ({ url }) => location.assign(url) });
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
  const lost = channels.data?.find(({ id }) => id === query.get("reconnect"));
  const lostRule = reason === null && lost !== undefined ? findRule(lost.platform) : undefined;
  const reconnect = useEffectEvent((rule: Rule, channel: Channel) => connect(rule, channel));
  // The parameter `reconnect` of the address reconnects an account.
  useEffect(() => {
    if (lostRule === undefined || lost === undefined) return;
    setQuery(new URLSearchParams(), { replace: true });
    reconnect(lostRule, lost);
  }, [lostRule, lost, setQuery]);
  const [typed, setTyped] = useState("");
  const isMany = (channels.data?.length ?? 0) > MANY;
  const isEmpty = channels.data?.length === 0;
  const tiles = (
    <NetworkTiles
      why={reason}
      isFirst={isEmpty}
      isLeaving={link.isPending}
      onConnect={(rule) => connect(rule, null)}
      onClientLink={() => setLinking(true)}
    />
  );
  return (
    <Page title="Channels" lead="The accounts that this workspace posts to.">
      <CameBack channels={channels.data ?? []} />
      <Refused error={link.error} />
      {isEmpty ? (
        <>
          {tiles}
          <Empty title="No channels yet" icon="link">
            <p>Your accounts appear here, each with its queue and its state.</p>
          </Empty>
        </>
      ) : (
        <>
          <section className="card" aria-label="Connected accounts">
            {channels.data === undefined && channels.fetchStatus === "fetching" && !channels.isError ? (
              <SkeletonRows what="Your channels" count={10} />
            ) : (
              <Found query={channels} what="Your channels">
                {(channels) => (
                  <>
                    {isMany && (
                      <div className="row apart">
                        <input
                          type="search"
                          className="channel-search"
                          aria-label="Search accounts"
                          placeholder="Search accounts"
                          dir="auto"
                          value={typed}
                          onChange={({ target }) => setTyped(target.value)}
                        />
                        <a href="#connect" className="button">
                          Connect an account
                        </a>
                      </div>
                    )}
                    <ul className="channel-rows">
                      {channels
                        .filter((channel) => isFound(channel, typed))
                        .map((channel) => (
                          <ChannelRow
                            key={channel.id}
                            channel={channel}
                            rule={findRule(channel.platform)}
                            queue={queues.of(channel.id)}
                            why={reason}
                            onReconnect={() => {
                              const rule = findRule(channel.platform);
                              if (rule !== undefined) connect(rule, channel);
                            }}
                          />
                        ))}
                    </ul>
                  </>
                )}
              </Found>
            )}
          </section>
          {/* Nothing moves once the accounts are there. */}
          {!channels.isPending && tiles}
        </>
      )}
      {connecting !== null && (
        <ConnectDialog
          key={`${connecting.rule.platform} ${connecting.again?.id}`}
          {...connecting}
          onClose={() => setConnecting(null)}
        />
      )}
      {isLinking && <ClientLinkDialog onClose={() => setLinking(false)} />}
    </Page>
  );
}

/** The result of connecting, after the network has redirected back. */
function CameBack({ channels }: { channels: Channel[] }) {
  const [query] = useSearchParams();
  const connected = channels.filter(({ id }) => query.getAll("channel").includes(id));
  const platform = query.get("platform");
  if (platform === null) return null;
  const name = networkName(platform);
  return query.get("error") === null ? (
    <p className="note good" role="status">
      {connected.length === 0 ? name : connected.map(channelName).join(", ")} {connected.length > 1 ? "are" : "is"}{" "}
      connected.
    </p>
  ) : (
    <p className="alert" role="alert">
      {name} wasn't connected. Try again and allow access there.
    </p>
  );
}
