/** The bar above every view: home, search, the boards, light or dark, the key. */

import { useEffect, useState } from "react";
import { forgetKey, onKeyChange, storedKey } from "../api/key";
import { linkTo } from "../routing/location";
import { Icon } from "./Icon";
import { askForKey } from "./KeyDialog";
import { nextTheme, theme, useTheme } from "./theme";

const BOARDS: [string, string][] = [
  ["alerts", "Alerts"],
  ["runs", "Runs"],
  ["events", "Events"],
  ["namespaces", "Namespaces"],
  ["health", "Health"],
  ["coverage", "Coverage"],
];

export function TopBar({ view, onSearch }: { view: string; onSearch: () => void }) {
  useTheme();
  const hasKey = useHasKey();
  return (
    <header className="bar">
      <a className="home" href="#/" aria-label="Headwater, start page">
        <Icon name="water" />
        <span>Headwater</span>
      </a>
      <button className="search-button" onClick={onSearch} aria-keyshortcuts="/ Control+K">
        <Icon name="search" />
        <span>Search tables, jobs, columns…</span>
        <kbd>/</kbd>
      </button>
      <nav aria-label="Boards">
        {BOARDS.map(([name, label]) => (
          <a key={name} href={linkTo(name)} aria-current={view === name ? "page" : undefined}>
            {label}
          </a>
        ))}
      </nav>
      <button
        className="quiet"
        onClick={nextTheme}
        aria-label={`Colours: ${theme()}. Change`}
        title={`Colours: ${theme()}`}
      >
        <Icon name={theme() === "dark" ? "moon" : theme() === "light" ? "sun" : "contrast"} />
      </button>
      <button
        className="quiet"
        onClick={hasKey ? forgetKey : askForKey}
        aria-label={hasKey ? "Forget the key" : "Enter a key"}
        title={hasKey ? "Forget the key" : "Enter a key"}
      >
        <Icon name={hasKey ? "unlock" : "key"} />
      </button>
    </header>
  );
}

function useHasKey(): boolean {
  const [hasKey, setHasKey] = useState(() => storedKey() !== null);
  useEffect(() => onKeyChange(() => setHasKey(storedKey() !== null)), []);
  return hasKey;
}
