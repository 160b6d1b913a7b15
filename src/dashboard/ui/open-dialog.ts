// A dialog that is open from the moment it is drawn.
import { type RefObject, useEffect, useRef } from "react";

/** The `ref` of a `<dialog>` that opens over the page as soon as it is there. */
export function useOpenDialog(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return dialog;
}
