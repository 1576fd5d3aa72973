/** Times, durations and amounts as people read them. */

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];
const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "narrow" });
const COUNT = new Intl.NumberFormat("en");
const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export function ago(time: string | null | undefined, now = Date.now()): string {
  if (!time) return "never";
  const seconds = (Date.parse(time) - now) / 1000;
  for (const [unit, size] of UNITS) {
    if (Math.abs(seconds) >= size) return RELATIVE.format(Math.round(seconds / size), unit);
  }
  return "just now";
}

/** A time in UTC, as the API and the command line write it. */
export function moment(time: string | null | undefined): string {
  return time ? `${time.slice(0, 10)} ${time.slice(11, 16)}Z` : "never";
}

export function clock(time: string): string {
  return `${time.slice(11, 19)}Z`;
}

export function duration(milliseconds: number | null | undefined): string {
  if (milliseconds === null || milliseconds === undefined) return "";
  if (milliseconds < 1000) return `${milliseconds} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`;
}

export function bytes(amount: number): string {
  const unit = Math.min(4, Math.floor(Math.log10(Math.max(amount, 1)) / 3));
  return unit === 0 ? `${amount} B` : `${(amount / 1000 ** unit).toFixed(1)} ${["B", "kB", "MB", "GB", "TB"][unit]}`;
}

export function count(amount: number): string {
  return COUNT.format(amount);
}

export function compact(amount: number): string {
  return COMPACT.format(amount);
}

export function counted(amount: number, one: string, many = `${one}s`): string {
  return `${count(amount)} ${amount === 1 ? one : many}`;
}

/** A share of 1. What is not nothing is not shown as 0 %, and what is not all not as 100 %. */
export function percent(share: number): string {
  if (share > 0 && share < 0.005) return "< 1 %";
  if (share < 1 && share >= 0.995) return "> 99 %";
  return `${Math.round(100 * share)} %`;
}
