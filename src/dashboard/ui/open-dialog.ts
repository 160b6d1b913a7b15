// A dialog that opens when it is rendered.
import { type RefObject, useEffect, useRef } from "react";

/** The `ref` of a `<dialog>` that opens as a modal once it is rendered. */
export function useOpenDialog(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return dialog;
}
