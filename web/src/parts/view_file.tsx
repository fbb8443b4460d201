// A view of numbers as files: its rows as CSV and JSON, each saying what made them, and what is seen of it as SVG and PNG.
import type { RefObject } from "preact";
import type { Models } from "../contract";
import { pictureOf } from "./picture";
import { pngOf, Saved } from "./save";
import { Format, SaveRow } from "./save_row";

export type Cell = string | number | boolean | null;
type Cells = Record<string, Cell>;

export interface ViewFile {
  name: string; // of the file, without its ending
  about: string; // in a picture
  facts: Cells; // model, mask, and layer and head where the view is of one: they hold for every row
  rows: () => Cells[]; // of the same fields, at least one
  besides?: () => object; // in JSON: the text, and what is no row
}

// Weights are single precision: more digits would say nothing.
function short(value: unknown): unknown {
  if (typeof value !== "number" || Number.isInteger(value)) return value;
  return Number.isFinite(value) ? Number(value.toPrecision(7)) : null;
}

// By the rules of the program: quoted where needed, and nothing that a spreadsheet would run as a formula.
function field(value: Cell): string {
  if (typeof value !== "string") return String(short(value) ?? "");
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[,"\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function csvOf(facts: Cells, rows: Cells[]): string {
  const names = [...Object.keys(facts), ...Object.keys(rows[0])].join(",");
  const same = Object.values(facts).map(field);
  return [names, ...rows.map((row) => [...same, ...Object.values(row).map(field)].join(","))].join("\n") + "\n";
}

interface ViewSaveProps {
  models: Models | null;
  file: ViewFile | null; // null: it is on its way
  picture?: RefObject<HTMLElement | null>; // of what is seen
  what?: string;
}

export function ViewSave({ models, file, picture, what }: ViewSaveProps) {
  const make = async (format: Format): Promise<Saved> => {
    const { name, about, rows, besides } = file!;
    const engine = `limelight ${models?.version ?? ""}`.trim();
    const facts = { engine, ...file!.facts };
    const saved = (content: BlobPart, type: string) => ({
      name: `limelight-${name}.${format}`,
      content: new Blob([content], { type }),
    });
    if (format === "csv") return saved(csvOf(facts, rows()), "text/csv");
    if (format === "json") {
      const all = { ...facts, ...besides?.(), rows: rows() };
      return saved(JSON.stringify(all, (_, value) => short(value)), "application/json");
    }
    const svg = pictureOf(picture!.current!, `${about}. Made by ${engine}.`);
    return saved(format === "png" ? await pngOf(svg) : svg, format === "png" ? "image/png" : svg.type);
  };
  const formats: Format[] = picture ? ["svg", "png", "csv", "json"] : ["csv", "json"];
  return <SaveRow formats={formats} make={make} what={what} disabled={!file} />;
}
