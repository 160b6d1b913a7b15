// The editor: the accounts at the top, the text on one side, the preview on the other, and the bar that finishes the post.
import { useCallback, useMemo, useState } from "react";
import type { Channel, Post, Rule } from "../types.ts";
import { Segments } from "../ui/choices.tsx";
import { Accounts } from "./accounts.tsx";
import { CropDialog } from "./crop-dialog.tsx";
import { type Draft, withFile } from "./draft.ts";
import { useMedia } from "./files.tsx";
import { Finish } from "./finish.tsx";
import { ALL } from "./network-tabs.tsx";
import { Notices } from "./notices.tsx";
import { PreviewZone } from "./preview-zone.tsx";
import { Solving } from "./solving.ts";
import { useUploads } from "./uploads.ts";
import { useChecks } from "./use-checks.ts";
import { useEditing } from "./use-editing.ts";
import { useSolving } from "./use-solving.ts";
import { focusText, SHARED_TEXT, toTextId, useFirstFocus } from "./writing-focus.ts";
import { WritingZone } from "./writing-zone.tsx";
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

const VIEWS = [
  { value: "write", name: "Write" },
  { value: "preview", name: "Preview" },
] as const;

export function Editor({ channels, platforms, ...subject }: EditorProps) {
  const { kept } = subject;
  const editing = useEditing(subject);
  const { draft, setDraft, change, refusal, sending } = editing;
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
  const checks = useChecks({ draft, kept, channels: chosen, findRule, refusal });
  const { isJudged, isCurrent, judgement, violations, shownDraft } = checks;

  useFirstFocus();
  const media = useMedia(draft.media).data ?? [];
  const croppedMedia = media.find(({ id }) => id === cropped?.file);
  const solve = useSolving({
    ...{ draft, setDraft },
    openTab: (channel) => {
      setView("write");
      setTab(channel ?? ALL);
    },
    crop: (file, ratio) => setCropped({ file, ratio }),
  });
  const chooseChannels = useCallback((ids: string[]) => change({ channels: ids }), [change]);

  return (
    <Solving value={solve}>
      <div className="composer" data-view={view} data-sending={sending !== null}>
        <div className="composer-top stack tight">
          <Notices editing={editing} channels={channels} />
          <Accounts
            channels={channels}
            chosen={draft.channels}
            violations={checks.findViolations("channels")}
            onChange={chooseChannels}
          />
          <div className="view-switch">
            <Segments label="View" options={VIEWS} value={view} onChange={setView} />
          </div>
        </div>
        <div className="composer-body">
          {/* Text typed while the post is being sent would be lost. */}
          <div className="writing card" inert={sending !== null}>
            <WritingZone
              {...{ channels, chosen, active, kept, editing, checks, uploads, findRule }}
              video={media.find(({ kind }) => kind === "video")?.public_url ?? null}
              onSelect={(selected, isPointed) => {
                setTab(selected);
                if (isPointed) focusText(selected === ALL ? SHARED_TEXT : toTextId(selected));
              }}
              onCrop={(file) => setCropped({ file, ratio: null })}
            />
          </div>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable with the keyboard. */}
          <section className="preview-zone" aria-label="Preview" tabIndex={0}>
            <PreviewZone
              {...{ active, judgement, findRule }}
              channels={chosen}
              draft={shownDraft}
              isCurrent={isCurrent && shownDraft === draft}
              edited={kept?.id}
              violations={isJudged || checks.isRefusalExplained ? violations : []}
            />
          </section>
        </div>
        <Finish
          {...{ channels, editing, checks }}
          chosen={chosen.length}
          isUploading={uploads.uploads.some(({ failed }) => !failed)}
          onShowProblems={() => setView("preview")}
        />
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
