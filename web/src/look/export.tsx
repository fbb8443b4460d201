// The view as a file: what the program writes, and a PNG of the same picture.
import { useState } from "preact/hooks";
import { ask, failureOf } from "../api";
import type { Export, Failure } from "../contract";
import { Alarm } from "../parts/notice";
import type { Question } from "../question";
import type { State } from "../state";

const kFormats = ["html", "svg", "png", "csv", "json"] as const;
type Format = (typeof kFormats)[number];

const kSharpness = 2; // pixels of the PNG for each of the picture

function save(content: Blob, name: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

async function pngOf(svg: Blob): Promise<Blob> {
  const image = new Image();
  image.src = URL.createObjectURL(svg);
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.width * kSharpness;
  canvas.height = image.height * kSharpness;
  const context = canvas.getContext("2d")!;
  context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--ground");
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  return new Promise((give, fail) =>
    canvas.toBlob((blob) => (blob ? give(blob) : fail(new Error("no picture"))), "image/png"),
  );
}

interface ExportRowProps {
  state: State;
  question: Question;
  from: number[]; // empty: every word, the map
  pin: number; // the word that the page of a map opens with
  specials: boolean; // the model has special tokens, whose share a file always tells
}

export function ExportRow({ state, question, from, pin, specials }: ExportRowProps) {
  const [failure, setFailure] = useState<Failure | null>(null);
  const write = async (format: Format) => {
    const word = from.length === 0 ? { pin } : { word: from.length > 1 ? from : from[0] };
    const hidden = state.rest === "hide" && !specials ? { without_first: true } : {};
    const { unit, ...read } = question;
    const pieces = unit ? { pieces: true } : {};
    const asked = { ...read, ...pieces, ...word, ...hidden, format: format === "png" ? "svg" : format };
    try {
      setFailure(null);
      const found = await ask<Export>("export", asked, new AbortController().signal);
      const content = new Blob([found.content], { type: found.type });
      if (format === "png") save(await pngOf(content), found.name.replace(/svg$/, "png"));
      else save(content, found.name);
    } catch (problem) {
      setFailure(failureOf(problem));
    }
  };
  return (
    <div class="export">
      <div class="row" role="group" aria-label="Save this view">
        <span class="small dim">Save this view as</span>
        {kFormats.map((format) => (
          <button key={format} class="button small" type="button" onClick={() => write(format)}>
            {format.toUpperCase()}
          </button>
        ))}
      </div>
      {state.rest === "hide" && specials ? (
        <p class="small dim">A file always tells the share of special tokens.</p>
      ) : null}
      <Alarm failure={failure} />
    </div>
  );
}
