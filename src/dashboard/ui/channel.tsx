// Networks and accounts as people know them: the network's mark, the account's picture, and both names.
import { useState } from "react";
import { networkName } from "../../domain/network-name.ts";
import { MARKS } from "../../identity/files.ts";
import { useChannels } from "../reads.ts";
import type { Channel } from "../types.ts";

/** A network's mark in its own colour. It is decoration: the name is next to it. */
export function Mark({ platform }: { platform: string }) {
  return (
    <span className="mark" aria-hidden="true" data-network={platform}>
      <svg aria-hidden="true">
        <use href={`${MARKS.address}#${platform}`} />
      </svg>
    </span>
  );
}

declare module "react" {
  interface CSSProperties {
    "--hue"?: number;
  }
}

/** Steps of a color wheel; twelve can be told apart. */
const HUES = 12;
/** A step of the color wheel for a name; equal names get the same one. */
export function computeHue(name: string): number {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + letter.charCodeAt(0)) % 997;
  return (sum % HUES) * (360 / HUES);
}

/** The first letters of the first two words, or the first two letters of a single word. */
function getInitials(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? ["?"];
  const [first = "?", second] = words;
  const letters = [...first];
  return (second === undefined ? letters.slice(0, 2).join("") : `${letters[0]}${[...second][0]}`).toUpperCase();
}

/** The page's policy shows pictures of our own origin only. */
const isOwn = (url: string) =>
  URL.canParse(url, location.origin) && new URL(url, location.origin).origin === location.origin;

interface AvatarProps {
  /** The name whose initials replace a missing picture. */
  name: string;
  url?: string | null;
  /** 24, 36 or 40 pixels. */
  size?: "small" | "medium" | "large";
  shape?: "round" | "square";
  /** Shows the network's mark as a badge. */
  platform?: string;
}

/** A person, a workspace (square) or an account: its picture, or its initials. It is decoration: the name is next to it. */
export function Avatar({ name, url = null, size = "medium", shape = "round", platform }: AvatarProps) {
  const [brokenUrl, setBrokenUrl] = useState<string | null>(null);
  const hasPicture = url !== null && url !== brokenUrl && isOwn(url);
  // The badge would cover the initials.
  if (!hasPicture && size === "small" && platform !== undefined) return <Mark platform={platform} />;
  return (
    <span className="avatar" data-size={size} data-shape={shape} aria-hidden="true">
      {hasPicture ? (
        <img src={url} alt="" loading="lazy" onError={() => setBrokenUrl(url)} />
      ) : (
        <span className="initials" style={{ "--hue": computeHue(name) }}>
          {getInitials(name)}
        </span>
      )}
      {platform !== undefined && <Mark platform={platform} />}
    </span>
  );
}

/** The part of a channel that identifies its account to a person. */
export type Account = Pick<Channel, "platform" | "handle"> & Partial<Pick<Channel, "name" | "avatar_url">>;

/** An account's name as people write it: "X @northwind". */
export const channelName = ({ platform, handle }: Pick<Channel, "platform" | "handle">): string =>
  `${networkName(platform)} ${handle}`;

/** An account's picture with the mark of its network. A small one without a picture is the mark alone. */
export const ChannelAvatar = ({ channel, size }: { channel: Account; size?: AvatarProps["size"] }) => (
  <Avatar
    name={channel.name ?? channel.handle}
    url={channel.avatar_url ?? null}
    size={size}
    platform={channel.platform}
  />
);

/** An account's picture, its network and its handle in two lines. */
export function ChannelLine({ channel, size, note }: { channel: Account; size?: AvatarProps["size"]; note?: string }) {
  return (
    <span className="channel-line">
      <ChannelAvatar channel={channel} size={size} />
      <span className="who">
        <span>{networkName(channel.platform)}</span> <small>{note ?? channel.handle}</small>
      </span>
    </span>
  );
}

const SHOWN = 5;

/** Accounts in one line, of which at most `shown` are shown. Screen readers get all names. */
export function ChannelAvatars({ of, shown = SHOWN }: { of: { channel: string; platform: string }[]; shown?: number }) {
  const known = useChannels().data ?? [];
  const accounts = of.map(({ channel, platform }) => ({
    id: channel,
    account: known.find(({ id }) => id === channel) ?? { platform, handle: "" },
  }));
  if (accounts.length === 0) return null;
  const hidden = accounts.length - shown;
  return (
    <span className="avatars" data-size="small">
      {accounts.slice(0, hidden === 1 ? shown + 1 : shown).map(({ id, account }) => (
        <ChannelAvatar
          key={id}
          channel={account.handle === "" ? { ...account, handle: networkName(account.platform) } : account}
          size="small"
        />
      ))}
      {hidden > 1 && <small aria-hidden="true">+{hidden}</small>}
      <span className="visually-hidden">
        on {accounts.map(({ account }) => channelName(account).trim()).join(", ")}
      </span>
    </span>
  );
}
