// Keeps the focus from getting lost: if the focused element disappears or is disabled for a while, the focus moves to an
// element around it.

/** Elements that receive the focus when something inside them has gone. */
const PLACES = "li, article, section, dialog[open]";
/** Elements that will be usable again soon, and those in a dialog that is closing. */
const WAITED_FOR = ":disabled, dialog:not([open]) *";

/** The last element that received the focus in place of one that had gone. */
let substitute: Element | null = null;

/** Whether no element has a focus that the user chose, so that other code may move it to a better place. */
export const isFocusFree = (): boolean =>
  document.activeElement === document.body || (substitute !== null && document.activeElement === substitute);

/** Manages the focus of a page that has one heading. */
export function keepFocus(root: HTMLElement): void {
  /** The element that last had the focus. */
  let last: HTMLElement | null = null;
  /** Its ancestors, the nearest first. */
  let around: HTMLElement[] = [];

  function remember(element: EventTarget | null) {
    last = element instanceof HTMLElement ? element : null;
    around = [];
    for (let ancestor = last?.parentElement ?? null; ancestor !== null; ancestor = ancestor.parentElement)
      around.push(ancestor);
  }
  function mend() {
    if (last === null || document.activeElement !== document.body) return;
    if (last.isConnected && last.matches(WAITED_FOR)) return;
    if (last.checkVisibility()) return last.focus({ preventScroll: true });
    const place =
      around.find((ancestor) => ancestor.matches(PLACES) && ancestor.checkVisibility()) ?? document.querySelector("h1");
    if (!(place instanceof HTMLElement)) return;
    place.tabIndex = -1;
    place.focus({ preventScroll: true });
    substitute = place;
  }
  // Runs after the page's own code, which moves the focus along with a moved post.
  const mendSoon = () => void setTimeout(mend);

  document.addEventListener("focusin", ({ target }) => remember(target));
  // A person who presses an empty area, or leaves the page after its last field, wants no element focused.
  const press = ({ target }: MouseEvent) => {
    substitute = null;
    if (!(target instanceof Node && last?.contains(target))) remember(null);
  };
  document.addEventListener("mousedown", press, { capture: true });
  window.addEventListener("blur", () => {
    if (document.activeElement === document.body) remember(null);
  });
  // A dialog returns the focus to the element that opened it. If that has gone, the focus moves to the dialog's
  // surroundings.
  const shut = ({ target }: Event) => {
    if (target instanceof HTMLElement && target.contains(last)) remember(target);
    mendSoon();
  };
  document.addEventListener("close", shut, { capture: true });
  new MutationObserver(mendSoon).observe(root, { subtree: true, childList: true, attributeFilter: ["disabled"] });
}
