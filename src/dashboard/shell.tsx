// The frame: the menu, the open workspace, and the signed-in user.
import { type ReactNode, useEffect, useState } from "react";
import { Link, useLocation } from "wouter";
import { useWaiting } from "./approvals/waiting.ts";
import { preloadChunks } from "./chunks.ts";
import { OwnershipOffer } from "./ownership-offer.tsx";
import { PaletteOpener } from "./palette/opener.tsx";
import { useSession } from "./session.tsx";
import { useSignOut } from "./sign-out.ts";
import { Icon, type IconName } from "./ui/icons.tsx";
import { zoneName } from "./ui/marks.tsx";
import { OfflineNotice } from "./ui/offline.tsx";

interface Place {
  href: string;
  name: string;
  icon: IconName;
  /** Whether it appears at the bottom of a narrow page; the others are behind "More". */
  first?: boolean;
}

const PLACES: Place[] = [
  { href: "/", name: "Start", icon: "home", first: true },
  { href: "/compose", name: "Compose", icon: "pen", first: true },
  { href: "/calendar", name: "Calendar", icon: "calendar", first: true },
  { href: "/posts", name: "Posts", icon: "list", first: true },
  { href: "/approvals", name: "Approvals", icon: "check" },
  { href: "/channels", name: "Channels", icon: "link" },
  { href: "/slots", name: "Slots", icon: "clock" },
  { href: "/media", name: "Media", icon: "image" },
  { href: "/activity", name: "Activity", icon: "pulse" },
  { href: "/analytics", name: "Analytics", icon: "chart" },
  { href: "/import", name: "Import, export", icon: "tray" },
  { href: "/settings/workspace", name: "Settings", icon: "gear" },
];

const isAt = (location: string, href: string) =>
  href === "/" ? location === "/" : location.startsWith(href.startsWith("/settings/") ? "/settings/" : href);

export function Shell({ children }: { children: ReactNode }) {
  const [location] = useLocation();
  const [isMoreOpen, setMore] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs when the page changes.
  useEffect(() => setMore(false), [location]);
  useEffect(preloadChunks, []);
  const otherPlaces = PLACES.filter(({ first }) => first !== true);
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="side">
        <Link href="/" className="brand" aria-label="Crier">
          <Icon name="crier" />
          <span>Crier</span>
        </Link>
        <WorkspaceSwitch />
        <PaletteOpener places={PLACES} />
        <nav className="places" aria-label="Pages">
          <ul>
            {PLACES.map((place) => (
              <li key={place.href} data-first={place.first === true}>
                <PlaceLink place={place} current={isAt(location, place.href)} />
              </li>
            ))}
            {otherPlaces.length > 0 && (
              <li className="more">
                <button
                  type="button"
                  aria-expanded={isMoreOpen}
                  aria-controls="more"
                  onClick={() => setMore(!isMoreOpen)}
                >
                  <Icon name="more" />
                  <span>More</span>
                </button>
              </li>
            )}
          </ul>
        </nav>
        <Account />
      </header>
      {isMoreOpen && (
        <nav id="more" className="more-sheet" aria-label="More pages">
          <ul>
            {otherPlaces.map((place) => (
              <li key={place.href}>
                <PlaceLink place={place} current={isAt(location, place.href)} />
              </li>
            ))}
          </ul>
        </nav>
      )}
      <main id="main" tabIndex={-1}>
        <OfflineNotice />
        <OwnershipOffer />
        {children}
      </main>
    </div>
  );
}

function PlaceLink({ place: { href, name, icon }, current }: { place: Place; current: boolean }) {
  return (
    <Link href={href} aria-current={current ? "page" : undefined}>
      <Icon name={icon} />
      <span>{name}</span>
      {href === "/approvals" && <WaitingCount />}
    </Link>
  );
}

/** The number of posts that wait for approval, if there are any. */
function WaitingCount() {
  const { data } = useWaiting();
  if (data === undefined || data.posts.length === 0) return null;
  return (
    <span className="waiting-count">
      {data.posts.length}
      {data.next !== null && "+"}
      <span className="visually-hidden"> waiting</span>
    </span>
  );
}

function WorkspaceSwitch() {
  const { me, workspace, open } = useSession();
  return (
    <label className="workspace">
      <span className="visually-hidden">Workspace</span>
      <select value={workspace.id} onChange={(event) => open(event.target.value)}>
        {me.workspaces.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <small>
        {workspace.role} · {zoneName(workspace.timezone)} time
      </small>
    </label>
  );
}

function Account() {
  const { me } = useSession();
  const signOut = useSignOut();
  return (
    <div className="account">
      <span className="account-name">{me.user.name ?? me.user.email}</span>
      <div className="account-ways">
        <a href="/docs">API</a>
        <button type="button" className="link" onClick={() => void signOut()}>
          Sign out
        </button>
      </div>
    </div>
  );
}
