// Another user has changed the post. Shows both versions and lets the person choose.
import { describePattern, readWeekday } from "../../domain/posts/describe-repeat.ts";
import type { Channel } from "../types.ts";
import type { Draft } from "./draft.ts";

export function Conflict({
  mine,
  theirs,
  channels,
  onMine,
  onTheirs,
}: {
  mine: Draft;
  theirs: Draft;
  channels: Channel[];
  onMine(): void;
  onTheirs(): void;
}) {
  const formatHandles = (ids: string[]) =>
    ids.map((id) => channels.find((channel) => channel.id === id)?.handle ?? "a deleted channel").join(", ");
  const rows = [
    { what: "Text", mine: mine.text, theirs: theirs.text },
    { what: "Thread", mine: joinTexts(mine), theirs: joinTexts(theirs) },
    { what: "When", mine: mine.at.replace("T", ", "), theirs: theirs.at.replace("T", ", ") },
    { what: "Repeat", mine: describeRepeat(mine), theirs: describeRepeat(theirs) },
    { what: "Channels", mine: formatHandles(mine.channels), theirs: formatHandles(theirs.channels) },
    { what: "Media", mine: String(mine.media.length), theirs: String(theirs.media.length) },
    { what: "Links", mine: describeLinks(mine), theirs: describeLinks(theirs) },
    { what: "Labels", mine: mine.labels, theirs: theirs.labels },
  ].filter((row) => row.mine !== row.theirs);
  return (
    <section className="card across" role="alert" aria-label="The post was changed while you were editing">
      <h2>Someone else changed this post</h2>
      <div className="scrolls">
        <table>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Yours</th>
              <th scope="col">Theirs</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.what}>
                <th scope="row">{row.what}</th>
                <td className="exact">{row.mine || "(empty)"}</td>
                <td className="exact">{row.theirs || "(empty)"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length === 0 && <p>Only the versions for single channels differ.</p>}
      <div className="row">
        <button type="button" className="primary" onClick={onMine}>
          Keep mine
        </button>
        <button type="button" onClick={onTheirs}>
          Use theirs
        </button>
      </div>
    </section>
  );
}

const describeRepeat = ({ repeat, at }: Draft) => (repeat === null ? "" : describePattern(repeat, readWeekday(at)));

/** The texts of the thread parts, one below the other. */
const joinTexts = ({ thread }: Draft) => thread.map(({ text }) => text).join("\n\n");

const describeLinks = ({ linkTags }: Draft) => (linkTags === null ? "" : "With campaign parameters");
