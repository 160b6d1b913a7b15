// Choices of a few: tabs, segments and switches.
import { type KeyboardEvent, type ReactNode, useId } from "react";

/** Moves the focus among the tabs; the focused tab is selected by a press. */
function moveAmong(event: KeyboardEvent<HTMLElement>): void {
  const tabs = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="tab"]')];
  const current = tabs.findIndex((tab) => tab.matches(":focus"));
  const isRtl = getComputedStyle(event.currentTarget).direction === "rtl";
  const forward = isRtl ? "ArrowLeft" : "ArrowRight";
  const back = isRtl ? "ArrowRight" : "ArrowLeft";
  const steps: Record<string, number> = { [forward]: current + 1, [back]: current - 1, Home: 0, End: -1 };
  const next = steps[event.key];
  if (next === undefined) return;
  event.preventDefault();
  tabs.at(next % tabs.length)?.focus();
}

interface TabsProps<Id extends string> {
  /** What the tabs are about. */
  label: string;
  tabs: readonly { id: NoInfer<Id>; name: ReactNode }[];
  selected: Id;
  /** `isPointed`: with a pointer, so that the focus may move on into the panel. */
  onSelect(id: NoInfer<Id>, isPointed: boolean): void;
  /** The panel of the selected tab. */
  children: ReactNode;
}

export function Tabs<Id extends string>({ label, tabs, selected, onSelect, children }: TabsProps<Id>) {
  const ids = useId();
  return (
    <>
      <div role="tablist" className="tabs" aria-label={label} tabIndex={-1} onKeyDown={moveAmong}>
        {tabs.map(({ id, name }) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`${ids}-${id}`}
            aria-selected={id === selected}
            aria-controls={`${ids}-panel`}
            tabIndex={id === selected ? 0 : -1}
            onClick={({ detail }) => onSelect(id, detail > 0)}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${ids}-panel`} aria-labelledby={`${ids}-${selected}`}>
        {children}
      </div>
    </>
  );
}

interface SegmentsProps<Value extends string> {
  /** What is chosen, for screen readers. */
  label: string;
  options: readonly { value: NoInfer<Value>; name: string }[];
  value: Value;
  onChange(value: NoInfer<Value>): void;
}

/** One of two to five short options, applied at once. */
export const Segments = <Value extends string>({ label, options, value, onChange }: SegmentsProps<Value>) => (
  <fieldset className="segments" aria-label={label}>
    {options.map((option) => (
      <button
        key={option.value}
        type="button"
        aria-pressed={option.value === value}
        onClick={() => onChange(option.value)}
      >
        {option.name}
      </button>
    ))}
  </fieldset>
);

interface SwitchProps {
  label: string;
  note?: string;
  checked: boolean;
  disabled?: boolean;
  onChange(checked: boolean): void;
}

/** A setting that is on or off, applied at once. In a form with a button, use a checkbox. */
export const Switch = ({ label, note, checked, disabled, onChange }: SwitchProps) => (
  <label className="switch">
    <span>
      {label}
      {note !== undefined && <small>{note}</small>}
    </span>
    <input
      type="checkbox"
      role="switch"
      className="switch-box"
      aria-checked={checked}
      checked={checked}
      disabled={disabled}
      onChange={({ target }) => onChange(target.checked)}
    />
  </label>
);
