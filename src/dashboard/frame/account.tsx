// The signed-in person: their theme, the documents, and signing out.
import { useState } from "react";
import { useSession } from "../session.tsx";
import { useSignOut } from "../sign-out.ts";
import { getTheme, setTheme, THEMES, type Theme } from "../theme.ts";
import { Avatar } from "../ui/channel.tsx";
import { Icon, type IconName } from "../ui/icons.tsx";
import { Menu } from "../ui/menu.tsx";

const THEME_WORDS: Record<Theme, { name: string; icon: IconName }> = {
  light: { name: "Light", icon: "sun" },
  dark: { name: "Dark", icon: "moon" },
  system: { name: "System", icon: "screen" },
};

export function Account() {
  const { me } = useSession();
  const signOut = useSignOut();
  const [theme, choose] = useState(getTheme);
  const name = me.user.name ?? me.user.email;
  return (
    <div className="account">
      <Menu
        label={`Account: ${name}`}
        className="quiet account-button"
        align="start"
        side="above"
        entries={[
          { title: "Theme" },
          ...THEMES.map((option) => ({
            ...THEME_WORDS[option],
            isChecked: option === theme,
            act: () => {
              setTheme(option);
              choose(option);
            },
          })),
          "line",
          { name: "Account settings", icon: "gear", href: "/settings/account" },
          { name: "API", icon: "book", href: "/docs", isOutside: true },
        ]}
      >
        <Avatar name={name} size="small" />
        <span className="account-name">{name}</span>
      </Menu>
      <button
        type="button"
        className="quiet icon-button"
        aria-label="Sign out"
        title="Sign out"
        onClick={() => void signOut()}
      >
        <Icon name="out" />
      </button>
    </div>
  );
}
