// The editor: the post's content on one side, and what each channel would publish on the other.
import { useRef } from "react";
import { Link } from "wouter";
import { describeError } from "../api.ts";
import { useSession } from "../session.tsx";
import type { Channel, Post, Rule } from "../types.ts";
import { useClock } from "../ui/marks.tsx";
import { useIsOnline } from "../ui/offline.tsx";
import { Empty } from "../ui/states.tsx";
import { count } from "../words/counts.ts";
import { describeWarning } from "../words/warnings.ts";
import { Actions } from "./actions.tsx";
import { Alerts } from "./alerts.tsx";
import { ChannelCard } from "./channel-card.tsx";
import { ChannelPicker } from "./channel-picker.tsx";
import { Conflict } from "./conflict.tsx";
import { Details } from "./details.tsx";
import { buildPostBody, type Draft, type Ending, hasContent, toDraft, withFile, withOverride } from "./draft.ts";
import { Files } from "./files.tsx";
import { useJudgement } from "./judge.ts";
import { Thread } from "./thread.tsx";
import { useUploads } from "./uploads.ts";
import { useEditing } from "./use-editing.ts";
import { locateViolation, readViolations, type Violation } from "./violations.ts";

interface EditorProps {
  channels: Channel[];
  platforms: Rule[];
  /** The edited post. */
  kept: Post | undefined;
  start: Draft;
  /** The key of the draft in browser storage. */
  place: string;
}

export function Editor({ channels, platforms, ...subject }: EditorProps) {
  const { kept } = subject;
  const { whyNot, queued } = useSession();
  const isOnline = useIsOnline();
  const clock = useClock();
  const editing = useEditing(subject);
  const { draft, setDraft, change, changed, refusal, sending } = editing;
  const actions = useRef<HTMLDivElement>(null);
  const uploads = useUploads((id, place) => setDraft((now) => withFile(now, place, id)));
  const chosen = channels.filter(({ id }) => draft.channels.includes(id));
  const findRule = (platform: string) => platforms.find((rule) => rule.platform === platform);

  const whyNotDraft = whyNot("draft");
  const whyNotFiles = whyNot("add_media");
  const isJudged = whyNotDraft === null && chosen.length > 0 && hasContent(draft);
  // A person who may not publish is told what their draft violates.
  const ending = queued === null ? "draft" : draft.at === "" ? "now" : "time";
  const { judgement, isCurrent, error } = useJudgement(isJudged ? buildPostBody(draft, ending, kept) : null);

  const refusalViolations = readViolations(refusal);
  const violations: Violation[] = refusalViolations.length > 0 ? refusalViolations : (judgement?.violations ?? []);
  const findViolations = (spot: string) => violations.filter((violation) => locateViolation(violation).at === spot);
  const ofChannel = (id: string) =>
    violations.filter((violation) => {
      const spot = locateViolation(violation);
      return spot.at === "own" ? spot.channel === id : violation.channel === id;
    });

  async function send(ending: Ending) {
    if (!(await editing.send(ending))) actions.current?.scrollIntoView({ block: "nearest" });
  }
  const override = (channel: string, name: string, value: Parameters<typeof withOverride>[3]) =>
    setDraft((now) => withOverride(now, channel, name, value));

  const isUploading = uploads.uploads.some(({ failed }) => !failed);
  const publishAt = isCurrent ? (judgement?.publishAt ?? null) : null;
  const state = !isJudged
    ? chosen.length === 0
      ? "Choose a channel to start."
      : "Write something, or add a photo or video."
    : error !== null
      ? describeError(error)
      : !isCurrent
        ? isOnline
          ? "Checking"
          : "Not checked: you're offline."
        : violations.length > 0
          ? `${count(violations.length, "thing")} to fix`
          : `Ready for ${count(chosen.length, "channel")}`;

  return (
    <div className="composer">
      {editing.isRestored && (
        <p className="note across" role="status">
          <span>Your draft is back.</span>
          <button type="button" className="link" onClick={editing.beginAnew}>
            Start over
          </button>
        </p>
      )}
      {whyNotDraft !== null && <p className="note across">{whyNotDraft}</p>}
      {changed !== null && (
        <Conflict
          mine={draft}
          theirs={toDraft(changed)}
          channels={channels}
          onMine={() => editing.keepMine(changed)}
          onTheirs={() => editing.takeTheirs(changed)}
        />
      )}
      <div className="writing stack">
        {/* Text typed while the post is being sent would be lost. */}
        <div className="stack" inert={sending !== null}>
          <ChannelPicker
            channels={channels}
            chosen={draft.channels}
            violations={findViolations("channels")}
            onChange={(ids) => change({ channels: ids })}
          />
          <div className="card">
            <label className="field" htmlFor="compose-text">
              <h2>Text</h2>
            </label>
            <textarea
              id="compose-text"
              className="text"
              aria-label="Text"
              rows={7}
              placeholder="Write your post"
              value={draft.text}
              aria-invalid={findViolations("text").length > 0}
              onChange={({ target }) => change({ text: target.value })}
              onPaste={({ clipboardData }) => {
                if (clipboardData.files.length > 0) uploads.add(clipboardData.files, { of: "post" });
              }}
            />
            <p className="soft">
              <small role="status">{state}</small>
            </p>
            <Alerts violations={findViolations("text")} channels={channels} />
          </div>
          <Files
            place={{ of: "post" }}
            pointer="/media"
            media={draft.media}
            uploads={uploads}
            violations={violations}
            channels={channels}
            whyNot={whyNotFiles}
            onOrder={(media) => change({ media })}
          />
          <Thread
            draft={draft}
            channels={chosen}
            ruleOf={findRule}
            uploads={uploads}
            violations={violations}
            whyNotFiles={whyNotFiles}
            onChange={(thread) => change({ thread })}
            onOverride={override}
          />
          <Details
            draft={draft}
            types={[...new Set(chosen.flatMap(({ platform }) => findRule(platform)?.post_types ?? []))]}
            kept={kept}
            publishAt={draft.at === "" ? null : publishAt}
            channels={channels}
            violations={violations}
            onChange={change}
          />
        </div>
        <div ref={actions} className="actions-at">
          <Actions
            at={draft.at}
            publishAt={publishAt}
            sending={sending}
            whyWait={isUploading ? "Files are still uploading." : null}
            onSend={(ending) => void send(ending)}
          >
            <Alerts
              violations={[
                ...findViolations("elsewhere"),
                ...findViolations("own").filter(({ channel }) => channel === undefined),
              ]}
              channels={channels}
            />
            {refusal !== null && refusalViolations.length === 0 && (
              <p className="alert" role="alert">
                {describeError(refusal)}
              </p>
            )}
            {judgement?.warnings
              .filter(({ channel, post }) => channel === undefined && (kept === undefined || post !== kept.id))
              .map((warning) => (
                <p key={warning.code} className="note">
                  <span>{describeWarning(warning, { platform: null, clock })}</span>{" "}
                  {warning.post !== undefined && <Link href={`/posts/${warning.post}`}>View post</Link>}
                </p>
              ))}
          </Actions>
        </div>
      </div>
      <section className="previews stack" aria-label="Previews" inert={sending !== null}>
        <h2>On each channel</h2>
        {chosen.length === 0 ? (
          <div className="card">
            <Empty title="Nothing to preview yet">
              <p>Choose a channel to see how your post will look.</p>
            </Empty>
          </div>
        ) : (
          chosen.map((channel) => (
            <ChannelCard
              key={channel.id}
              channel={channel}
              rule={findRule(channel.platform)}
              draft={draft}
              uploads={uploads}
              delivery={judgement?.deliveries.find((delivery) => delivery.channel === channel.id)}
              violations={ofChannel(channel.id)}
              warnings={judgement?.warnings.filter((warning) => warning.channel === channel.id) ?? []}
              onChange={(name, value) => override(channel.id, name, value)}
            />
          ))
        )}
      </section>
    </div>
  );
}
