// The period of the analytics page. It is part of the address, so that a link leads to the same figures.
import { useSearchParams } from "wouter";
import { dayAfter, wallClock } from "../calendar/days.ts";
import { useSession } from "../session.tsx";
import { listDates } from "./figures.ts";

const PERIODS = ["7", "30", "90"] as const;
export type Period = (typeof PERIODS)[number] | "range";

const DATE = /^\d{4}-\d\d-\d\d$/;
const PERIOD_DEFAULT = "7";

export function useRange() {
  const { workspace } = useSession();
  const [query, setQuery] = useSearchParams();
  const today = wallClock(workspace.timezone)(Date.now()).slice(0, 10);
  const [from, to] = [query.get("from") ?? "", query.get("to") ?? ""];
  const isRange = DATE.test(from) && DATE.test(to) && from <= to && to <= today;
  const days = PERIODS.find((period) => period === query.get("days")) ?? PERIOD_DEFAULT;
  const range = isRange ? { from, to } : { from: dayAfter(today, 1 - Number(days)), to: today };
  const set = (changes: Record<string, string | null>) =>
    setQuery(
      (now) => {
        const next = new URLSearchParams(now);
        for (const [name, value] of Object.entries(changes)) {
          if (value === null) next.delete(name);
          else next.set(name, value);
        }
        return next;
      },
      { replace: true },
    );
  const period: Period = isRange ? "range" : days;
  return {
    period,
    range,
    today,
    dates: listDates(range.from, range.to),
    choosePeriod: (chosen: Period) =>
      set(chosen === "range" ? { ...range, days: null } : { days: chosen, from: null, to: null }),
    chooseRange: (chosen: { from: string; to: string }) => set({ ...chosen, days: null }),
  };
}
