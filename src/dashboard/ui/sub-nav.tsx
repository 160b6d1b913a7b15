// The pages that share one place in the menu, as tabs below the heading.
import { Link, useLocation } from "wouter";

interface SubNavProps {
  /** What the pages have in common. */
  label: string;
  pages: { href: string; name: string }[];
}

export function SubNav({ label, pages }: SubNavProps) {
  const [location] = useLocation();
  return (
    <nav className="tabs" aria-label={label}>
      {pages.map(({ href, name }) => (
        <Link key={href} href={href} aria-current={location === href ? "page" : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  );
}

/** The pages that let Crier work on its own, or together with other programs. */
export const AutomationNav = () => (
  <SubNav
    label="Automation"
    pages={[
      { href: "/slots", name: "Slots" },
      { href: "/import", name: "Import and export" },
      { href: "/settings/feeds", name: "Feeds" },
      { href: "/settings/webhooks", name: "Webhooks" },
      { href: "/settings/keys", name: "API keys" },
      { href: "/settings/agents", name: "Connected apps" },
    ]}
  />
);
