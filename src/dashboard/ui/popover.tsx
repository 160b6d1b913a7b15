// A button that opens a small panel beside it, for example filters or a field.
import { type ReactNode, useEffect, useId, useRef, useState } from "react";

interface PopoverProps {
  /** The name of the panel, and of the button if `children` has no text. */
  label: string;
  /** The content of the button. */
  button: ReactNode;
  className?: string;
  align?: "start" | "end";
  /** The content; it is rendered while the panel is open. */
  children: (close: () => void) => ReactNode;
}

export function Popover({ label, button, className, align = "start", children }: PopoverProps) {
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  // The content exists once the panel is open.
  useEffect(() => {
    if (isOpen) focusFirst(panel.current);
  }, [isOpen]);
  return (
    <span className="menu-place">
      <button
        type="button"
        className={className}
        aria-label={label}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        popoverTarget={id}
      >
        {button}
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={label}
        className="popover padded"
        data-align={align}
        onToggle={({ newState }) => setOpen(newState === "open")}
      >
        {isOpen && children(() => panel.current?.hidePopover())}
      </div>
    </span>
  );
}

/** Moves the focus into the panel, once its content is rendered. */
function focusFirst(panel: HTMLElement | null): void {
  panel?.querySelector<HTMLElement>("input, select, textarea, button, a[href]")?.focus();
}
