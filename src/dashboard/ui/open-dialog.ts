// A dialog that opens when it is rendered.
import { type RefObject, useEffect, useRef } from "react";

/**
 * The `ref` of a `<dialog>` that opens as a modal once it is rendered. The field with `data-first-field` gets the focus; without
 * one, the first element that can have it.
 */
export function useOpenDialog(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>("[data-first-field]")?.focus();
  }, []);
  return dialog;
}
