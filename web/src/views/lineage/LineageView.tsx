/** Lineage: the graph around a node, upstream to the left, downstream to the right. */

import { useCallback, useEffect, useMemo, useState } from "react";
import { get } from "../../api/request";
import type { RootCause } from "../../api/types";
import { type Lookup, useLookup } from "../../api/useLookup";
import { type Difference, marksOfDifference, withDifference } from "../../graph/difference";
import { isFiltering, matches } from "../../graph/filter";
import type { GraphNode } from "../../graph/graph";
import { prepareLayout } from "../../graph/layout";
import { marksOf } from "../../graph/marks";
import { Empty, Failed, Loading, Truncated } from "../../parts/Feedback";
import { changeParameters } from "../../routing/location";
import { shortNames } from "../../text/names";
import { remember } from "../search/recent";
import { type Actions, ActionsContext } from "./actions";
import { Canvas, type EdgeOfPicture } from "./Canvas";
import { DifferenceBar } from "./DifferenceBar";
import { GraphTable } from "./GraphTable";
import "./lineage.css";
import { sceneOf } from "../../picture/scene";
import { usePlaces } from "../../picture/usePlaces";
import { lineageParameters } from "./parameters";
import { SidePanel } from "./SidePanel";
import { TimeControl } from "./TimeControl";
import { Toolbar } from "./Toolbar";
import { TraceBar } from "./TraceBar";
import { useGraph } from "./useGraph";
import { focusNode } from "./useKeys";
import { useTrace } from "./useTrace";

export default function LineageView({ parameters }: { parameters: URLSearchParams }) {
  const text = parameters.toString();
  const wanted = useMemo(() => lineageParameters(new URLSearchParams(text)), [text]);
  const { wish, picked, target, filter } = wanted;
  const shownGraph = useGraph(wish);
  const { lookup, graph, centre, shown } = shownGraph;
  const { lookup: traceLookup, trace } = useTrace(picked, target, wish.asOf, wanted.withIndirect);
  const [openTables, toggleTable] = useToggled(wish.nodeId);
  const [openGroups, toggleGroup] = useToggled(`${wish.nodeId} ${wanted.grouping}`);
  const [selected, setSelected] = useState<string | null>(null);
  const [edge, setEdge] = useState<EdgeOfPicture | null>(null);
  const difference = useDifference(wish.nodeId, wanted.since, wish.asOf);
  const whole = useMemo(
    () =>
      difference.state === "done" && difference.value
        ? withDifference(graph, shown.ids, difference.value)
        : { graph, shown: shown.ids },
    [graph, shown, difference.state, difference.value],
  );
  const [isTimeOpen, setTimeOpen] = useState(false);
  const findings = useMarks(wish.nodeId, wish.asOf);
  const marks = useMemo(
    () => (difference.state === "done" && difference.value ? marksOfDifference(difference.value) : findings),
    [difference.state, difference.value, findings],
  );
  useEffect(() => void prepareLayout(), []);
  useEffect(() => {
    if (lookup.state === "done") remember(wish.nodeId);
  }, [lookup.state, wish.nodeId]);

  const scene = useMemo(
    () =>
      sceneOf(whole.graph, whole.shown, {
        grouping: wanted.grouping,
        openGroups,
        openTables,
        trace,
        isAlone: wanted.isAlone,
        isMatch: (node) => matches(node, filter),
      }),
    [whole, wanted.grouping, wanted.isAlone, openGroups, openTables, trace, filter],
  );
  const { placed, error: layoutError, isBusy } = usePlaces(scene);
  const names = useMemo(() => shortNames(scene.nodes.map(({ node }) => node.name)), [scene]);

  const pickColumn = useCallback(
    (node: GraphNode, field: string) => {
      const isSame = picked?.dataset === node.id && picked.field === field;
      changeParameters({
        table: isSame ? null : node.id,
        column: isSame ? null : field,
        toTable: null,
        toColumn: null,
      });
    },
    [picked],
  );
  const select = useCallback((id: string | null) => {
    setSelected(id);
    setEdge(null);
  }, []);
  const actions = useMemo<Actions>(
    () => ({
      expand: shownGraph.expand,
      collapse: shownGraph.collapse,
      toggleColumns: toggleTable,
      openGroup: toggleGroup,
      pickColumn,
      hidden: shown.hidden,
      unnamed: shownGraph.unnamed,
      busy: shownGraph.busy,
      marks,
      shortNames: names,
      centre,
      selected,
      picked,
    }),
    [
      shownGraph.expand,
      shownGraph.collapse,
      shownGraph.busy,
      shownGraph.unnamed,
      toggleTable,
      toggleGroup,
      pickColumn,
      shown,
      marks,
      names,
      centre,
      selected,
      picked,
    ],
  );

  const close = (): void => {
    if (selected) focusNode(selected);
    select(null);
  };

  if (!wish.nodeId) return <Empty>No node is named in this link. Press / and search for one.</Empty>;
  if (lookup.state === "failed") return <Failed error={lookup.error} what="the lineage" again={lookup.again} />;
  const hiddenCount = [...shown.hidden.values(), ...shownGraph.unnamed.values()].reduce((sum, count) => sum + count, 0);
  return (
    <ActionsContext.Provider value={actions}>
      <div className="lineage">
        <Toolbar
          wanted={wanted}
          depth={shownGraph.depth}
          graph={graph}
          scene={scene}
          placed={placed}
          hiddenCount={hiddenCount}
          isAbout={shownGraph.unnamed.size > 0}
          centre={centre}
          isTimeOpen={isTimeOpen || wish.asOf !== ""}
          onTime={() => setTimeOpen(!isTimeOpen)}
        />
        {(isTimeOpen || wish.asOf) && <TimeControl asOf={wish.asOf} graph={graph} nodeId={wish.nodeId} />}
        {wanted.since && <DifferenceBar lookup={difference} since={wanted.since} />}
        {picked && <TraceBar wanted={wanted} lookup={traceLookup} trace={trace} />}
        {lookup.state === "done" && lookup.value.isTruncated && (
          <Truncated>The graph goes on: this is its beginning. The handles with a number fetch more.</Truncated>
        )}
        {lookup.state === "done" && graph.nodes.size === 1 && !wish.asOf && (
          <Truncated>
            An island: no event so far tells of anything that{" "}
            {graph.nodes.get(centre)?.kind === "job" ? "it reads or writes" : "reads or writes it"}.
          </Truncated>
        )}
        {shownGraph.failure && <Truncated>More could not be fetched: {shownGraph.failure}</Truncated>}
        {layoutError && (
          <Truncated>The picture could not be laid out ({layoutError}). The table shows the same.</Truncated>
        )}
        <div className="stage" onKeyDown={(event) => event.key === "Escape" && (selected || edge) && close()}>
          {lookup.state === "loading" && !graph.nodes.size ? (
            <Loading what="the lineage" />
          ) : wanted.asTable || layoutError ? (
            <div className="as-table">
              <GraphTable scene={scene} graph={whole.graph} marks={marks} />
            </div>
          ) : placed && placed.scene.nodes.length > 0 ? (
            <Canvas placed={placed} centre={centre} onNode={select} onEdge={setEdge} onNothing={() => select(null)} />
          ) : (
            <Loading what="the picture" />
          )}
          {(isBusy || lookup.state === "loading") && placed && !wanted.asTable && (
            <span className="drawing" role="status">
              <span className="spinner" aria-hidden="true" /> drawing
            </span>
          )}
          <SidePanel
            node={selected ? (whole.graph.nodes.get(selected) ?? null) : null}
            edge={edge}
            graph={graph}
            marks={marks}
            isFiltering={isFiltering(filter)}
            onClose={close}
          />
        </div>
      </div>
    </ActionsContext.Provider>
  );
}

/** The findings about the nodes upstream, which their marks show. Without them the picture is complete but for the marks. */
function useMarks(nodeId: string, asOf: string): Actions["marks"] {
  const lookup = useLookup(`${nodeId} ${asOf}`, (signal) =>
    get<RootCause>("rootcause", { nodeId, asOf, depth: 6 }, signal),
  );
  return useMemo(() => marksOf(lookup.state === "done" ? lookup.value.findings : []), [lookup.state, lookup.value]);
}

/** What differs since an earlier time, null without such a time. */
function useDifference(nodeId: string, since: string, asOf: string): Lookup<Difference | null> {
  return useLookup(JSON.stringify([since && nodeId, since, asOf]), async (signal) =>
    since ? get<Difference>("diff", { nodeId, from: since, to: asOf, direction: "both" }, signal) : null,
  );
}

function useToggled(key: string): [ReadonlySet<string>, (id: string) => void] {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => setToggled(new Set()), [key]);
  const toggle = useCallback(
    (id: string) =>
      setToggled((before) => new Set(before.has(id) ? [...before].filter((other) => other !== id) : [...before, id])),
    [],
  );
  return [toggled, toggle];
}
