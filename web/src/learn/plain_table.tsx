// A table of figures that may be wider than the page, and is then scrolled, by keyboard too. The first column is the row's name.
import type { ComponentChildren } from "preact";

interface PlainTableProps {
  label: string;
  names: string[]; // of the columns
  children: ComponentChildren; // rows
}

export function PlainTable({ label, names, children }: PlainTableProps) {
  return (
    <div class="number-grid" role="region" tabIndex={0} aria-label={label}>
      <table class="plain-table">
        <thead>
          <tr>{names.map((name, i) => (name ? <th key={i}>{name}</th> : <td key={i} />))}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
