// A button that opens a menu. The list of actions is a native popover: it lies above the page, closes on Escape and on a press
// elsewhere, and returns the focus to its button.
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Link } from "wouter";
import { Icon, type IconName } from "./icons.tsx";

interface Action {
  name: string;
  icon?: IconName;
  /** An action that destroys or ends something. */
  isDanger?: boolean;
  /** Makes the entry one of a choice, and marks the chosen one. */
  isChecked?: boolean;
  /** Why it cannot be used now; null or absent: it can. */
  why?: string | null;
}
export type MenuEntry =
  | (Action & { act(): void })
  | (Action & { href: string /** An address outside the dashboard. */; isOutside?: boolean })
  | { title: string }
  | "line";

interface MenuProps {
  /** The name of the button, and of the menu. */
  label: string;
  entries: MenuEntry[];
  /** The content of the button; "..." without it. */
  children?: ReactNode;
  className?: string;
  /** Which edge of the button the menu starts at. */
  align?: "start" | "end";
  side?: "below" | "above";
}

const getItems = (menu: HTMLElement): HTMLElement[] => [
  ...menu.querySelectorAll<HTMLElement>('[role^="menuitem"]:not(:disabled)'),
];

/** Moves the focus with the arrow keys, Home, End, and the first letter of an entry. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const items = getItems(event.currentTarget);
  const current = items.findIndex((item) => item.matches(":focus"));
  const steps: Record<string, number> = { ArrowDown: current + 1, ArrowUp: current - 1, Home: 0, End: -1 };
  let next = steps[event.key];
  if (next === undefined && event.key.length === 1 && !event.ctrlKey && !event.metaKey && event.key !== " ") {
    const begins = (item: HTMLElement) => item.textContent?.trim().toLowerCase().startsWith(event.key.toLowerCase());
    const after = [...items.slice(current + 1), ...items.slice(0, current + 1)].find(begins);
    next = after === undefined ? undefined : items.indexOf(after);
  }
  if (next === undefined) return;
  event.preventDefault();
  items.at(next % items.length)?.focus();
}

export function Menu({ label, entries, children, className, align = "end", side = "below" }: MenuProps) {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const close = () => menu.current?.hidePopover();
  // The entries exist once the menu is open.
  useEffect(() => {
    if (isOpen && menu.current !== null) getItems(menu.current)[0]?.focus();
  }, [isOpen]);
  return (
    <span className="menu-place">
      <button
        type="button"
        className={className ?? "quiet icon-button"}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        popoverTarget={id}
      >
        {children ?? <Icon name="more" />}
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        aria-label={label}
        className="popover menu"
        data-align={align}
        data-side={side}
        onToggle={({ newState }) => setOpen(newState === "open")}
        onKeyDown={(event) => (event.key === "Tab" ? close() : moveFocus(event))}
      >
        {isOpen && entries.map((entry, i) => <Entry key={getKey(entry, i)} entry={entry} close={close} />)}
      </div>
    </span>
  );
}

function getKey(entry: MenuEntry, index: number): string {
  if (entry === "line") return `line ${index}`;
  return "title" in entry ? entry.title : entry.name;
}

function Entry({ entry, close }: { entry: MenuEntry; close(): void }) {
  if (entry === "line") return <hr />;
  if ("title" in entry) return <div className="menu-title">{entry.title}</div>;
  const { name, icon, isDanger, isChecked, why = null } = entry;
  const content = (
    <>
      {icon !== undefined && <Icon name={icon} />}
      <span>
        {name}
        {why !== null && <small className="soft"> {why}</small>}
      </span>
      {isChecked === true && (
        <span className="check">
          <Icon name="tick" />
        </span>
      )}
    </>
  );
  const className = isDanger === true ? "danger" : undefined;
  if ("href" in entry) {
    const link = { href: entry.href, role: "menuitem", className, onClick: close };
    return entry.isOutside === true ? <a {...link}>{content}</a> : <Link {...link}>{content}</Link>;
  }
  return (
    <button
      type="button"
      {...(isChecked === undefined ? { role: "menuitem" } : { role: "menuitemradio", "aria-checked": isChecked })}
      className={className}
      disabled={why !== null}
      onClick={() => {
        close();
        entry.act();
      }}
    >
      {content}
    </button>
  );
}
