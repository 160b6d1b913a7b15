// Writing a post: judged while it is typed, kept in the browser until it is sent.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useId, useState } from "react";
import { useLocation } from "wouter";
import { Refusal } from "../../client/errors.ts";
import { wordsOf } from "../api.ts";
import { useSession } from "../session.tsx";
import type { Channel, Post, Rule } from "../types.ts";
import { Able, useClock } from "../ui/marks.tsx";
import { Empty } from "../ui/states.tsx";
import { useSay } from "../ui/toasts.tsx";
import { Alerts } from "./alerts.tsx";
import { ChannelCard } from "./channel-card.tsx";
import { ChannelPicker } from "./channel-picker.tsx";
import { Conflict } from "./conflict.tsx";
import { bodyOf, type Draft, draftOf, type Ending, hasContent, type PostType, withOverride } from "./draft.ts";
import { Files, useMedia, useUploads } from "./files.tsx";
import { useJudgement } from "./judge.ts";
import { forget, type Kept, keep, placeOf, readKept } from "./kept.ts";
import { spotOf, type Violation, violationsOf } from "./violations.ts";

interface EditorProps {
  channels: Channel[];
  platforms: Rule[];
  /** The post that is edited. */
  kept: Post | undefined;
  start: Draft;
  /** What it is, among those that are being written. */
  what: string;
}

export function Editor({ channels, platforms, kept, start, what }: EditorProps) {
  const { client, workspace, whyNot, queued } = useSession();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const say = useSay();
  const clock = useClock();
  const ids = useId();
  const place = placeOf(workspace.id, what);
  const [restored, setRestored] = useState(() => readKept(place));
  const [draft, setDraft] = useState(restored?.draft ?? start);
  const [rev, setRev] = useState(restored?.rev ?? kept?.rev);
  const [tried, setTried] = useState<Kept["tried"]>(restored?.tried);
  const [sending, setSending] = useState<Ending | null>(null);
  const [refused, setRefused] = useState<{ draft: Draft; error: unknown } | null>(null);
  const [changed, setChanged] = useState<Post | null>(null);
  const isTouched = JSON.stringify(draft) !== JSON.stringify(start);

  useEffect(() => {
    if (isTouched) keep(place, { draft, rev, tried });
    else forget(place);
  }, [place, draft, rev, tried, isTouched]);

  const change = (how: Partial<Draft>) => setDraft((now) => ({ ...now, ...how }));
  const uploads = useUploads((id) => setDraft((now) => ({ ...now, media: [...now.media, id] })));
  const media = useMedia(draft.media).data ?? [];
  const chosen = channels.filter(({ id }) => draft.channels.includes(id));

  const whyNotPublish = whyNot("publish");
  const whyNotDraft = whyNot("draft");
  const asks = queued === "awaiting_approval";
  const mayPublish = queued !== null;
  const isJudged = whyNotDraft === null && chosen.length > 0 && hasContent(draft);
  // Who may not publish is told what their draft breaks.
  const wish = bodyOf(draft, mayPublish ? (draft.at === "" ? "now" : "time") : "draft", kept);
  const { judgement, isCurrent, error } = useJudgement(isJudged ? wish : null);

  // What was refused when it was sent stands until something is changed.
  const sent = refused !== null && refused.draft === draft ? violationsOf(refused.error) : [];
  const violations: Violation[] = sent.length > 0 ? sent : (judgement?.violations ?? []);
  const at = (spot: string) => violations.filter((one) => spotOf(one).at === spot);
  const ofChannel = (id: string) =>
    violations.filter((one) => {
      const spot = spotOf(one);
      return spot.at === "own" ? spot.channel === id : one.channel === id;
    });
  const shared = (list: Violation[]) => list.filter(({ channel }) => channel === undefined);

  async function send(ending: Ending) {
    const body = bodyOf(draft, ending, kept);
    const text = JSON.stringify(body);
    setSending(ending);
    setRefused(null);
    try {
      let post: Post;
      if (kept === undefined) {
        const key = tried?.body === text ? tried.key : crypto.randomUUID();
        setTried({ key, body: text });
        // Kept before it is sent: a page that is closed now finds the same post again.
        keep(place, { draft, rev, tried: { key, body: text } });
        const answer = await client.call("posts.create", { body, idempotencyKey: key });
        if ("dry_run" in answer.body) throw new Error("the service took the post for a dry run");
        post = answer.body;
      } else {
        const { post_type, ...patch } = body;
        const type = kept.post_type === null && post_type !== null && post_type !== undefined ? { post_type } : {};
        const input = { params: { id: kept.id }, body: { ...patch, ...type } };
        post = (await client.call("posts.update", rev === undefined ? input : { ...input, rev })).body;
      }
      forget(place);
      await queries.invalidateQueries({ queryKey: [workspace.id, "posts"] });
      const said =
        post.status === "draft"
          ? "Draft saved"
          : post.status === "awaiting_approval"
            ? "It waits for approval"
            : ending === "now"
              ? "Accepted: it is going out"
              : null;
      say(said ?? `Scheduled for ${clock.full(post.publish_at ?? post.created_at)} ${clock.zone} time`);
      go(`/posts/${post.id}`);
    } catch (error) {
      setSending(null);
      if (error instanceof Refusal && error.code === "post_changed" && isCurrentPost(error.body)) {
        setChanged(error.body.current);
      } else {
        setRefused({ draft, error });
        document.getElementById(`${ids}-actions`)?.scrollIntoView({ block: "nearest" });
      }
    }
  }

  const types = [...new Set(chosen.flatMap(({ platform }) => ruleOf(platforms, platform)?.post_types ?? []))];
  const isUploading = uploads.uploads.some(({ failed }) => !failed);
  const whyWait = isUploading ? "Files are still on their way." : null;
  const isBroken = violations.length > 0;
  const publishAt = isCurrent ? (judgement?.publishAt ?? null) : null;
  const scheduleFor =
    draft.at === ""
      ? "Schedule"
      : `${asks ? "Ask for approval" : "Schedule"} for ${publishAt === null ? spoken(draft.at) : clock.full(publishAt)} ${clock.zone}`;
  const busy = sending !== null;

  return (
    <div className="composer">
      {restored !== null && (
        <p className="note across" role="status">
          <span>What you had typed here is back.</span>
          <button
            type="button"
            className="link"
            onClick={() => {
              setDraft(start);
              setRev(kept?.rev);
              setTried(undefined);
              setRestored(null);
            }}
          >
            Begin anew
          </button>
        </p>
      )}
      {whyNotDraft !== null && <p className="note across">{whyNotDraft}</p>}
      {changed !== null && (
        <Conflict
          mine={draft}
          theirs={draftOf(changed)}
          channels={channels}
          onMine={() => {
            setRev(changed.rev);
            setChanged(null);
            say("Yours stays. Save it again to replace theirs.");
          }}
          onTheirs={() => {
            setDraft(draftOf(changed));
            setRev(changed.rev);
            setChanged(null);
            say("Theirs is loaded.");
          }}
        />
      )}
      <div className="writing stack">
        <ChannelPicker
          channels={channels}
          chosen={draft.channels}
          violations={at("channels")}
          onChange={(ids) => change({ channels: ids })}
        />
        <div className="card">
          <label className="field" htmlFor={`${ids}-text`}>
            <h2>Text</h2>
          </label>
          <textarea
            id={`${ids}-text`}
            className="text"
            aria-label="Text"
            rows={7}
            placeholder="What do you want to say?"
            value={draft.text}
            aria-invalid={at("text").length > 0}
            onChange={({ target }) => change({ text: target.value })}
            onPaste={({ clipboardData }) => {
              if (clipboardData.files.length > 0) uploads.add(clipboardData.files);
            }}
          />
          <p className="row apart soft">
            <small role="status">
              {!isJudged
                ? chosen.length === 0
                  ? "Choose a channel, and it is checked while you type."
                  : "Write something or add a file."
                : error !== null
                  ? wordsOf(error).message
                  : !isCurrent
                    ? "Checking"
                    : isBroken
                      ? `${violations.length} ${violations.length === 1 ? "thing" : "things"} to mend`
                      : `Fits ${chosen.length} of ${chosen.length} channels`}
            </small>
          </p>
          <Alerts violations={at("text")} channels={channels} />
        </div>
        <Files
          media={draft.media}
          uploads={uploads}
          violations={violations}
          whyNot={whyNot("add_media")}
          onOrder={(media) => change({ media })}
        />
        <div className="card">
          <h2>Details</h2>
          <div className="pair">
            <div className="field">
              <label htmlFor={`${ids}-when`}>When</label>
              <input
                id={`${ids}-when`}
                type="datetime-local"
                value={draft.at}
                aria-describedby={`${ids}-zone`}
                onChange={({ target }) => change({ at: target.value })}
              />
              <small id={`${ids}-zone`}>
                {draft.at === "" ? "Empty: now. " : ""}
                {workspace.timezone} time{publishAt !== null && draft.at !== "" && `: ${judgement?.publishAtLocal}`}
              </small>
            </div>
            {types.length > 1 && (
              <label className="field">
                <span>Post type</span>
                <select
                  value={draft.postType ?? ""}
                  disabled={kept !== undefined && kept.post_type !== null}
                  onChange={({ target }) => change({ postType: types.find((type) => type === target.value) ?? null })}
                >
                  <option value="">As fits each network</option>
                  {types.map((type: PostType) => (
                    <option key={type} value={type}>
                      {type}
                    </option>
                  ))}
                </select>
              </label>
            )}
            <label className="field">
              <span>Labels</span>
              <input
                value={draft.labels}
                placeholder="Separated by commas"
                onChange={({ target }) => change({ labels: target.value })}
              />
            </label>
          </div>
          <Alerts violations={at("when")} />
          <Alerts violations={at("type")} channels={channels} />
          <Alerts violations={at("labels")} />
        </div>
        <div className="card actions" id={`${ids}-actions`}>
          <Alerts violations={[...at("elsewhere"), ...shared(at("own"))]} channels={channels} />
          {refused !== null && sent.length === 0 && refused.draft === draft && (
            <p className="alert" role="alert">
              {wordsOf(refused.error).message} {wordsOf(refused.error).hint}
            </p>
          )}
          {judgement?.warnings
            .filter(({ channel }) => channel === undefined)
            .map(({ code, message }) => (
              <p key={code} className="note">
                {message}
              </p>
            ))}
          <div className="row">
            <Able why={mayPublish ? whyWait : whyNotPublish}>
              {(disabled) =>
                draft.at === "" ? (
                  <button
                    type="button"
                    className="primary"
                    disabled={disabled || busy}
                    onClick={() => void send("now")}
                  >
                    {sending === "now" ? "Sending" : asks ? "Ask for approval" : "Post now"}
                  </button>
                ) : (
                  <button
                    type="button"
                    className="primary"
                    disabled={disabled || busy}
                    onClick={() => void send("time")}
                  >
                    {scheduleFor}
                  </button>
                )
              }
            </Able>
            {draft.at === "" ? (
              <button
                type="button"
                disabled={!mayPublish}
                onClick={() => document.getElementById(`${ids}-when`)?.focus()}
              >
                Schedule
              </button>
            ) : (
              mayPublish &&
              !asks && (
                <button type="button" disabled={busy || whyWait !== null} onClick={() => void send("now")}>
                  Post now
                </button>
              )
            )}
            {draft.at === "" && mayPublish && (
              <button type="button" disabled={busy || whyWait !== null} onClick={() => void send("slot")}>
                Next free slot
              </button>
            )}
            <button
              type="button"
              className="quiet"
              disabled={busy || whyNotDraft !== null || whyWait !== null}
              onClick={() => void send("draft")}
            >
              Save draft
            </button>
          </div>
        </div>
      </div>
      <section className="previews stack" aria-label="What each channel publishes">
        <h2>On each channel</h2>
        {chosen.length === 0 ? (
          <div className="card">
            <Empty title="Nothing chosen yet">
              <p>What each channel would publish shows here, word for word.</p>
            </Empty>
          </div>
        ) : (
          chosen.map((channel) => (
            <ChannelCard
              key={channel.id}
              channel={channel}
              rule={ruleOf(platforms, channel.platform)}
              own={draft.overrides[channel.id] ?? {}}
              text={draft.text}
              media={media}
              delivery={judgement?.deliveries.find((one) => one.channel === channel.id)}
              violations={ofChannel(channel.id)}
              warnings={judgement?.warnings.filter((one) => one.channel === channel.id) ?? []}
              onChange={(name, value) => setDraft((now) => withOverride(now, channel.id, name, value))}
            />
          ))
        )}
      </section>
    </div>
  );
}

const ruleOf = (platforms: Rule[], platform: string) => platforms.find((rule) => rule.platform === platform);

const isCurrentPost = (body: object): body is { current: Post } =>
  "current" in body && typeof body.current === "object";

/** `2026-11-24T09:30` before the service has said which instant that is. */
const spoken = (at: string) => at.replace("T", ", ");
