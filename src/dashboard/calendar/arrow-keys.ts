// Moves the focus through the calendar with the arrow keys: up and down within a day, left and right to other days.

const STOPS = "button, a[href]";
/** The days of a week, for the step between the rows of a month. */
const WEEK = 7;

/** The days of a month or a week, to which posts can be dragged, and those of the agenda. */
const DAYS = "[data-date], [data-day]";

const listDays = (root: HTMLElement) => [...root.querySelectorAll<HTMLElement>(DAYS)];
const listStops = (day: HTMLElement | undefined) =>
  day === undefined ? [] : [...day.querySelectorAll<HTMLElement>(STOPS)].filter((stop) => stop.offsetParent !== null);

/** The first stop of the next day that has one, `step` days further each time. */
function findInDays(days: HTMLElement[], from: number, step: number, toPlace: (stops: HTMLElement[]) => number) {
  for (let index = from + step; index >= 0 && index < days.length; index += step) {
    const stops = listStops(days[index]);
    const stop = stops.at(Math.min(toPlace(stops), stops.length - 1));
    if (stop !== undefined) return stop;
  }
  return undefined;
}

/** The element that gets the focus; undefined: the key moves nothing. `isGrid`: the days stand in weeks, one below the other. */
export function findNextStop(root: HTMLElement, key: string, isGrid: boolean): HTMLElement | undefined {
  const current = document.activeElement;
  if (!(current instanceof HTMLElement)) return undefined;
  const day = current.closest<HTMLElement>(DAYS);
  if (day === null || !root.contains(day)) return undefined;
  const days = listDays(root);
  const [index, stops] = [days.indexOf(day), listStops(day)];
  const place = stops.indexOf(current);
  const isRtl = getComputedStyle(root).direction === "rtl";
  const forward = isRtl ? "ArrowLeft" : "ArrowRight";
  if (key === "ArrowDown") return stops[place + 1] ?? findInDays(days, index, isGrid ? WEEK : 1, () => 0);
  if (key === "ArrowUp") {
    return place > 0 ? stops[place - 1] : findInDays(days, index, isGrid ? -WEEK : -1, (there) => there.length - 1);
  }
  if (key === "ArrowLeft" || key === "ArrowRight")
    return findInDays(days, index, key === forward ? 1 : -1, () => place);
  return undefined;
}
