// The editor: the accounts at the top, the text on one side, the preview on the other, and the bar that finishes the post.
import { useCallback, useDeferredValue, useMemo, useState } from "react";
import { describeError } from "../api.ts";
import { useSession } from "../session.tsx";
import type { Channel, Post, Rule } from "../types.ts";
import { Segments } from "../ui/choices.tsx";
import { useIsOnline } from "../ui/offline.tsx";
import { count } from "../words/counts.ts";
import { Accounts } from "./accounts.tsx";
import { Actions } from "./actions.tsx";
import { Alerts } from "./alerts.tsx";
import { ChannelPanel } from "./channel-panel.tsx";
import { Conflict } from "./conflict.tsx";
import { CropDialog } from "./crop-dialog.tsx";
import { Details } from "./details.tsx";
import { buildPostBody, type Draft, type Ending, hasContent, toDraft, withFile, withOverride } from "./draft.ts";
import { useMedia } from "./files.tsx";
import { useJudgement } from "./judge.ts";
import { ALL, NetworkTabs } from "./network-tabs.tsx";
import { PreviewZone } from "./preview-zone.tsx";
import { findRoom } from "./rooms.ts";
import { Solving } from "./solving.ts";
import { useUploads } from "./uploads.ts";
import { useEditing } from "./use-editing.ts";
import { useSolving } from "./use-solving.ts";
import { locateViolation, readViolations, type Violation } from "./violations.ts";
import { Writing } from "./writing.tsx";
import "./editor.css";

interface EditorProps {
  channels: Channel[];
  platforms: Rule[];
  /** The edited post. */
  kept: Post | undefined;
  start: Draft;
  /** The key of the draft in browser storage. */
  place: string;
}

/** The channels that have a text, files, thread or options of their own. */
const findCustomized = ({ overrides }: Draft): ReadonlySet<string> =>
  new Set(Object.entries(overrides).flatMap(([id, own]) => (Object.keys(own).length === 0 ? [] : [id])));

export function Editor({ channels, platforms, ...subject }: EditorProps) {
  const { kept } = subject;
  const { whyNot, queued } = useSession();
  const editing = useEditing(subject);
  const { draft, setDraft, change, changed, refusal, sending } = editing;
  const uploads = useUploads((id, place) => setDraft((now) => withFile(now, place, id)));
  const [tab, setTab] = useState(ALL);
  const [view, setView] = useState<"write" | "preview">("write");
  const [cropped, setCropped] = useState<{ file: string; ratio: number | null } | null>(null);
  const chosen = useMemo(
    () => draft.channels.flatMap((id) => channels.find((channel) => channel.id === id) ?? []),
    [draft.channels, channels],
  );
  const active = chosen.find(({ id }) => id === tab) ?? null;
  const findRule = useCallback((platform: string) => platforms.find((rule) => rule.platform === platform), [platforms]);

  const whyNotDraft = whyNot("draft");
  const isJudged = whyNotDraft === null && chosen.length > 0 && hasContent(draft);
  // A person who may not publish is told what their draft violates.
  const ending = queued === null ? "draft" : draft.at === "" ? "now" : "time";
  const { judgement, isCurrent, error } = useJudgement(isJudged ? buildPostBody(draft, ending, kept) : null);
  const refusalViolations = readViolations(refusal);
  const violations: Violation[] = refusalViolations.length > 0 ? refusalViolations : (judgement?.violations ?? []);
  const findViolations = (spot: string) => violations.filter((violation) => locateViolation(violation).at === spot);

  // The counters and the preview may follow a moment after the text, so that typing never waits for them.
  const shownDraft = useDeferredValue(draft);
  const rooms = useMemo(() => {
    const facts = { draft: shownDraft, findRule, judgement: isCurrent && shownDraft === draft ? judgement : null };
    return new Map(chosen.map((channel) => [channel.id, findRoom(channel, facts)]));
  }, [shownDraft, draft, chosen, findRule, judgement, isCurrent]);

  const media = useMedia(draft.media).data ?? [];
  const film = media.find(({ kind }) => kind === "video");
  const video = film?.public_url ?? null;
  const croppedMedia = media.find(({ id }) => id === cropped?.file);
  const solve = useSolving({
    ...{ draft, setDraft },
    openTab: (channel) => {
      setView("write");
      setTab(channel ?? ALL);
    },
    crop: (file, ratio) => setCropped({ file, ratio }),
  });
  const override = (channel: string, name: string, value: Parameters<typeof withOverride>[3]) =>
    setDraft((now) => withOverride(now, channel, name, value));
  const onCrop = (file: string) => setCropped({ file, ratio: null });
  const chooseChannels = useCallback((ids: string[]) => change({ channels: ids }), [change]);
  const { send } = editing;
  const activeRule = active === null ? undefined : findRule(active.platform);
  const isUploading = uploads.uploads.some(({ failed }) => !failed);

  return (
    <Solving value={solve}>
      <div className="composer" data-view={view} data-sending={sending !== null}>
        <div className="composer-top stack tight">
          {editing.isRestored && (
            <p className="note small-alert row" role="status">
              <span>Your draft is back.</span>
              <button type="button" className="link" onClick={editing.beginAnew}>
                Start over
              </button>
            </p>
          )}
          {whyNotDraft !== null && <p className="note small-alert">{whyNotDraft}</p>}
          {changed !== null && (
            <Conflict
              mine={draft}
              theirs={toDraft(changed)}
              channels={channels}
              onMine={() => editing.keepMine(changed)}
              onTheirs={() => editing.takeTheirs(changed)}
            />
          )}
          <Accounts
            channels={channels}
            chosen={draft.channels}
            violations={findViolations("channels")}
            onChange={chooseChannels}
          />
          <div className="view-switch">
            <Segments
              label="View"
              options={[
                { value: "write", name: "Write" },
                { value: "preview", name: "Preview" },
              ]}
              value={view}
              onChange={setView}
            />
          </div>
        </div>
        <div className="composer-body">
          {/* Text typed while the post is being sent would be lost. */}
          <div className="writing card" inert={sending !== null}>
            <NetworkTabs
              channels={chosen}
              rooms={rooms}
              customized={findCustomized(draft)}
              selected={active?.id ?? ALL}
              onSelect={setTab}
            >
              {active !== null && activeRule !== undefined ? (
                <ChannelPanel
                  key={active.id}
                  channel={active}
                  rule={activeRule}
                  draft={draft}
                  measured={rooms.get(active.id) ?? null}
                  uploads={uploads}
                  violations={violations}
                  video={video}
                  onChange={(name, value) => override(active.id, name, value)}
                  onCrop={onCrop}
                />
              ) : (
                <>
                  <Writing
                    {...{ draft, findRule, rooms, uploads, violations, video, onCrop }}
                    channels={chosen}
                    deliveries={isJudged ? (judgement?.deliveries ?? []) : []}
                    whyNotFiles={whyNot("add_media")}
                    onChange={change}
                    onOverride={override}
                  />
                  <Details
                    draft={draft}
                    types={[...new Set(chosen.flatMap(({ platform }) => findRule(platform)?.post_types ?? []))]}
                    kept={kept}
                    channels={channels}
                    violations={violations}
                    onChange={change}
                  />
                </>
              )}
            </NetworkTabs>
          </div>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable with the keyboard. */}
          <section className="preview-zone" aria-label="Preview" tabIndex={0}>
            <PreviewZone
              {...{ active, judgement, findRule }}
              channels={chosen}
              draft={shownDraft}
              isCurrent={isCurrent && shownDraft === draft}
              edited={kept?.id}
              violations={isJudged || refusalViolations.length > 0 ? violations : []}
            />
          </section>
        </div>
        <Actions
          at={draft.at}
          publishAt={isCurrent && isJudged ? (judgement?.publishAt ?? null) : null}
          isTimeInvalid={findViolations("when").length > 0}
          channels={draft.channels}
          sending={sending}
          whyWait={isUploading ? "Files are still uploading." : null}
          onTime={(at) => change({ at })}
          onSend={(ending: Ending) => void send(ending)}
        >
          <Readiness
            {...{ isJudged, isCurrent, error }}
            chosen={chosen.length}
            problems={violations.length}
            onShow={() => setView("preview")}
          />
          <Alerts
            violations={[
              ...findViolations("when"),
              ...findViolations("elsewhere"),
              ...findViolations("own").filter(({ channel }) => channel === undefined),
            ]}
            channels={channels}
          />
          {refusal !== null && refusalViolations.length === 0 && (
            <p className="alert small-alert" role="alert">
              {describeError(refusal)}
            </p>
          )}
        </Actions>
        {cropped !== null && croppedMedia !== undefined && (
          <CropDialog
            media={croppedMedia}
            ratio={cropped.ratio}
            onCrop={(file) => uploads.add([file], { of: "instead", key: croppedMedia.id }, croppedMedia.alt)}
            onClose={() => setCropped(null)}
          />
        )}
      </div>
    </Solving>
  );
}

interface ReadinessProps {
  isJudged: boolean;
  isCurrent: boolean;
  error: unknown;
  chosen: number;
  problems: number;
  onShow(): void;
}

/** How far the post is ready, in a few words. */
function Readiness({ isJudged, isCurrent, error, chosen, problems, onShow }: ReadinessProps) {
  const isOnline = useIsOnline();
  const state = () => {
    if (!isJudged) return chosen === 0 ? "Choose a channel to start." : "Write something, or add a photo or video.";
    if (error !== null) return describeError(error);
    if (!isCurrent) return isOnline ? "Checking" : "Not checked: you're offline.";
    return problems > 0 ? `${count(problems, "thing")} to fix` : `Ready for ${count(chosen, "channel")}`;
  };
  const isReady = isJudged && isCurrent && error === null;
  return (
    <p className="readiness" data-state={!isReady ? "open" : problems > 0 ? "broken" : "ready"}>
      <span role="status">{state()}</span>
      {isReady && problems > 0 && (
        <button type="button" className="link show-problems" onClick={onShow}>
          Show
        </button>
      )}
    </p>
  );
}
