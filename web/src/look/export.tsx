// The spotlight or the map as a file: what the program writes, and a PNG of the same picture.
import { ask } from "../api";
import type { Export } from "../contract";
import { pngOf, Saved } from "../parts/save";
import { Format, SaveRow } from "../parts/save_row";
import type { Question } from "../question";
import type { State } from "../state";

interface ExportRowProps {
  state: State;
  question: Question;
  from: number[]; // empty: every word, the map
  pin: number; // the word that the page of a map opens with
  specials: boolean; // the model has special tokens, whose share a file always tells
}

export function ExportRow({ state, question, from, pin, specials }: ExportRowProps) {
  const make = async (format: Format): Promise<Saved> => {
    const word = from.length === 0 ? { pin } : { word: from.length > 1 ? from : from[0] };
    const hidden = state.rest === "hide" && !specials ? { without_first: true } : {};
    const { unit, ...read } = question;
    const pieces = unit ? { pieces: true } : {};
    const asked = { ...read, ...pieces, ...word, ...hidden, format: format === "png" ? "svg" : format };
    const found = await ask<Export>("export", asked, new AbortController().signal);
    const content = new Blob([found.content], { type: found.type });
    if (format !== "png") return { name: found.name, content };
    return { name: found.name.replace(/svg$/, "png"), content: await pngOf(content) };
  };
  return (
    <SaveRow formats={["html", "svg", "png", "csv", "json"]} make={make}>
      {state.rest === "hide" && specials ? (
        <p class="small dim">A file always tells the share of special tokens.</p>
      ) : null}
    </SaveRow>
  );
}
