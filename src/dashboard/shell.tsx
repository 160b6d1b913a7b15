// The frame: the menu, the open workspace, and the signed-in user.
import { type ReactNode, useEffect, useState } from "react";
import { Link, useLocation } from "wouter";
import { useWaiting } from "./approvals/waiting.ts";
import { preloadChunks } from "./chunks.ts";
import { Account } from "./frame/account.tsx";
import { WorkspaceSwitcher } from "./frame/workspace-switcher.tsx";
import { OwnershipOffer } from "./ownership-offer.tsx";
import { PaletteOpener } from "./palette/opener.tsx";
import { GROUPS, isAt, PLACES, type Place } from "./places.ts";
import { useProblems } from "./problems/use-problems.ts";
import { Bell } from "./ui/bell.tsx";
import { Icon } from "./ui/icons.tsx";
import { OfflineNotice } from "./ui/offline.tsx";

export function Shell({ children }: { children: ReactNode }) {
  useEffect(preloadChunks, []);
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="side">
        <Link href="/" className="brand" aria-label="Crier">
          <Bell />
          <span>Crier</span>
        </Link>
        <WorkspaceSwitcher />
        <PaletteOpener places={PALETTE_PLACES} />
        <Menus />
        <Account />
      </header>
      <main id="main" tabIndex={-1}>
        <OfflineNotice />
        <OwnershipOffer />
        {children}
      </main>
    </div>
  );
}

/** Pages that are a part of another place in the menu. */
const PALETTE_PLACES = [...PLACES, { href: "/import", name: "Import, export" }];

/** The two groups of pages; on a phone, a bar of five with a sheet for the rest. */
function Menus() {
  const [location] = useLocation();
  const [isMoreOpen, setMore] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs when the page changes.
  useEffect(() => setMore(false), [location]);
  const others = PLACES.filter(({ isFirst }) => isFirst !== true);
  return (
    <>
      <nav className="places" aria-label="Pages">
        {GROUPS.map(({ name, places }) => (
          <ul key={name} aria-label={name}>
            {places.map((place) => (
              <li key={place.href} data-first={place.isFirst === true}>
                <PlaceLink place={place} current={isAt(location, place)} />
              </li>
            ))}
          </ul>
        ))}
        <button
          type="button"
          className="more"
          aria-expanded={isMoreOpen}
          aria-controls="more"
          data-current={others.some((place) => isAt(location, place)) ? "" : undefined}
          onClick={() => setMore(!isMoreOpen)}
        >
          <Icon name="more" />
          <span>More</span>
          <NewsDot />
        </button>
      </nav>
      {isMoreOpen && (
        <nav id="more" className="more-sheet" aria-label="More pages">
          <ul>
            {others.map((place) => (
              <li key={place.href}>
                <PlaceLink place={place} current={isAt(location, place)} />
              </li>
            ))}
          </ul>
        </nav>
      )}
    </>
  );
}

const PlaceLink = ({ place: { href, name, icon }, current }: { place: Place; current: boolean }) => (
  <Link href={href} aria-current={current ? "page" : undefined}>
    <Icon name={icon} />
    <span>{name}</span>
    {href === "/approvals" && <WaitingCount />}
    {href === "/activity" && <ProblemCount />}
  </Link>
);

function ProblemCount() {
  const { problems, hasMore } = useProblems();
  if (problems.length === 0) return null;
  return (
    <span className="waiting-count" data-tone="failed">
      {problems.length}
      {hasMore && "+"}
      <span className="visually-hidden"> {problems.length === 1 ? "problem" : "problems"}</span>
    </span>
  );
}

/** Whether something behind "More" needs the person. */
function NewsDot() {
  const { problems } = useProblems();
  const { data } = useWaiting();
  if (problems.length === 0 && (data === undefined || data.posts.length === 0)) return null;
  return (
    <span className="news-dot">
      <span className="visually-hidden">, something needs you</span>
    </span>
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
