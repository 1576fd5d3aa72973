/** The nodes that were looked at last, kept in the browser's tab. */

const NAME = "headwater-recent";
const MOST = 8;

export function recentNodes(): string[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(NAME) ?? "[]");
    return Array.isArray(stored) ? stored.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}

export function remember(nodeId: string): void {
  const others = recentNodes().filter((id) => id !== nodeId);
  sessionStorage.setItem(NAME, JSON.stringify([nodeId, ...others].slice(0, MOST)));
}
