/** The frame of the page: its bar, the view that the address names, and the dialog that asks for a key. */

import { type ComponentType, lazy, Suspense, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Loading } from "./parts/Feedback";
import { KeyDialog } from "./parts/KeyDialog";
import { TopBar } from "./parts/TopBar";
import { ViewFault } from "./parts/ViewFault";
import { addressOf, useHash } from "./routing/location";
import { SearchDialog } from "./views/search/SearchDialog";
import { StartView } from "./views/start/StartView";

export interface ViewProperties {
  parameters: URLSearchParams;
}

/** The views by the first part of their address. A view's code is loaded when it is first shown. */
const VIEWS: Record<string, [string, ComponentType<ViewProperties>]> = {
  "": ["Headwater", StartView],
  lineage: ["Lineage", lazy(() => import("./views/lineage/LineageView"))],
  node: ["Node", lazy(() => import("./views/node/NodeView"))],
  run: ["Run", lazy(() => import("./views/run/RunView"))],
  impact: ["Impact", lazy(() => import("./views/impact/ImpactView"))],
  why: ["Root cause", lazy(() => import("./views/why/RootCauseView"))],
  alerts: ["Alerts", lazy(() => import("./views/alerts/AlertsView"))],
  runs: ["Runs", lazy(() => import("./views/runs/RunsView"))],
  events: ["Events", lazy(() => import("./views/events/EventsView"))],
  namespaces: ["Namespaces", lazy(() => import("./views/namespaces/NamespacesView"))],
  namespace: ["Namespace", lazy(() => import("./views/namespaces/NamespaceView"))],
  health: ["Health", lazy(() => import("./views/health/HealthView"))],
  label: ["Owner or tag", lazy(() => import("./views/search/LabelView"))],
  coverage: ["Coverage", lazy(() => import("./views/coverage/CoverageView"))],
};

export function App() {
  const { view, parameters } = addressOf(useHash());
  const [isSearching, setSearching] = useState(false);
  const [title, View] = (Object.hasOwn(VIEWS, view) && VIEWS[view]) || ["No such view", NoSuchView];
  // Before the effects of the view, which may put what it is about in front.
  useLayoutEffect(() => {
    document.title = view ? `${title} · Headwater` : "Headwater";
  }, [title, view]);
  useSearchKeys(() => setSearching(true));
  return (
    <>
      <a className="skip" href="#main" onClick={skipToMain}>
        Skip to the content
      </a>
      <TopBar view={view} onSearch={() => setSearching(true)} />
      <main id="main" tabIndex={-1} className={`view view-${view || "start"}`}>
        <Suspense fallback={<Loading what={title.toLowerCase()} />}>
          <ViewFault key={view}>
            <View parameters={parameters} />
          </ViewFault>
          <FocusOnMain view={view} />
        </Suspense>
      </main>
      {isSearching && <SearchDialog onClose={() => setSearching(false)} />}
      <KeyDialog />
    </>
  );
}

function NoSuchView() {
  return (
    <section className="sheet">
      <h1>There is no such view</h1>
      <p>
        The link may be of another release. <a href="#/">Begin at the start page.</a>
      </p>
    </section>
  );
}

function skipToMain(event: { preventDefault: () => void }): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

/**
 * A link that led to another view is gone with its view: the focus goes on in the new view, not at the top of the page.
 * As a sibling of the view it waits for the view's code: until then React keeps the old view, hidden.
 */
function FocusOnMain({ view }: { view: string }) {
  const before = useRef(view);
  useEffect(() => {
    if (before.current !== view && document.activeElement === document.body) document.getElementById("main")?.focus();
    before.current = view;
  }, [view]);
  return null;
}

/** `/` and Ctrl-K open the search, unless someone types into a field. */
function useSearchKeys(open: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
      const isCommand = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey);
      if (isCommand || (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey)) {
        event.preventDefault();
        open();
      }
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  });
}
