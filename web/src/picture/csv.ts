/** CSV as RFC 4180 has it. */

export interface CsvColumn<Row> {
  name: string;
  value: (row: Row) => string | number;
}

export function csv<Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): string {
  const lines = [columns.map(({ name }) => name), ...rows.map((row) => columns.map(({ value }) => value(row)))];
  return `${lines.map((line) => line.map(cell).join(",")).join("\r\n")}\r\n`;
}

/** A text that a spreadsheet would take for a formula gets an apostrophe: names come from events. */
function cell(value: string | number): string {
  const text = String(value);
  const inert = typeof value === "string" && /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
