// Buttons that save what is on show, one for each format there is of it.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { failureOf } from "../api";
import type { Failure } from "../contract";
import { Alarm } from "./notice";
import { save, Saved } from "./save";

export type Format = "html" | "svg" | "png" | "csv" | "json";

interface SaveRowProps {
  formats: readonly Format[];
  make: (format: Format) => Promise<Saved>;
  what?: string;
  disabled?: boolean; // what is to be saved is on its way
  children?: ComponentChildren;
}

export function SaveRow({ formats, make, what = "this view", disabled, children }: SaveRowProps) {
  const [failure, setFailure] = useState<Failure | null>(null);
  const write = async (format: Format) => {
    try {
      setFailure(null);
      save(await make(format));
    } catch (problem) {
      setFailure(failureOf(problem));
    }
  };
  return (
    <div class="export">
      <div class="row" role="group" aria-label={`Save ${what}`}>
        <span class="small dim">Save {what} as</span>
        {formats.map((format) => (
          <button key={format} class="button small" type="button" disabled={disabled} onClick={() => write(format)}>
            {format.toUpperCase()}
          </button>
        ))}
      </div>
      {children}
      <Alarm failure={failure} />
    </div>
  );
}
