// The icons of the dashboard, drawn as outlines of 24 units.
const PATHS = {
  home: "M4 11.5 12 4.5l8 7M6 10v9.5h4.5v-5h3v5H18V10",
  pen: "M4.5 19.5l1-4.5L16 4.5l3.5 3.5L9 18.5zM13.5 7l3.5 3.5",
  calendar: "M4.5 6.5h15v13h-15zM4.5 10.5h15M8.5 4v4M15.5 4v4",
  list: "M4.5 6h15v4.5h-15zM4.5 13.5h15V18h-15zM7.5 8.2h.01M7.5 15.7h.01",
  link: "M10 13.5a3.8 3.8 0 0 0 5.6.3l2.7-2.7a3.9 3.9 0 0 0-5.5-5.5l-1 1M14 10.5a3.8 3.8 0 0 0-5.6-.3l-2.7 2.7a3.9 3.9 0 0 0 5.5 5.5l1-1",
  image: "M4.5 5.5h15v13h-15zM4.5 15.5l4.5-4.5 4 4 2.5-2.5 4 4M15 9h.01",
  inbox: "M4.5 13.5 7 5.5h10l2.5 8v5h-15zM4.5 13.5h4.5a3 3 0 0 0 6 0h4.5",
  chart: "M5 19.5V11M10 19.5V5M15 19.5v-7M20 19.5v-4",
  gear: "M4.5 7.5h8M16.5 7.5h3M4.5 16.5h3M11.5 16.5h8M14.5 5.5a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM9.5 14.5a2 2 0 1 0 0 4 2 2 0 0 0 0-4z",
  film: "M4.5 5.5h15v13h-15zM10.5 9.5v5l4-2.5z",
  text: "M5 7h14M5 12h14M5 17h8",
  tag: "M4.5 5h7l8 8-6.5 6.5-8.5-8zM8.5 9h.01",
  people:
    "M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM3.5 19c0-3 2.4-5 5.5-5s5.5 2 5.5 5M15.5 5.3a3 3 0 0 1 0 5.4M17 14.3c2.2.7 3.5 2.4 3.5 4.7",
  tray: "M4.5 15v4.5h15V15M12 4.5v10M8 10.5l4 4 4-4",
  clock: "M12 4.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15zM12 8v4.2l2.8 1.8",
  spark: "M13 3.5 5.5 13.5H12l-1 7 7.5-10H12z",
  check: "M4.5 5.5h15v13h-15zM8.5 12l2.5 2.5 4.5-5",
  tick: "M5 12.5l4.5 4.5L19 7.5",
  cross: "M6 6l12 12M18 6 6 18",
  search: "M11 5a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM15.5 15.5 20 20",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  updown: "M8 9.5l4-4 4 4M8 14.5l4 4 4-4",
  down: "M7 9.5l5 5 5-5",
  left: "M14.5 6l-6 6 6 6",
  right: "M9.5 6l6 6-6 6",
  plus: "M12 5v14M5 12h14",
  out: "M14.5 8V5h-9v14h9v-3M10 12h10M17 9l3 3-3 3",
  trash: "M5 7h14M9.5 7V4.5h5V7M7 7l.8 12.5h8.4L17 7M10.5 10.5v5.5M13.5 10.5v5.5",
  sun: "M12 8.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM12 3.5v1.5M12 19v1.5M3.5 12H5M19 12h1.5M6 6l1 1M17 17l1 1M6 18l1-1M17 7l1-1",
  moon: "M19 14.5A7.5 7.5 0 0 1 9.5 5 7.5 7.5 0 1 0 19 14.5z",
  screen: "M4.5 5.5h15v10h-15zM9 19.5h6M12 15.5v4",
  book: "M12 6.5c-2-1.5-4.5-2-7.5-2v13c3 0 5.5.5 7.5 2 2-1.5 4.5-2 7.5-2v-13c-3 0-5.5.5-7.5 2zM12 6.5v13",
  keyboard: "M3.5 7.5h17v10h-17zM7 10.5h.01M10.5 10.5h.01M14 10.5h.01M17 10.5h.01M8 14.5h8",
  up: "M7 14.5l5-5 5 5",
  smile: "M12 4.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15zM9.5 10h.01M14.5 10h.01M8.8 13.8a4 4 0 0 0 6.4 0",
  split: "M4.5 5h15M4.5 9h9M4.5 19h15M4.5 15h9M17.5 12h2M4.5 12h2M9 12h2M13 12h2",
  bookmark: "M7 4.5h10v15l-5-4-5 4z",
  crop: "M7.5 3.5v13h13M3.5 7.5h13v13",
  grip: "M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01",
  play: "M8.5 5.5v13l10-6.5z",
} as const;
export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" data-icon={name}>
      <path d={PATHS[name]} />
    </svg>
  );
}
