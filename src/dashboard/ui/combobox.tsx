// Lists with a search field: `SearchList` stands in a panel of its own, `Combobox` opens the list below its field.
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from "react";

export interface Option {
  value: string;
  name: string;
  /** Shown at the end of the line. */
  note?: string;
  /** Shown before the name, for example an avatar. */
  picture?: ReactNode;
}

/** Whether every typed word begins a word of the name or the note. */
function matches({ name, note = "" }: Option, typed: string): boolean {
  const words = `${name} ${note}`.toLowerCase().split(/[\s/_,-]+/);
  const terms = typed.toLowerCase().split(/[\s/_,-]+/);
  return terms.every((term) => words.some((word) => word.startsWith(term)));
}

/** The keys and roles that a search field and its list share. The focus stays in the field. */
function useOptions(options: Option[], typed: string, onChoose: (option: Option) => void) {
  const list = useId();
  const [position, setPosition] = useState(0);
  const found = typed.trim() === "" ? options : options.filter((option) => matches(option, typed.trim()));
  const active = Math.min(position, found.length - 1);
  const toId = (index: number) => `${list}-${index}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs when another option is active.
  useEffect(() => {
    document.getElementById(toId(active))?.scrollIntoView({ block: "nearest" });
  }, [active]);
  /** Returns whether the key was handled. */
  function press(event: KeyboardEvent): boolean {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const chosen = found[active];
    if (step !== undefined) setPosition((active + step + found.length) % Math.max(1, found.length));
    else if (event.key === "Enter" && chosen !== undefined) onChoose(chosen);
    else return false;
    event.preventDefault();
    return true;
  }
  return { found, active, list, toId, setPosition, press };
}

function List({
  options: { found, active, list, toId, setPosition },
  label,
  selected,
  onChoose,
}: {
  options: ReturnType<typeof useOptions>;
  label: string;
  selected: string | null;
  onChoose(option: Option): void;
}) {
  return (
    <>
      <div role="listbox" id={list} aria-label={label}>
        {found.map((option, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys.
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the option.
          <div
            key={option.value}
            id={toId(i)}
            role="option"
            aria-selected={option.value === selected}
            data-active={i === active ? "" : undefined}
            // Keeps the focus in the field.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => onChoose(option)}
            onPointerMove={() => setPosition(i)}
          >
            {option.picture}
            <span className="one-line">{option.name}</span>
            {option.note !== undefined && <small>{option.note}</small>}
          </div>
        ))}
      </div>
      {found.length === 0 && (
        <p className="nothing-found" role="status">
          No results
        </p>
      )}
    </>
  );
}

interface SearchListProps {
  /** The name of the field and the list. */
  label: string;
  options: Option[];
  selected: string | null;
  onChoose(value: string): void;
}

export function SearchList({ label, options, selected, onChoose }: SearchListProps) {
  const [typed, setTyped] = useState("");
  const choose = ({ value }: Option) => onChoose(value);
  const listed = useOptions(options, typed, choose);
  return (
    <div className="listed stack tight">
      <input
        type="text"
        role="combobox"
        aria-label={label}
        aria-expanded="true"
        aria-autocomplete="list"
        aria-controls={listed.list}
        aria-activedescendant={listed.found.length === 0 ? undefined : listed.toId(listed.active)}
        placeholder="Search"
        autoComplete="off"
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          listed.setPosition(0);
        }}
        onKeyDown={listed.press}
      />
      <List options={listed} label={label} selected={selected} onChoose={choose} />
    </div>
  );
}

interface ComboboxProps extends SearchListProps {
  note?: string;
  /** With a name, a form sends the chosen value. */
  name?: string;
}

/** A field whose value is one of a long list, for example a time zone. */
export function Combobox({ label, options, selected, onChoose, note, name }: ComboboxProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const chosenName = options.find(({ value }) => value === selected)?.name ?? "";
  const choose = ({ value }: Option) => {
    setTyped(null);
    onChoose(value);
  };
  const listed = useOptions(options, typed ?? "", choose);
  const isOpen = typed !== null;
  return (
    <label className="field">
      <span>{label}</span>
      <span className="combobox">
        <input
          type="text"
          role="combobox"
          aria-expanded={isOpen}
          aria-autocomplete="list"
          aria-controls={listed.list}
          aria-activedescendant={isOpen && listed.found.length > 0 ? listed.toId(listed.active) : undefined}
          autoComplete="off"
          value={typed ?? chosenName}
          onChange={({ target }) => {
            setTyped(target.value);
            listed.setPosition(0);
          }}
          onFocus={({ target }) => target.select()}
          onClick={() => setTyped((current) => current ?? "")}
          // What was typed counts where it can only mean one option.
          onBlur={() => {
            const [only, ...others] = typed === null || typed.trim() === "" ? [] : listed.found;
            if (only !== undefined && others.length === 0) choose(only);
            else setTyped(null);
          }}
          onKeyDown={(event) => {
            if (event.key === "Escape" && isOpen) {
              // Closes the list only, not a dialog around it.
              event.preventDefault();
              event.stopPropagation();
              setTyped(null);
            } else if (!isOpen && event.key === "ArrowDown") {
              event.preventDefault();
              setTyped("");
            } else if (isOpen) listed.press(event);
          }}
        />
        {isOpen && <List options={listed} label={label} selected={selected} onChoose={choose} />}
      </span>
      {name !== undefined && <input type="hidden" name={name} value={selected ?? ""} />}
      {note !== undefined && <small>{note}</small>}
    </label>
  );
}
