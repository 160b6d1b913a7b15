// Dragging entries to other days: at once by mouse and pen, after a long press by touch, so that a finger can still scroll.
// Dragging changes the page directly. React renders nothing until the entry is dropped.

/** A point in the viewport, in pixels. */
export interface Point {
  x: number;
  y: number;
}
/** Where an entry is dropped. */
export interface Place {
  date: string;
  /** The position at which the user released the pointer. */
  point: Point;
  /** How far down in its day the entry has moved, as a share of the day's height. */
  shift: number;
}
interface Acts {
  drop(id: string, place: Place): void;
  /** The time to show on the dragged entry at a place; null: its original time. */
  timeAt(id: string, place: Place): string | null;
}
interface Press {
  entry: HTMLElement;
  x: number;
  y: number;
  /** The timer of a long press. */
  timer?: ReturnType<typeof setTimeout>;
}
interface Drag {
  entry: HTMLElement;
  /** The element that follows the pointer. */
  shadow: HTMLElement;
  time: HTMLElement | null;
  timeBefore: string;
  from: { x: number; y: number; top: number };
  /** The entry's original offset from the start of its day. */
  below: number;
  over: HTMLElement | null;
}

/** A smaller movement does not start a drag. The distance is larger for a finger, because a finger trembles. */
const STILL_PX = { mouse: 5, finger: 10 };
const LONG_PRESS_MS = 400;
/** The page scrolls within this distance from the edge of the window. */
const EDGE_PX = 56;
const SCROLL_PX = 14;

/** Scrolls the hours, and then the page, while the pointer is at their edge. Returns whether something scrolled. */
function scrollAtEdge(root: HTMLElement, y: number): boolean {
  const isScrolledAt = (element: Element, top: number, bottom: number): boolean => {
    const push = y < top + EDGE_PX ? -1 : y > bottom - EDGE_PX ? 1 : 0;
    const before = element.scrollTop;
    if (push !== 0) element.scrollBy(0, push * SCROLL_PX);
    return element.scrollTop !== before;
  };
  const hours = root.querySelector("[data-scrolls]");
  const box = hours?.getBoundingClientRect();
  return (
    (hours !== null && box !== undefined && isScrolledAt(hours, box.top, box.bottom)) ||
    isScrolledAt(document.documentElement, 0, innerHeight)
  );
}

/** Lets the user drag every `[data-movable]` in `root` to every `[data-date]` in it. Returns a function that ends it. */
export function letDrag(root: HTMLElement, { drop, timeAt }: Acts): () => void {
  const over = new AbortController();
  const { signal } = over;
  let press: Press | null = null;
  let drag: Drag | null = null;
  let pointerPosition = { x: 0, y: 0 };
  let frame = 0;

  function release() {
    clearTimeout(press?.timer);
    press = null;
  }

  function begin() {
    if (press === null) return;
    const { entry, x, y } = press;
    const { left, top, width, height } = entry.getBoundingClientRect();
    const shadow = document.createElement("div");
    shadow.className = `${entry.className} dragged`;
    shadow.append(...[...entry.childNodes].map((node) => node.cloneNode(true)));
    shadow.setAttribute("aria-hidden", "true");
    Object.assign(shadow.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
    root.append(shadow);
    entry.dataset.left = "";
    document.documentElement.dataset.dragging = "";
    const time = shadow.querySelector("time");
    const below = top - (entry.closest("[data-date]")?.getBoundingClientRect().top ?? top);
    isSpent = true;
    drag = { entry, shadow, time, timeBefore: time?.textContent ?? "", from: { x, y, top }, below, over: null };
    release();
    follow();
  }

  /** The place where the entry would be dropped now. */
  function findPlace({ from, below, over: day }: Drag): Place | null {
    if (day?.dataset.date === undefined) return null;
    const { top, height } = day.getBoundingClientRect();
    return {
      date: day.dataset.date,
      point: pointerPosition,
      shift: (from.top + pointerPosition.y - from.y - top - below) / height,
    };
  }

  function follow() {
    frame = 0;
    if (drag === null) return;
    const { shadow, from, time, timeBefore, entry } = drag;
    shadow.style.translate = `${pointerPosition.x - from.x}px ${pointerPosition.y - from.y}px`;
    const day =
      document.elementFromPoint(pointerPosition.x, pointerPosition.y)?.closest<HTMLElement>("[data-date]") ?? null;
    const under = day !== null && root.contains(day) ? day : null;
    if (under !== drag.over) {
      delete drag.over?.dataset.over;
      if (under !== null) under.dataset.over = "";
      drag.over = under;
    }
    const place = findPlace(drag);
    if (time !== null) time.textContent = (place && timeAt(entry.dataset.id ?? "", place)) ?? timeBefore;
    if (scrollAtEdge(root, pointerPosition.y)) later();
  }
  function later() {
    if (frame === 0) frame = requestAnimationFrame(follow);
  }

  function end() {
    release();
    if (drag === null) return;
    cancelAnimationFrame(frame);
    frame = 0;
    drag.shadow.remove();
    delete drag.entry.dataset.left;
    delete drag.over?.dataset.over;
    delete document.documentElement.dataset.dragging;
    drag = null;
  }

  // A press that started a drag does not open the entry, even if the drag was cancelled.
  let isSpent = false;
  const opensNothing = (event: Event) => {
    if (!isSpent) return;
    event.stopPropagation();
    event.preventDefault();
  };
  const lifted = () => {
    setTimeout(() => {
      isSpent = false;
    });
  };

  const started = (event: PointerEvent) => {
    if (drag !== null || !event.isPrimary || event.button !== 0 || !(event.target instanceof Element)) return;
    isSpent = false;
    const entry = event.target.closest<HTMLElement>("[data-movable]");
    if (entry === null || !root.contains(entry)) return;
    release();
    pointerPosition = { x: event.clientX, y: event.clientY };
    press = { entry, ...pointerPosition };
    if (event.pointerType === "touch") press.timer = setTimeout(begin, LONG_PRESS_MS);
  };
  const moved = (event: PointerEvent) => {
    if (!event.isPrimary) return;
    pointerPosition = { x: event.clientX, y: event.clientY };
    if (drag !== null) return later();
    const isFinger = event.pointerType === "touch";
    if (
      press === null ||
      Math.hypot(pointerPosition.x - press.x, pointerPosition.y - press.y) <= STILL_PX[isFinger ? "finger" : "mouse"]
    )
      return;
    // A finger that moves at once scrolls the page.
    if (isFinger) release();
    else begin();
  };
  const dropped = (event: PointerEvent) => {
    if (!event.isPrimary) return;
    lifted();
    if (drag === null) return release();
    pointerPosition = { x: event.clientX, y: event.clientY };
    follow();
    const { entry } = drag;
    const place = findPlace(drag);
    end();
    if (place !== null && entry.dataset.id !== undefined) drop(entry.dataset.id, place);
  };

  window.addEventListener("click", opensNothing, { signal, capture: true });
  window.addEventListener("pointerdown", started, { signal });
  window.addEventListener("pointermove", moved, { signal });
  window.addEventListener("pointerup", dropped, { signal });
  window.addEventListener(
    "pointercancel",
    () => {
      lifted();
      end();
    },
    { signal },
  );
  window.addEventListener("blur", end, { signal });
  window.addEventListener(
    "keydown",
    (event) => {
      if (event.key === "Escape") end();
    },
    { signal },
  );
  // During a drag, a finger does not scroll and a long press opens no menu.
  const keep = (event: Event) => {
    if (drag !== null) event.preventDefault();
  };
  root.addEventListener("touchmove", keep, { signal, passive: false });
  root.addEventListener("contextmenu", keep, { signal });
  return () => {
    end();
    over.abort();
  };
}
