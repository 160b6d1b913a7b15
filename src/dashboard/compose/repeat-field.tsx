// How the post repeats: a button in the bar that says it, and the panel in which it is chosen.
import type { ReactNode } from "react";
import { describePattern, readWeekday, WEEKDAYS } from "../../domain/posts/describe-repeat.ts";
import { INTERVAL_MAX, REPEAT_TIMES_MAX, REPEAT_UNITS, VARIATIONS_MAX } from "../../domain/posts/repeat.ts";
import { wallClock } from "../calendar/days.ts";
import { useSession } from "../session.tsx";
import { Icon } from "../ui/icons.tsx";
import { Popover } from "../ui/popover.tsx";
import { Alerts } from "./alerts.tsx";
import type { Repeat } from "./draft.ts";
import type { Violation } from "./violations.ts";
import "./repeat-field.css";

const WEEKLY: Repeat = { every: "week", interval: 1, weekdays: null, until: null, times: null, variations: [] };
const ENDS = ["never", "until", "times"] as const;
type End = (typeof ENDS)[number];

interface RepeatFieldProps {
  repeat: Repeat | null;
  /** The post's time as typed, or empty. Its weekday is that of a weekly repeat. */
  at: string;
  violations: Violation[];
  onChange(repeat: Repeat | null): void;
}

export function RepeatField({ repeat, at, violations, onChange }: RepeatFieldProps) {
  const words = repeat === null ? "Repeat" : describePattern(repeat, readWeekday(at));
  return (
    <Popover
      label={repeat === null ? "Repeat" : `Repeats ${words}`}
      className="quiet repeat-button"
      align="end"
      button={
        <>
          <Icon name="repeat" />
          <span className="repeat-words" data-on={repeat !== null}>
            {words.charAt(0).toUpperCase() + words.slice(1)}
          </span>
        </>
      }
    >
      {(close) => (
        <div className="repeat-panel">
          {repeat === null ? (
            <Presets onChoose={onChange} />
          ) : (
            <>
              <Pattern {...{ repeat, at, onChange }} />
              <Ending {...{ repeat, onChange }} />
              <Variations {...{ repeat, onChange }} />
              <Alerts violations={violations} />
              <div className="row end">
                <button
                  type="button"
                  className="quiet"
                  onClick={() => {
                    onChange(null);
                    close();
                  }}
                >
                  Don't repeat
                </button>
                <button type="button" onClick={close}>
                  Done
                </button>
              </div>
            </>
          )}
        </div>
      )}
    </Popover>
  );
}

const PRESETS: readonly { name: string; repeat: Repeat }[] = [
  { name: "Every day", repeat: { ...WEEKLY, every: "day" } },
  { name: "Every weekday", repeat: { ...WEEKLY, weekdays: [1, 2, 3, 4, 5] } },
  { name: "Every week", repeat: WEEKLY },
  { name: "Every month", repeat: { ...WEEKLY, every: "month" } },
];

const Presets = ({ onChoose }: { onChoose(repeat: Repeat): void }) => (
  <fieldset className="repeat-presets">
    <legend>Post this again</legend>
    {PRESETS.map(({ name, repeat }) => (
      <button key={name} type="button" className="quiet" onClick={() => onChoose(repeat)}>
        {name}
      </button>
    ))}
  </fieldset>
);

interface PartProps {
  repeat: Repeat;
  onChange(repeat: Repeat): void;
}

function Pattern({ repeat, at, onChange }: PartProps & { at: string }) {
  const { every, interval } = repeat;
  const chosen = repeat.weekdays ?? [readWeekday(at)].filter((day) => day !== null);
  return (
    <>
      <div className="repeat-every">
        <label className="field">
          <span>Every</span>
          <input
            type="number"
            min={1}
            max={INTERVAL_MAX[every]}
            value={interval}
            onChange={({ target }) => onChange({ ...repeat, interval: Math.max(1, Math.trunc(Number(target.value))) })}
          />
        </label>
        <label className="field">
          <span className="visually-hidden">Unit</span>
          <select
            value={every}
            onChange={({ target }) => {
              const unit = REPEAT_UNITS.find((name) => name === target.value) ?? "week";
              const weekdays = unit === "week" ? repeat.weekdays : null;
              onChange({ ...repeat, every: unit, weekdays, interval: Math.min(interval, INTERVAL_MAX[unit]) });
            }}
          >
            {REPEAT_UNITS.map((unit) => (
              <option key={unit} value={unit}>
                {interval === 1 ? unit : `${unit}s`}
              </option>
            ))}
          </select>
        </label>
      </div>
      {every === "week" && (
        <fieldset className="repeat-days">
          <legend>On</legend>
          {WEEKDAYS.map((name, i) => {
            const day = i + 1;
            const isChosen = chosen.includes(day);
            const next = isChosen ? chosen.filter((other) => other !== day) : [...chosen, day].sort((a, b) => a - b);
            return (
              <button
                key={name}
                type="button"
                aria-label={name}
                aria-pressed={isChosen}
                onClick={() => onChange({ ...repeat, weekdays: next.length === 0 ? null : next })}
              >
                {name.slice(0, 2)}
              </button>
            );
          })}
        </fieldset>
      )}
    </>
  );
}

const FIRST_TIMES = 10;
const MONTH_MS = 30 * 86_400_000;

function Ending({ repeat, onChange }: PartProps) {
  const { workspace } = useSession();
  const clock = wallClock(workspace.timezone);
  const { until, times } = repeat;
  const end: End = until !== null ? "until" : times !== null ? "times" : "never";
  // A date as typed, or the instant in which the service stores it.
  const date = until === null ? "" : until.length > 10 ? clock(Date.parse(until)).slice(0, 10) : until;
  const choose = (chosen: End) =>
    onChange({
      ...repeat,
      until: chosen === "until" ? (until ?? clock(Date.now() + 3 * MONTH_MS).slice(0, 10)) : null,
      times: chosen === "times" ? (times ?? FIRST_TIMES) : null,
    });
  return (
    <div className="repeat-every">
      <label className="field">
        <span>Ends</span>
        <select value={end} onChange={({ target }) => choose(ENDS.find((name) => name === target.value) ?? "never")}>
          <option value="never">Never</option>
          <option value="until">On a date</option>
          <option value="times">After some posts</option>
        </select>
      </label>
      {end === "until" && (
        <label className="field">
          <span>Last day</span>
          <input
            type="date"
            value={date}
            required
            onChange={({ target }) => target.value !== "" && onChange({ ...repeat, until: target.value })}
          />
        </label>
      )}
      {end === "times" && (
        <label className="field">
          <span>Posts in all</span>
          <input
            type="number"
            min={1}
            max={REPEAT_TIMES_MAX}
            value={times ?? FIRST_TIMES}
            onChange={({ target }) => onChange({ ...repeat, times: Math.max(1, Math.trunc(Number(target.value))) })}
          />
        </label>
      )}
    </div>
  );
}

function Variations({ repeat, onChange }: PartProps): ReactNode {
  const { variations } = repeat;
  const change = (next: string[]) => onChange({ ...repeat, variations: next });
  return (
    <div className="stack tight">
      {variations.map((text, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a text is identified by its position.
        <div key={i} className="repeat-text">
          <label className="field">
            <span>{i === 0 ? "Text of the next post" : `Text ${i + 2}`}</span>
            <textarea
              rows={2}
              dir="auto"
              value={text}
              onChange={({ target }) => change(variations.map((other, place) => (place === i ? target.value : other)))}
            />
          </label>
          <button
            type="button"
            className="quiet icon-button"
            aria-label={`Remove text ${i + 2}`}
            onClick={() => change(variations.toSpliced(i, 1))}
          >
            <Icon name="cross" />
          </button>
        </div>
      ))}
      {variations.length < VARIATIONS_MAX && (
        <button type="button" className="quiet small" onClick={() => change([...variations, ""])}>
          <Icon name="plus" />
          {variations.length === 0 ? "Take turns with other texts" : "Add text"}
        </button>
      )}
    </div>
  );
}
