/** The nodes that were looked at last, kept in the browser's tab. */

const NAME = "headwater-recent";
const MOST = 8;

export interface Recent {
  nodeId: string;
  displayName?: string | undefined;
}

export function recentNodes(): Recent[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(NAME) ?? "[]");
    return Array.isArray(stored) ? stored.filter((recent) => typeof recent?.nodeId === "string") : [];
  } catch {
    return [];
  }
}

export function remember(nodeId: string, displayName?: string): void {
  const others = recentNodes().filter((recent) => recent.nodeId !== nodeId);
  sessionStorage.setItem(NAME, JSON.stringify([{ nodeId, displayName }, ...others].slice(0, MOST)));
}
