/** Light, dark, or as the system is set; the choice is kept in the browser. */

import { useSyncExternalStore } from "react";

const NAME = "headwater-theme";
const THEMES = ["system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];
const listeners = new Set<() => void>();

export function theme(): Theme {
  const stored = localStorage.getItem(NAME);
  return THEMES.find((known) => known === stored) ?? "system";
}

export function nextTheme(): void {
  const next = THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length] ?? "system";
  localStorage.setItem(NAME, next);
  applyTheme();
  for (const listener of listeners) listener();
}

export function applyTheme(): void {
  document.documentElement.dataset.theme = theme();
}

export function useTheme(): void {
  useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, theme);
}

applyTheme();
