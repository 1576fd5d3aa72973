/** The values of facets as a person reads them. */

/** A value on one line, without the marks of JSON: `fields: (name: id, type: int), (name: day, type: date)`. */
export function readable(value: unknown): string {
  if (value === null || typeof value !== "object") return String(value);
  return Object.entries(value)
    .map(([member, each]: [string, unknown]) => {
      const isObject = each !== null && typeof each === "object" && (Array.isArray(value) || !Array.isArray(each));
      const text = isObject ? `(${readable(each)})` : readable(each);
      return Array.isArray(value) ? text : `${member}: ${text}`;
    })
    .join(", ");
}
