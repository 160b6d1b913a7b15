// Posts by time, on the workspace's clock. Dragging moves a post; "Move to ..." does the same without dragging.
import "../calendar/calendar.css";
import "../calendar/calendar-views.css";
import { useDeferredValue, useEffect, useEffectEvent, useState } from "react";
import { Link, useLocation } from "wouter";
import { Board } from "../calendar/board.tsx";
import { ColorChoice, useColoring } from "../calendar/coloring.tsx";
import {
  dayAfter,
  isDate,
  isSameMonth,
  listMonthDays,
  listWeekDays,
  listWeeks,
  monthName,
  wallClock,
} from "../calendar/days.ts";
import { DayDialog } from "../calendar/dialogs.tsx";
import { DropRefusal } from "../calendar/drop-refusal.tsx";
import { NONE } from "../calendar/entries.ts";
import { useFreeSlots } from "../calendar/free-slots.tsx";
import { listShownEntries } from "../calendar/month.tsx";
import { useMoves } from "../calendar/moves.ts";
import { PostPanel } from "../calendar/post-panel.tsx";
import { isWhole, STATUSES, useCalendarPosts } from "../calendar/read.ts";
import { SelectionContext, useSelection } from "../calendar/selection.ts";
import { Thumbnails } from "../calendar/thumbnails.tsx";
import { isView, Toolbar, type View } from "../calendar/toolbar.tsx";
import { BulkBar } from "../posts/bulk-bar.tsx";
import { useSession } from "../session.tsx";
import { Button } from "../ui/button.tsx";
import { ChannelPill, LabelPill, StatusPill } from "../ui/filter-pill.tsx";
import { useFilters } from "../ui/filters.tsx";
import { State, useClock } from "../ui/marks.tsx";
import { Page } from "../ui/page.tsx";
import { Empty, Loading, Trouble } from "../ui/states.tsx";

const PHONE = "(width < 48rem)";
const MINUTE_MS = 60_000;
const IN_ADDRESS = ["channel", "status", "label", "view", "date"] as const;

/** The local time of a zone, to the minute: `2026-12-01T09:30`. */
function useNow(timeZone: string): string {
  const [instant, setInstant] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setInstant(Date.now()), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  return wallClock(timeZone)(instant).slice(0, 16);
}

export function Calendar() {
  const { workspace } = useSession();
  const clock = useClock();
  const [, go] = useLocation();
  const now = useNow(workspace.timezone);
  const today = now.slice(0, 10);
  const address = useFilters(IN_ADDRESS);
  const { view: requestedView, date: day = today, ...filter } = address.filter;
  const [usual] = useState<View>(() => (matchMedia(PHONE).matches ? "agenda" : "month"));
  const view = isView(requestedView) ? requestedView : usual;
  const date = isDate(day) ? day : today;

  // Always reads all weeks of the month, so that switching views needs no further read.
  const weeks = listWeeks(date);
  const [from = date, last = date] = [weeks[0]?.[0], weeks.at(-1)?.at(-1)];
  const posts = useCalendarPosts({ from, to: dayAfter(last, 1) }, filter);
  const isRead = isWhole(posts);
  const { days, entries, refusal, forget, move } = useMoves(posts.data);
  // Free slots are irrelevant when posts are filtered by status or label.
  const free = useFreeSlots(filter.channel, filter.status === undefined && filter.label === undefined);
  // Slow rendering is deferred, so that the page stays responsive.
  const drawn = {
    view: useDeferredValue(view),
    date: useDeferredValue(date),
    days: useDeferredValue(days),
    free: useDeferredValue(free),
  };
  // The first days appear with their posts, so that nothing moves when these arrive.
  const [hasDrawn, setHasDrawn] = useState(false);
  if (!hasDrawn && posts.data !== undefined && drawn.days === days) setHasDrawn(true);
  const isOffline = posts.isPending && posts.fetchStatus !== "fetching";
  const isWaiting = !hasDrawn && !posts.isError && !isOffline;

  const [openPost, setOpenPost] = useState<string | null>(null);
  const [openDay, setOpenDay] = useState<string | null>(null);
  const post = openPost === null ? undefined : entries.get(openPost);
  const dayEntries = openDay === null ? NONE : (days.get(openDay) ?? NONE);

  const [coloring, setColoring] = useColoring();
  const { selection, ids } = useSelection();
  const [isSelecting, setSelecting] = useState(false);
  const selectedPosts = [...new Set([...ids].flatMap((id) => entries.get(id)?.post ?? []))];
  const clearSelection = () => {
    selection.set(NO_IDS);
    setSelecting(false);
  };
  useEscape(ids.size > 0 || isSelecting, clearSelection);
  const visibleDays = {
    day: () => [date],
    month: () => weeks.flat(),
    week: () => listWeekDays(date),
    agenda: () => listMonthDays(date),
  }[view]();
  const visibleEntries = visibleDays.flatMap((visibleDay) => days.get(visibleDay) ?? NONE);
  const failedCount = visibleEntries.filter((entry) => entry.failed).length;
  const chips = view === "month" ? listShownEntries(visibleDays, days) : visibleEntries;

  return (
    <SelectionContext value={selection}>
      <Page
        title="Calendar"
        lead={
          <>
            {clock.zone} time
            {failedCount > 0 && (
              <>
                {" "}
                · <Link href="/activity">{failedCount === 1 ? "1 post failed" : `${failedCount} posts failed`}</Link>
              </>
            )}
          </>
        }
        actions={
          <>
            <Button
              aria-pressed={isSelecting}
              title="Select several posts. Ctrl or Shift and a click do the same."
              onClick={() => (isSelecting ? clearSelection() : setSelecting(true))}
            >
              Select
            </Button>
            <Link href="/compose" className="button primary">
              Compose
            </Link>
          </>
        }
      >
        {posts.isError && <Trouble error={posts.error} again={() => void posts.refetch()} />}
        <div className="card calendar" data-coloring={coloring}>
          <Toolbar
            view={view}
            date={date}
            isReading={!posts.isError && !isRead}
            show={(next) => address.set("view", next === usual ? "" : next)}
            today={today}
            goTo={(next) => address.set("date", next === null || isToday(next, view, today) ? "" : next)}
          >
            <search className="filter-pills">
              <ChannelPill value={filter.channel} onChange={(value) => address.set("channel", value)} />
              <StatusPill
                statuses={STATUSES}
                value={filter.status}
                onChange={(value) => address.set("status", value)}
              />
              <LabelPill value={filter.label} onChange={(value) => address.set("label", value)} />
            </search>
          </Toolbar>
          {isWaiting ? (
            <Loading what="Your posts" className="board-wait" />
          ) : (
            <Thumbnails posts={chips.map((entry) => entry.post)}>
              <Board
                {...drawn}
                now={now}
                entries={entries}
                covered={post !== undefined || openDay !== null}
                isSelecting={isSelecting}
                selection={selection}
                onOpen={({ id }) => setOpenPost(id)}
                onMore={setOpenDay}
                onFree={(localTime) => go(`/compose?at=${localTime}`)}
                onMove={move}
              />
            </Thumbnails>
          )}
          {view === "agenda" && visibleEntries.length === 0 && isRead && (
            <Empty title={`No posts in ${monthName(date)}`} />
          )}
        </div>
        {post !== undefined && <PostPanel key={post.id} entry={post} onClose={() => setOpenPost(null)} />}
        {openDay !== null && (
          <Thumbnails posts={dayEntries.map((entry) => entry.post)}>
            <DayDialog
              key={openDay}
              day={openDay}
              entries={dayEntries}
              isSelecting={isSelecting}
              onOpen={isSelecting ? selection.toggle : setOpenPost}
              onClose={() => setOpenDay(null)}
            />
          </Thumbnails>
        )}
        {selectedPosts.length > 0 && (
          <BulkBar
            posts={selectedPosts}
            onClear={clearSelection}
            onFailures={(failures) => selection.set(new Set(failures.map(({ id }) => id)))}
          />
        )}
        {refusal !== null && <DropRefusal {...refusal} onClose={forget} />}
        <div className="row apart legend">
          <ul className="row" aria-label="States">
            {STATUSES.map((status) => (
              <li key={status}>
                <State of={status} />
              </li>
            ))}
          </ul>
          <div className="pills">
            <ColorChoice value={coloring} onChange={setColoring} />
          </div>
        </div>
      </Page>
    </SelectionContext>
  );
}

const NO_IDS: ReadonlySet<string> = new Set();

/** Calls `act` on Escape while `isOn`, unless the key closes a dialog or a menu. */
function useEscape(isOn: boolean, act: () => void): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.key === "Escape" && document.querySelector("dialog[open], :popover-open") === null) act();
  });
  useEffect(() => {
    if (!isOn) return;
    const pressed = (event: KeyboardEvent) => press(event);
    window.addEventListener("keydown", pressed);
    return () => window.removeEventListener("keydown", pressed);
  }, [isOn]);
}

/** Whether today is in the displayed month or week; if so, today is the selected day. */
const isToday = (date: string, view: View, today: string) =>
  view === "day" ? date === today : view === "week" ? listWeekDays(date).includes(today) : isSameMonth(date, today);
