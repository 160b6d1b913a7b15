// Posts by their times, on the workspace's clock. Dragging moves a post; "Move to ..." does it without dragging.
import FullCalendar from "@fullcalendar/react";
import dayGrid from "@fullcalendar/react/daygrid";
import interaction from "@fullcalendar/react/interaction";
import list from "@fullcalendar/react/list";
import classic from "@fullcalendar/react/themes/classic";
import timeGrid from "@fullcalendar/react/timegrid";
import "@fullcalendar/react/skeleton.css";
import "@fullcalendar/react/themes/classic/theme.css";
import "../styles/calendar.css";
import { useMemo, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { wordsOf } from "../api.ts";
import { MoveTo, useMove } from "../move.tsx";
import { useRead } from "../reads.ts";
import { useSession } from "../session.tsx";
import type { Post } from "../types.ts";
import { ChannelChoice, LabelChoice, StatusChoice, useFilters } from "../ui/filters.tsx";
import { State, useClock } from "../ui/marks.tsx";
import { Page } from "../ui/page.tsx";
import { PostRow } from "../ui/post-row.tsx";
import { Trouble } from "../ui/states.tsx";

const EVERY_MS = 20_000;
const PHONE = "(width < 48rem)";
const STATUSES = ["scheduled", "published", "partially_published", "failed", "cancelled"] as const;
const FILTERS = ["channel", "status", "label"] as const;

export function Calendar() {
  const { workspace, whyNot } = useSession();
  const clock = useClock();
  const [, go] = useLocation();
  const { filter, set } = useFilters(FILTERS);
  const [range, setRange] = useState<{ from: string; to: string } | null>(null);
  const [chosen, setChosen] = useState<Post | null>(null);
  const [refusal, setRefusal] = useState<unknown>(null);
  const dialog = useRef<HTMLDialogElement>(null);
  const posts = useRead(
    ["posts", "calendar", range, filter],
    async (client, signal) => {
      const found: Post[] = [];
      const status = STATUSES.find((name) => name === filter.status);
      for (let cursor: string | undefined; ; ) {
        const page = { from: range?.from, to: range?.to, order: "due" as const, limit: "200", cursor };
        const { body } = await client.call("posts.list", { query: { ...filter, status, ...page }, signal });
        found.push(...body.posts);
        if (body.next === null) return found;
        cursor = body.next;
      }
    },
    { when: range !== null, every: EVERY_MS, keep: true },
  );
  const move = useMove();
  const whyNotMove = whyNot("publish");
  // The calendar draws all of them anew when it is given another list.
  const events = useMemo(() => eventsOf(posts.data ?? [], whyNotMove === null), [posts.data, whyNotMove]);
  const failed = (posts.data ?? []).filter(({ status }) => status === "failed" || status === "partially_published");

  return (
    <Page
      title="Calendar"
      lead={`Times are on the clock of ${clock.zone}${clock.zone === workspace.timezone ? "" : ` (${workspace.timezone})`}.`}
      actions={
        <Link href="/compose" className="button primary">
          Compose
        </Link>
      }
      wide
    >
      <search className="filters">
        <ChannelChoice value={filter.channel} onChange={(value) => set("channel", value)} />
        <StatusChoice statuses={STATUSES} value={filter.status} onChange={(value) => set("status", value)} />
        <LabelChoice value={filter.label} onChange={(value) => set("label", value)} />
      </search>
      {posts.isError && <Trouble error={posts.error} again={() => void posts.refetch()} />}
      {refusal !== null && (
        <div className="alert" role="alert">
          <p>
            {wordsOf(refusal).message} {wordsOf(refusal).hint}
          </p>
          <button type="button" className="link" onClick={() => setRefusal(null)}>
            Close
          </button>
        </div>
      )}
      {failed.length > 0 && (
        <p className="alert">
          {failed.length} {failed.length === 1 ? "post" : "posts"} here did not go out everywhere:{" "}
          <Link href={`/posts/${failed[0]?.id}`}>see the first</Link>
        </p>
      )}
      <div className="card calendar">
        <FullCalendar
          plugins={[dayGrid, timeGrid, list, interaction, classic]}
          initialView={matchMedia(PHONE).matches ? "listMonth" : "dayGridMonth"}
          timeZone={workspace.timezone}
          firstDay={1}
          height="auto"
          nowIndicator
          dayMaxEvents={4}
          allDaySlot={false}
          eventDisplay="block"
          displayEventEnd={false}
          defaultTimedEventDuration="00:30"
          forceEventDuration
          eventTimeFormat={{ hour: "2-digit", minute: "2-digit", hour12: false }}
          slotHeaderFormat={{ hour: "2-digit", minute: "2-digit", hour12: false }}
          headerToolbar={{ start: "prev,today,next", center: "title", end: "dayGridMonth,timeGridWeek,listMonth" }}
          buttons={{
            dayGridMonth: { text: "Month" },
            timeGridWeek: { text: "Week" },
            listMonth: { text: "Agenda" },
            today: { text: "Today" },
          }}
          datesSet={({ start, end }) => setRange({ from: start.toISOString(), to: end.toISOString() })}
          events={events}
          eventClick={({ event, jsEvent }) => {
            jsEvent.preventDefault();
            setChosen(posts.data?.find(({ id }) => id === event.id) ?? null);
            dialog.current?.showModal();
          }}
          dateClick={({ dateStr }) => {
            // A day by itself has no time; a person gives one.
            if (dateStr.includes("T")) go(`/compose?at=${dateStr.slice(0, 16)}`);
          }}
          eventDrop={({ event, revert }) => {
            const post = posts.data?.find(({ id }) => id === event.id);
            if (post === undefined) return revert();
            setRefusal(null);
            move(post, event.startStr.slice(0, 19)).catch((error: unknown) => {
              revert();
              setRefusal(error);
            });
          }}
        />
      </div>
      <dialog
        ref={dialog}
        className="dialog"
        aria-label={chosen === null ? "Post" : titleOf(chosen)}
        onClose={() => setChosen(null)}
      >
        {chosen !== null && (
          <div className="stack">
            <PostRow post={chosen} />
            <MoveTo post={chosen} onMoved={() => dialog.current?.close()} />
            <div className="row end">
              <button type="button" onClick={() => dialog.current?.close()}>
                Close
              </button>
              <Link href={`/posts/${chosen.id}`} className="button primary">
                Open the post
              </Link>
            </div>
          </div>
        )}
      </dialog>
      <p className="row legend">
        {STATUSES.map((status) => (
          <State key={status} of={status} />
        ))}
      </p>
    </Page>
  );
}

const eventsOf = (posts: Post[], mayMove: boolean) =>
  posts.flatMap((post) =>
    post.due_at === null
      ? []
      : [
          {
            id: post.id,
            title: titleOf(post),
            start: post.due_at,
            startEditable: post.status === "scheduled" && mayMove,
            durationEditable: false,
            className: `event ${post.status}`,
          },
        ],
  );

const TITLE_MAX = 60;
const titleOf = ({ text, media, status }: Post) => {
  const words = text.trim().replace(/\s+/g, " ") || `${media.length} files`;
  const mark = status === "failed" || status === "partially_published" ? "! " : "";
  return mark + (words.length > TITLE_MAX ? `${words.slice(0, TITLE_MAX)}…` : words);
};
