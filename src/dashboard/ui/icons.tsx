// The icons of the dashboard's frame, drawn as outlines.
const PATHS = {
  crier: "M4 10v4h2.5l7 4.5v-13L6.5 10zM17 9a4.5 4.5 0 0 1 0 6",
  home: "M4 11l8-7 8 7v9h-6v-6h-4v6H4z",
  pen: "M4 20l1-5L16 4l4 4L9 19zM14 6l4 4",
  calendar: "M4 6h16v14H4zM4 10h16M8 3v5M16 3v5",
  list: "M9 6h11M9 12h11M9 18h11M4 6h1M4 12h1M4 18h1",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  image: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15 9h.01",
  pulse: "M3 12h4l3-7 4 14 3-7h4",
  chart: "M4 20V10M10 20V4M16 20v-8M21 20H3",
  gear: "M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM12 3v3M12 18v3M4.2 7.5l2.6 1.5M17.2 15l2.6 1.5M4.2 16.5L6.8 15M17.2 9l2.6-1.5",
  tray: "M4 14v5h16v-5M12 4v10M8 10l4 4 4-4",
  clock: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v4l3 2",
  check: "M4 5h16v14H4zM8 12l3 3 5-6",
  search: "M11 5a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM15.5 15.5L20 20",
  more: "M5 12h.01M12 12h.01M19 12h.01",
} as const;
export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
