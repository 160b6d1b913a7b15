// A preview of a post on one network: its exact text, its files in order, its card, and its thread parts.

import { networkName } from "../../domain/network-name.ts";
import type { Channel, DryRun, Media, Rule } from "../types.ts";
import { count, formatNumber } from "../words/counts.ts";
import { namePostType } from "../words/post-types.ts";
import type { Draft, Override } from "./draft.ts";
import { Thumbnail, useMedia } from "./files.tsx";
import { findCard, findTitle, splitStretches } from "./shown.ts";

export function Preview({
  channel,
  rule,
  draft,
  delivery,
}: {
  channel: Channel;
  rule: Rule | undefined;
  draft: Draft;
  delivery: DryRun["deliveries"][number];
}) {
  const { platform } = channel;
  const override: Override = draft.overrides[channel.id] ?? {};
  const files = override.media ?? draft.media;
  const further = override.thread ?? draft.thread;
  const parts = delivery.parts ?? [delivery];
  const ids = [files, ...further.map(({ media }) => media ?? [])];
  const media = useMedia(ids.flat()).data ?? [];
  const title = findTitle(override);
  const card = findCard(platform, delivery.text, delivery.media, override);
  const cost = delivery.estimated_cost_usd;
  return (
    <div className="would-be">
      {parts.map((threadPart, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a thread part is identified by its position.
        <div key={i} className={i === 0 ? "would-be" : "would-be nested"} data-part={i}>
          {i > 0 && (
            <small className="soft numbers">
              Part {i + 1}: {formatNumber(threadPart.text_length)} / {formatNumber(threadPart.text_limit)}
            </small>
          )}
          {i === 0 && title !== null && <p className="title">{title}</p>}
          {threadPart.text !== "" && <Text text={threadPart.text} platform={platform} />}
          {threadPart.media > 0 && (
            <ul className="row thumbs">
              {(ids[i] ?? []).slice(0, threadPart.media).map((id) => (
                <File key={id} media={media.find((file) => file.id === id)} rule={rule} type={delivery.post_type} />
              ))}
            </ul>
          )}
          {i === 0 && card !== null && (
            <div className="link-card">
              <b>{card.title ?? "The page's own title and image"}</b>
              {card.description !== null && <span>{card.description}</span>}
              <small>{card.url}</small>
            </div>
          )}
        </div>
      ))}
      {typeof override.first_comment === "string" && (
        <div className="would-be nested" data-comment>
          <small className="soft">First comment</small>
          <Text text={override.first_comment} platform={platform} />
        </div>
      )}
      <p className="soft">
        <small>
          {networkName(platform)} {namePostType(delivery.post_type)}
          {delivery.media > 0 && ` · ${count(delivery.media, "file")}`}
          {cost !== null && ` · costs about $${formatNumber(cost, 3)}`}
        </small>
      </p>
    </div>
  );
}

function Text({ text, platform }: { text: string; platform: string }) {
  return (
    <p className="exact">
      {splitStretches(text, platform).map(({ text, marked }, i) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: a segment is identified by its position.
        marked ? <mark key={i}>{text}</mark> : text,
      )}
    </p>
  );
}

function File({ media, rule, type }: { media: Media | undefined; rule: Rule | undefined; type: string }) {
  const kind = media?.kind === "video" ? "video" : "image";
  const [, ofType] = Object.entries(rule?.per_type ?? {}).find(([name]) => name === type) ?? [];
  const takesAlt = (ofType?.[kind]?.max_alt ?? rule?.[kind]?.max_alt ?? 0) > 0;
  return (
    <li>
      <figure>
        <Thumbnail media={media} isDescribed={takesAlt} />
        <figcaption className="soft">
          {takesAlt ? (media?.alt ?? "No alt text") : "Alt text isn't shown here"}
        </figcaption>
      </figure>
    </li>
  );
}
