/** Line icons of our own, drawn in the colour of the text around them. */

export const PATHS = {
  water: "M3 7c5 0 5 5 9 5h9M3 12h18M3 17c5 0 5-5 9-5",
  search: "M11 4a7 7 0 1 0 0 14a7 7 0 0 0 0-14M16 16l5 5",
  table: "M4 5h16v14H4zM4 10h16M10 10v9",
  stream: "M3 8c3-3 6 3 9 0s6-3 9 0M3 15c3-3 6 3 9 0s6-3 9 0",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  model: "M12 3l8 4.5v9L12 21l-8-4.5v-9zM12 12l8-4.5M12 12v9M12 12L4 7.5",
  job: "M8 5l11 7-11 7z",
  column: "M9 4h6v16H9zM9 9h6M9 14h6",
  exposure: "M4 20h16M7 16v-5M12 16V5M17 16V9",
  group: "M4 7h7v7H4zM13 10h7v7h-7z",
  alert: "M12 4l9 16H3zM12 10v4M12 17v.5",
  check: "M4 12l5 5L20 6",
  cross: "M6 6l12 12M18 6L6 18",
  change: "M4 8h13l-3-3M20 16H7l3 3",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  copy: "M9 9h11v11H9zM5 15V4h11",
  open: "M14 4h6v6M20 4l-9 9M10 6H4v14h14v-6",
  fit: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  left: "M19 12H5M11 6l-6 6 6 6",
  right: "M5 12h14M13 6l6 6-6 6",
  save: "M12 4v11M7 11l5 5 5-5M4 20h16",
  rows: "M4 6h16M4 12h16M4 18h16",
  shield: "M12 3l8 3v6c0 5-4 8-8 9-4-1-8-4-8-9V6z",
  clock: "M12 4a8 8 0 1 0 0 16a8 8 0 0 0 0-16M12 8v4l3 2",
  why: "M12 4a8 8 0 1 0 0 16a8 8 0 0 0 0-16M9.5 9.5c.5-3 5.500-2 4.500.5-.5 1.500-2 1.500-2 3.500M12 16.500v.5",
  impact: "M4 12h6M10 12l8-6M10 12l8 6M10 12h9",
  sun: "M12 8a4 4 0 1 0 0 8a4 4 0 0 0 0-8M12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M7 17l-2 2",
  moon: "M19 15A8 8 0 0 1 9 5a8 8 0 1 0 10 10",
  contrast: "M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16",
  key: "M8 10a4 4 0 1 0 0 8a4 4 0 0 0 0-8M11 12l9-9M16 7l3 3",
  unlock: "M5 11h14v9H5zM8 11V8a4 4 0 0 1 8-1",
  tag: "M4 4h8l8 8-8 8-8-8zM8 8v.5",
  person: "M12 4a4 4 0 1 0 0 8a4 4 0 0 0 0-8M4 21c0-9 16-9 16 0",
  filter: "M4 5h16l-6 8v6l-4-2v-4z",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, label }: { name: IconName; label?: string }) {
  return (
    <svg
      className="icon"
      viewBox="0 0 24 24"
      width="16"
      height="16"
      role={label ? "img" : undefined}
      aria-label={label}
      aria-hidden={label ? undefined : true}
    >
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.8"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
