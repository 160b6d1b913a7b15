// The pages of the menu, in its two groups.
import type { IconName } from "./ui/icons.tsx";

export interface Place {
  href: string;
  name: string;
  icon: IconName;
  /** Further addresses at which this place is the current one. */
  also?: string[];
  /** Addresses among these that belong to another place. */
  except?: string[];
  /** Whether it stands at the bottom of a phone; the others are behind "More". */
  isFirst?: boolean;
}

/** Settings for programs, which stand under Automation. */
const FOR_PROGRAMS = ["/settings/feeds", "/settings/webhooks", "/settings/keys", "/settings/agents"];

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
  { href: "/slots", name: "Automation", icon: "spark", also: ["/import", ...FOR_PROGRAMS] },
  { href: "/settings/workspace", name: "Settings", icon: "gear", also: ["/settings/"], except: FOR_PROGRAMS },
];

export const GROUPS: { name: string; places: Place[] }[] = [
  { name: "Work", places: WORK },
  { name: "Manage", places: MANAGE },
];

export const PLACES = [...WORK, ...MANAGE];

export function isAt(location: string, { href, also = [], except = [] }: Place): boolean {
  const isIn = (addresses: string[]) => addresses.some((address) => location.startsWith(address));
  return href === "/" ? location === "/" : isIn([href, ...also]) && !isIn(except);
}
