// A small month in a panel, to jump to a day.
import { useState } from "react";
import { Button, IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";
import { Popover } from "../ui/popover.tsx";
import { isSameMonth, listWeeks, longDayName, monthAfter, monthName, weekdayName } from "./days.ts";

interface MiniMonthProps {
  date: string;
  today: string;
  onChoose(date: string): void;
}

export const MiniMonth = (props: MiniMonthProps) => (
  <Popover label="Jump to a date" button={<Icon name="calendar" />} className="quiet icon-button" align="start">
    {(close) => (
      <Days
        {...props}
        onChoose={(date) => {
          close();
          props.onChoose(date);
        }}
      />
    )}
  </Popover>
);

function Days({ date, today, onChoose }: MiniMonthProps) {
  const [month, setMonth] = useState(date);
  const weeks = listWeeks(month);
  return (
    <div className="mini-month">
      <div className="row apart">
        <IconButton name="Earlier" icon="left" onClick={() => setMonth(monthAfter(month, -1))} />
        <strong aria-live="polite">{monthName(month)}</strong>
        <IconButton name="Later" icon="right" onClick={() => setMonth(monthAfter(month, 1))} />
      </div>
      <div className="mini-days">
        {weeks[0]?.map((day) => (
          <small key={day} aria-hidden="true">
            {weekdayName(day).slice(0, 2)}
          </small>
        ))}
        {weeks.flat().map((day) => (
          <button
            key={day}
            type="button"
            className="quiet"
            aria-label={longDayName(day)}
            aria-current={day === today ? "date" : undefined}
            aria-pressed={day === date}
            data-outside={isSameMonth(day, month) ? undefined : ""}
            onClick={() => onChoose(day)}
          >
            {Number(day.slice(8))}
          </button>
        ))}
      </div>
      <Button variant="quiet" size="small" onClick={() => onChoose(today)}>
        Go to today
      </Button>
    </div>
  );
}
