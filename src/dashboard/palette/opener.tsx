// Opens the palette with Ctrl-K or Cmd-K, and the list of shortcuts with "?". Both are loaded on first use.
import { Suspense, useEffect, useState } from "react";
import { lazyChunk } from "../chunks.ts";
import { ErrorBoundary } from "../ui/broken.tsx";
import { Icon } from "../ui/icons.tsx";
import { useOpenDialog } from "../ui/open-dialog.ts";
import type { Target } from "./palette.tsx";

const Palette = lazyChunk(async () => (await import("./palette.tsx")).Palette);
const Keys = lazyChunk(async () => (await import("./keys.tsx")).Keys);

/** Whether the target is a text field. */
const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]") !== null;

export function PaletteOpener({ places }: { places: Target[] }) {
  const [open, setOpen] = useState<"palette" | "keys" | null>(null);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      // An open dialog has its own shortcuts.
      if (event.defaultPrevented || document.querySelector("dialog[open]") !== null) return;
      const isPalette = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey);
      const isKeys = event.key === "?" && !event.ctrlKey && !event.metaKey && !isTyping(event.target);
      if (!isPalette && !isKeys) return;
      event.preventDefault();
      setOpen(isPalette ? "palette" : "keys");
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
  const close = () => setOpen(null);
  return (
    <>
      <button
        type="button"
        className="palette-button"
        aria-label="Go to ..."
        aria-haspopup="dialog"
        onClick={() => setOpen("palette")}
      >
        <Icon name="search" />
        <span>Go to ...</span>
        <kbd>Ctrl K</kbd>
      </button>
      <ErrorBoundary key={open} fallback={() => <BrokenDialog onClose={close} />}>
        <Suspense fallback={null}>
          {open === "palette" && <Palette places={places} onClose={close} onKeys={() => setOpen("keys")} />}
          {open === "keys" && <Keys onClose={close} />}
        </Suspense>
      </ErrorBoundary>
    </>
  );
}

function BrokenDialog({ onClose }: { onClose(): void }) {
  const dialog = useOpenDialog();
  return (
    <dialog ref={dialog} className="dialog" aria-label="Something went wrong" onClose={onClose}>
      <form method="dialog" className="stack">
        <h2>This cannot be shown right now</h2>
        <p>Something went wrong on our side. Close this message and continue, or reload the page.</p>
        <div className="row end">
          <button type="submit">Close</button>
        </div>
      </form>
    </dialog>
  );
}
