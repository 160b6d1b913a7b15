// The focus is never lost: when what has it goes away, or cannot be pressed for a while, it goes to what was around it.

/** What is worth the focus when something inside it has gone. */
const PLACES = "li, article, section, dialog[open]";
/** What can be pressed again soon, and what is in a dialog that has not yet said that it is shut. */
const WAITED_FOR = ":disabled, dialog:not([open]) *";

/** What was given the focus last in the place of something that had gone. */
let substitute: Element | null = null;

/** Whether nothing has the focus that somebody chose: what knows a better place for it may take it. */
export const isFocusFree = (): boolean =>
  document.activeElement === document.body || (substitute !== null && document.activeElement === substitute);

/** Looks after the focus of a page that has one heading. */
export function keepFocus(root: HTMLElement): void {
  /** What had the focus last. */
  let last: HTMLElement | null = null;
  /** All that was around it, the nearest first. */
  let around: HTMLElement[] = [];

  function remember(element: EventTarget | null) {
    last = element instanceof HTMLElement ? element : null;
    around = [];
    for (let at = last?.parentElement ?? null; at !== null; at = at.parentElement) around.push(at);
  }
  function mend() {
    if (last === null || document.activeElement !== document.body) return;
    if (last.isConnected && last.matches(WAITED_FOR)) return;
    if (last.checkVisibility()) return last.focus({ preventScroll: true });
    const place = around.find((one) => one.matches(PLACES) && one.checkVisibility()) ?? document.querySelector("h1");
    if (!(place instanceof HTMLElement)) return;
    place.tabIndex = -1;
    place.focus({ preventScroll: true });
    substitute = place;
  }
  // After the page's own: a post that moves takes the focus with it.
  const mendSoon = () => void setTimeout(mend);

  document.addEventListener("focusin", ({ target }) => remember(target));
  // Who presses where nothing is, or leaves the page after its last field, wants the focus nowhere.
  const press = ({ target }: MouseEvent) => {
    substitute = null;
    if (!(target instanceof Node && last?.contains(target))) remember(null);
  };
  document.addEventListener("mousedown", press, { capture: true });
  window.addEventListener("blur", () => {
    if (document.activeElement === document.body) remember(null);
  });
  // A dialog gives the focus back to what opened it. Where that has gone, it goes to what is around the dialog.
  const shut = ({ target }: Event) => {
    if (target instanceof HTMLElement && target.contains(last)) remember(target);
    mendSoon();
  };
  document.addEventListener("close", shut, { capture: true });
  new MutationObserver(mendSoon).observe(root, { subtree: true, childList: true, attributeFilter: ["disabled"] });
}
