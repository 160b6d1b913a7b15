// A post as its network will show it: its exact text, its files in order, its card, and its thread parts. It is shown also
// while something is wrong; the service's answer replaces what is assumed here.
import { memo } from "react";
import { networkName } from "../../domain/network-name.ts";
import { findLongText } from "../../domain/posts/outgoing-text.ts";
import { getPoll, type Poll } from "../../domain/posts/poll.ts";
import type { Channel, DryRun, Media, Rule } from "../types.ts";
import { ChannelAvatar, Mark } from "../ui/channel.tsx";
import { Icon } from "../ui/icons.tsx";
import { ShownPoll } from "../ui/poll.tsx";
import { type Card, findCard, findTitle, splitStretches } from "../ui/shown.ts";
import { count, formatNumber } from "../words/counts.ts";
import { namePostType } from "../words/post-types.ts";
import type { Draft, Override } from "./draft.ts";
import { useMedia } from "./files.tsx";
import { findLook, type Look, listActions, showsFilesFirst } from "./looks.ts";
import { PreviewFiles } from "./preview-files.tsx";
import { tagDraftText } from "./tagged-draft.ts";
import "./preview.css";
import "./looks.css";

type Answered = DryRun["deliveries"][number];

interface PreviewProps {
  channel: Channel;
  rule: Rule | undefined;
  draft: Draft;
  /** The service's last answer; undefined: it has not said anything yet, or something is wrong. */
  delivery: Answered | undefined;
  /** Whether the answer is about this very draft. */
  isCurrent: boolean;
  /** The files, where they are known already. */
  files?: Media[];
  /** The id of a stored post. */
  post?: string;
  /** When it is or was published; "now" without it. */
  when?: string;
}

interface ShownPart {
  text: string;
  files: string[];
}

/** The parts as the service answered them; otherwise as they are written. */
function listParts(
  draft: Draft,
  own: Override,
  delivery: Answered | undefined,
  { rule, hasText, tag }: { rule: Rule | undefined; hasText: boolean; tag: (text: string) => string },
): ShownPart[] {
  const further = (own.thread ?? draft.thread).map(({ text = "", media = [] }) => ({ text: tag(text), files: media }));
  const ownText = findLongText(rule?.long_text, own) ?? own.text ?? draft.text;
  const written = [{ text: hasText ? tag(ownText) : "", files: own.media ?? draft.media }, ...further];
  if (delivery === undefined) return written;
  return (delivery.parts ?? [delivery]).map((part, i) => ({
    text: part.text,
    files: (written[i]?.files ?? []).slice(0, part.media),
  }));
}

export const Preview = memo(function Preview(props: PreviewProps) {
  const { channel, rule, draft, delivery, isCurrent } = props;
  const { platform } = channel;
  const own: Override = draft.overrides[channel.id] ?? {};
  const type = delivery?.post_type ?? draft.postType ?? rule?.post_types[0] ?? "feed";
  const hasText = rule?.per_type[type]?.text_limit !== 0;
  const tag = (text: string) => tagDraftText(text, draft, { channel: channel.id, platform, post: props.post ?? null });
  const parts = listParts(draft, own, isCurrent ? delivery : undefined, { rule, hasText, tag });
  const read = useMedia(props.files === undefined ? parts.flatMap(({ files }) => files) : []);
  const media = props.files ?? read.data ?? [];
  const look = findLook(platform, type);
  const [first] = parts;
  const poll = getPoll({ poll: draft.poll, overrides: draft.overrides }, channel.id);
  const card = findCard(platform, first?.text ?? "", first?.files.length ?? 0, own);
  const cost = delivery?.estimated_cost_usd ?? null;
  const isEmpty = poll === null && parts.every(({ text, files }) => text === "" && files.length === 0);
  return (
    <>
      <div className="look" data-look={look} data-network={platform} data-thread={parts.length > 1}>
        {isEmpty && <EmptyLook channel={channel} when={props.when} />}
        {!isEmpty &&
          parts.map((part, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a thread part is identified by its position.
            <div key={i} className="look-part" data-part={i}>
              <PartContent
                {...{ channel, rule, look, type, part, media }}
                when={props.when}
                title={i === 0 ? findTitle(own) : null}
                card={i === 0 ? card : null}
                poll={i === 0 && rule?.poll !== undefined ? poll : null}
              />
            </div>
          ))}
        {typeof own.first_comment === "string" && (
          <div className="look-comment" data-comment>
            <ChannelAvatar channel={channel} size="small" />
            <div>
              <small className="soft">First comment</small>
              <Text text={own.first_comment} platform={platform} />
            </div>
          </div>
        )}
      </div>
      <p className="soft preview-facts">
        <small>
          {networkName(platform)} {namePostType(type)}
          {parts.length > 1 && ` · ${count(parts.length, "part")}`}
          {first !== undefined && first.files.length > 0 && ` · ${count(first.files.length, "file")}`}
          {cost !== null && ` · costs about $${formatNumber(cost, 3)}`}
        </small>
      </p>
    </>
  );
});

function EmptyLook(props: { channel: Channel; when: string | undefined }) {
  return (
    <div className="look-part">
      <LookHeader {...props} />
      <span className="look-ghost" aria-hidden="true">
        <span />
        <span />
        <span />
      </span>
    </div>
  );
}

const LookHeader = ({ channel, when = "now" }: { channel: Channel; when: string | undefined }) => (
  <header className="look-header">
    <ChannelAvatar channel={channel} size="large" />
    <span className="look-names">
      <b dir="auto">{channel.name ?? channel.handle}</b>{" "}
      <small dir="auto">
        {channel.name === null ? "" : channel.handle}
        <span> · {when}</span>
      </small>
    </span>
    <Mark platform={channel.platform} />
  </header>
);

interface PartContentProps {
  channel: Channel;
  rule: Rule | undefined;
  look: Look;
  type: string;
  part: ShownPart;
  media: Media[];
  when: string | undefined;
  title: string | null;
  card: Card | null;
  poll: Poll | null;
}

function PartContent({ channel, rule, look, type, part, media, when, title, card, poll }: PartContentProps) {
  const text = part.text === "" ? null : <Text text={part.text} platform={channel.platform} />;
  const files =
    part.files.length === 0 ? null : (
      <PreviewFiles ids={part.files} media={media} rule={rule} type={type} look={look} />
    );
  const titleLine =
    title === null ? null : (
      <p className="title" dir="auto">
        {title}
      </p>
    );
  return (
    <>
      <LookHeader channel={channel} when={when} />
      <div className="look-content">
        {showsFilesFirst(look) ? (
          <>
            {files}
            {titleLine}
            {text}
          </>
        ) : (
          <>
            {titleLine}
            {text}
            {files}
          </>
        )}
        {poll !== null && <ShownPoll poll={poll} hasQuestion={!part.text.includes(poll.question)} />}
        {card !== null && <LinkCard card={card} />}
        <LookActions platform={channel.platform} />
      </div>
    </>
  );
}

const LinkCard = ({ card }: { card: Card }) => (
  <div className="link-card">
    <span className="link-picture" aria-hidden="true">
      <Icon name="link" />
    </span>
    <b dir="auto">{card.title ?? "The page's own title and image"}</b>
    {card.description !== null && <span dir="auto">{card.description}</span>}
    <small>{card.url}</small>
  </div>
);

/** What readers can do with the post: decoration. */
function LookActions({ platform }: { platform: string }) {
  const actions = listActions(platform);
  if (actions.length === 0) return null;
  const isNamed = actions.some(({ label }) => label !== undefined);
  return (
    <span className={isNamed ? "look-actions" : "look-icons"} aria-hidden="true" data-count={actions.length}>
      {actions.map(({ icon, label }) => (
        <span key={icon}>
          <Icon name={icon} />
          {label}
        </span>
      ))}
    </span>
  );
}

function Text({ text, platform }: { text: string; platform: string }) {
  return (
    <p className="exact" dir="auto">
      {splitStretches(text, platform).map(({ text, marked }, i) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: a segment is identified by its position.
        marked ? <mark key={i}>{text}</mark> : text,
      )}
    </p>
  );
}
