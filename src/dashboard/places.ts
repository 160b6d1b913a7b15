// The pages of the menu, in its two groups.
import type { IconName } from "./ui/icons.tsx";

export interface Place {
  href: string;
  name: string;
  icon: IconName;
  /** Further addresses at which this place is the current one. */
  also?: string[];
  /** Whether it stands at the bottom of a phone; the others are behind "More". */
  isFirst?: boolean;
}

const WORK: Place[] = [
  { href: "/", name: "Home", icon: "home", isFirst: true },
  { href: "/calendar", name: "Calendar", icon: "calendar", isFirst: true },
  { href: "/compose", name: "Compose", icon: "pen", isFirst: true },
  { href: "/posts", name: "Posts", icon: "list", isFirst: true },
  { href: "/approvals", name: "Approvals", icon: "check" },
  { href: "/activity", name: "Inbox", icon: "inbox" },
];
const MANAGE: Place[] = [
  { href: "/channels", name: "Channels", icon: "link" },
  { href: "/media", name: "Media", icon: "image" },
  { href: "/analytics", name: "Analytics", icon: "chart" },
  { href: "/slots", name: "Automation", icon: "spark", also: ["/import"] },
  { href: "/settings/workspace", name: "Settings", icon: "gear", also: ["/settings/"] },
];

export const GROUPS: { name: string; places: Place[] }[] = [
  { name: "Work", places: WORK },
  { name: "Manage", places: MANAGE },
];

export const PLACES = [...WORK, ...MANAGE];

export const isAt = (location: string, { href, also = [] }: Place): boolean =>
  href === "/" ? location === "/" : [href, ...also].some((address) => location.startsWith(address));
