// The line above the days: the period, the filters and the view.
import type { ReactNode } from "react";
import { IconButton } from "../ui/button.tsx";
import { Segments } from "../ui/choices.tsx";
import { dayAfter, dayOfYearName, listWeekDays, monthAfter, monthName, rangeName } from "./days.ts";
import { MiniMonth } from "./mini-month.tsx";

const VIEWS = { day: "Day", week: "Week", month: "Month", agenda: "Agenda" };
export type View = keyof typeof VIEWS;
export const isView = (name: string | undefined): name is View => name !== undefined && Object.hasOwn(VIEWS, name);
const OPTIONS = Object.entries(VIEWS).flatMap(([value, name]) => (isView(value) ? [{ value, name }] : []));

interface ToolbarProps {
  view: View;
  date: string;
  today: string;
  isReading: boolean;
  /** The filters. */
  children: ReactNode;
  show(view: View): void;
  /** null: today. */
  goTo(date: string | null): void;
}

export function Toolbar({ view, date, today, isReading, children, show, goTo }: ToolbarProps) {
  const unit = view === "agenda" ? "month" : view;
  const far = (count: number) =>
    unit === "month" ? monthAfter(date, count) : dayAfter(date, unit === "week" ? 7 * count : count);
  return (
    <div className="calendar-bar">
      <div className="row calendar-period">
        <button type="button" onClick={() => goTo(null)}>
          Today
        </button>
        <IconButton name={`Previous ${unit}`} icon="left" onClick={() => goTo(far(-1))} />
        <IconButton name={`Next ${unit}`} icon="right" onClick={() => goTo(far(1))} />
        <h2 aria-live="polite">{formatPeriod(unit, date)}</h2>
        <MiniMonth date={date} today={today} onChoose={goTo} />
        <span className="reading">{isReading && "Loading …"}</span>
      </div>
      <div className="row calendar-choices">
        {children}
        <Segments label="View" options={OPTIONS} value={view} onChange={show} />
      </div>
    </div>
  );
}

function formatPeriod(unit: "day" | "week" | "month", date: string): string {
  if (unit === "month") return monthName(date);
  if (unit === "day") return dayOfYearName(date);
  const week = listWeekDays(date);
  return rangeName(week[0] ?? date, week.at(-1) ?? date);
}
