// A native modal dialog that opens when it is rendered: the browser keeps the focus inside, and Escape closes it.
import type { ReactNode } from "react";
import { useOpenDialog } from "./open-dialog.ts";

interface DialogProps {
  title: string;
  /** 28 or 52 rem wide. */
  size?: "medium" | "large";
  onClose(): void;
  /** Buttons at the end; the last one is the primary one. */
  actions?: (close: () => void) => ReactNode;
  children: ReactNode;
}

export function Dialog({ title, size = "medium", onClose, actions, children }: DialogProps) {
  const dialog = useOpenDialog();
  return (
    <dialog ref={dialog} className="dialog" data-size={size} aria-label={title} closedby="any" onClose={onClose}>
      <div className="stack">
        <h2>{title}</h2>
        {children}
        {actions !== undefined && <div className="row end">{actions(() => dialog.current?.close())}</div>}
      </div>
    </dialog>
  );
}
