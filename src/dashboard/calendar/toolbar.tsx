// The buttons that change the period and the view.
import { dayAfter, dayName, listWeekDays, monthAfter, monthName } from "./days.ts";

const VIEWS = { month: "Month", week: "Week", agenda: "Agenda" };
export type View = keyof typeof VIEWS;
export const isView = (name: string | undefined): name is View => name !== undefined && Object.hasOwn(VIEWS, name);

interface ToolbarProps {
  view: View;
  date: string;
  isReading: boolean;
  show(view: View): void;
  /** null: today. */
  goTo(date: string | null): void;
}

export function Toolbar({ view, date, isReading, show, goTo }: ToolbarProps) {
  const unit = view === "week" ? "week" : "month";
  const far = (count: number) => (unit === "week" ? dayAfter(date, 7 * count) : monthAfter(date, count));
  return (
    <div className="calendar-bar">
      <div className="row joined">
        <button type="button" aria-label={`Previous ${unit}`} onClick={() => goTo(far(-1))}>
          ‹
        </button>
        <button type="button" onClick={() => goTo(null)}>
          Today
        </button>
        <button type="button" aria-label={`Next ${unit}`} onClick={() => goTo(far(1))}>
          ›
        </button>
      </div>
      <h2 aria-live="polite">{unit === "week" ? weekName(date) : monthName(date)}</h2>
      <span className="reading">{isReading && "Reading posts …"}</span>
      <fieldset className="row joined">
        <legend className="visually-hidden">View</legend>
        {Object.entries(VIEWS).map(([name, words]) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === view}
            onClick={() => {
              if (isView(name)) show(name);
            }}
          >
            {words}
          </button>
        ))}
      </fieldset>
    </div>
  );
}

/** "Mon 7 Dec to Sun 13 Dec 2026" */
function weekName(date: string): string {
  const week = listWeekDays(date);
  const [first = date, last = date] = [week[0], week.at(-1)];
  return `${dayName(first)} to ${dayName(last)} ${last.slice(0, 4)}`;
}
