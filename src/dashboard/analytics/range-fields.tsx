// The first and the last date of a range. A date counts once it makes a range that can be read.
import { useState } from "react";
import { RANGE_DAYS_MAX } from "../../domain/limits.ts";
import { dayAfter } from "../calendar/days.ts";
import { Field } from "../ui/field.tsx";

interface RangeFieldsProps {
  from: string;
  to: string;
  today: string;
  onChange(range: { from: string; to: string }): void;
}

export function RangeFields({ from, to, today, onChange }: RangeFieldsProps) {
  const [typed, setTyped] = useState({ from, to });
  const isReadable = typed.from !== "" && typed.to !== "";
  const fault = !isReadable
    ? null
    : typed.from > typed.to
      ? "The first day is after the last."
      : typed.to > today
        ? "The last day is in the future."
        : typed.from < dayAfter(typed.to, 1 - RANGE_DAYS_MAX)
          ? "A range has at most a year."
          : null;
  const change = (next: { from: string; to: string }) => {
    setTyped(next);
    const isShort = next.from >= dayAfter(next.to === "" ? today : next.to, 1 - RANGE_DAYS_MAX);
    if (next.from !== "" && next.to !== "" && next.from <= next.to && next.to <= today && isShort) onChange(next);
  };
  return (
    <div className="range-fields">
      <Field
        label="From"
        type="date"
        value={typed.from}
        max={today}
        aria-invalid={fault === null ? undefined : true}
        onChange={({ target }) => change({ ...typed, from: target.value })}
      />
      <Field
        label="To"
        type="date"
        value={typed.to}
        max={today}
        aria-invalid={fault === null ? undefined : true}
        onChange={({ target }) => change({ ...typed, to: target.value })}
      />
      {fault !== null && (
        <p className="alert" role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}
