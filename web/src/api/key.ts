/** The API key, or the token of a person: kept only for this tab, never in a URL and never in a log. */

const NAME = "headwater-key";
const listeners = new Set<() => void>();

export function storedKey(): string | null {
  return sessionStorage.getItem(NAME);
}

export function storeKey(key: string): void {
  sessionStorage.setItem(NAME, key);
  announce();
}

export function forgetKey(): void {
  sessionStorage.removeItem(NAME);
  announce();
}

export function onKeyChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether a key is a signed token of an identity provider: those have routes of their own, below /people. */
export function isToken(key: string): boolean {
  return /^ey[\w-]+\.[\w-]+\.[\w-]+$/.test(key);
}

function announce(): void {
  for (const listener of listeners) listener();
}
