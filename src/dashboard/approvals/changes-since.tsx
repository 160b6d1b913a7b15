// The previous decision, and the changes to the post since then, word by word.
import type { ReactNode } from "react";
import { networkName } from "../../domain/network-name.ts";
import type { Channel, Media } from "../types.ts";
import { Mark } from "../ui/channel.tsx";
import { useClock } from "../ui/marks.tsx";
import { Thumbnail } from "../ui/thumbnail.tsx";
import { labelOption } from "../words/options/index.ts";
import { namePostType } from "../words/post-types.ts";
import { nameState } from "../words/states.ts";
import { type Decision, findChanges, isUnchanged, type PartChange } from "./changes.ts";
import type { ListChange, Piece } from "./diff.ts";

type Content = Omit<Parameters<typeof findChanges>[1], "alts">;

export function ChangesSince({
  decision,
  post,
  channels,
  media,
}: {
  decision: Decision;
  post: Content;
  channels: Channel[];
  media: Media[];
}) {
  const clock = useClock();
  const alts = Object.fromEntries(media.map(({ id, alt }) => [id, alt]));
  const changes = findChanges(decision, { ...post, alts });
  const nameOfChannel = (id: string) => {
    const channel = channels.find((candidate) => candidate.id === id);
    return channel === undefined ? "a deleted channel" : `${networkName(channel.platform)} ${channel.handle}`;
  };
  const formatTime = (timestamp: string | null) =>
    timestamp === null ? "as soon as it's approved" : clock.full(timestamp);
  const { post: postChange, listed, time, type } = changes;
  return (
    <section className="stack tight nested" aria-label="Changes since">
      <p>
        {nameState(decision.state)} by {decision.by}
        {decision.reason === null ? "." : <>: “{decision.reason}”</>}{" "}
        {isUnchanged(changes) ? "Nothing has changed since." : "Changed since:"}
      </p>
      {time !== null && <Replaced name="Time" before={formatTime(time.before)} after={formatTime(time.after)} />}
      {type !== null && (
        <Replaced
          name="Type"
          before={namePostType(type.before ?? "Automatic")}
          after={namePostType(type.after ?? "Automatic")}
        />
      )}
      {listed !== null && <Listed name="Channels" change={listed} show={nameOfChannel} />}
      <Part change={postChange} platform="" media={media} />
      {changes.alts.map(({ id, text }) => (
        <div key={id}>
          <small className="soft">Alt text</small>
          <div className="row">
            <Thumbnail media={media.find((candidate) => candidate.id === id)} />
            <p className="exact">
              <Pieces pieces={text} />
            </p>
          </div>
        </div>
      ))}
      {changes.channels.map(({ id, change }) => (
        <section key={id} className="stack tight nested" aria-label={`Changed for ${nameOfChannel(id)}`}>
          <span className="row">
            <Mark platform={channels.find((candidate) => candidate.id === id)?.platform ?? "?"} />
            <span>{nameOfChannel(id)}</span>
          </span>
          <Part
            change={change}
            platform={channels.find((candidate) => candidate.id === id)?.platform ?? ""}
            media={media}
          />
        </section>
      ))}
    </section>
  );
}

function Part({ change, platform, media }: { change: PartChange; platform: string; media: Media[] }) {
  return (
    <>
      <Content name="Text" change={change} media={media} />
      {change.parts.map(({ position, ...partChange }) => (
        <Content key={position} name={`Part ${position + 1}`} change={partChange} media={media} />
      ))}
      {change.options.map(({ name, before, after }) => (
        <Replaced key={name} name={labelOption(platform, name)} before={before ?? "none"} after={after ?? "none"} />
      ))}
    </>
  );
}

function Content({
  name,
  change,
  media,
}: {
  name: string;
  change: Pick<PartChange, "text" | "files">;
  media: Media[];
}) {
  return (
    <>
      {change.text !== null && (
        <div>
          <small className="soft">{name}</small>
          <p className="exact">
            <Pieces pieces={change.text} />
          </p>
        </div>
      )}
      {change.files !== null && <Files change={change.files} media={media} />}
    </>
  );
}

function Files({ change: { added, removed, moved }, media }: { change: ListChange; media: Media[] }) {
  const file = (id: string, words: string) => {
    const mediaItem = media.find((candidate) => candidate.id === id);
    return (
      <li key={id}>
        <Thumbnail media={mediaItem} isDescribed />
        <small>
          {words}: {mediaItem?.alt ?? "No alt text"}
        </small>
      </li>
    );
  };
  return (
    <div>
      <small className="soft">Media</small>
      {added.length + removed.length > 0 && (
        <ul className="row thumbs">
          {removed.map((id) => file(id, "Removed"))}
          {added.map((id) => file(id, "Added"))}
        </ul>
      )}
      {moved && <p>The order has changed.</p>}
    </div>
  );
}

const Replaced = ({ name, before, after }: { name: string; before: string; after: string }) => (
  <Line name={name}>
    <Pieces
      pieces={[
        { is: "removed", text: before },
        { is: "same", text: " " },
        { is: "added", text: after },
      ]}
    />
  </Line>
);

function Listed({ name, change, show }: { name: string; change: ListChange; show(id: string): string }) {
  const pieces = [
    ...change.removed.map((id): Piece => ({ is: "removed", text: show(id) })),
    ...change.added.map((id): Piece => ({ is: "added", text: show(id) })),
  ];
  return (
    <Line name={name}>
      <Pieces
        pieces={pieces.flatMap((piece, i): Piece[] => (i === 0 ? [piece] : [{ is: "same", text: " " }, piece]))}
      />
    </Line>
  );
}

const Line = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <small className="soft">{name}</small>
    <p>{children}</p>
  </div>
);

/** Each change is also written in words, because a screen reader does not announce deleted text. */
function Pieces({ pieces }: { pieces: Piece[] }) {
  return pieces.map(({ is, text }, i) => {
    if (is === "same") return text;
    const Tag = is === "removed" ? "del" : "ins";
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: a piece is identified by its position.
      <Tag key={i}>
        <span className="visually-hidden"> [{is}: </span>
        {text}
        <span className="visually-hidden">] </span>
      </Tag>
    );
  });
}
