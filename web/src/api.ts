// Asks the program: one answer, or a stream of progress and parts that leaving ends.
import type { Failure } from "./contract";

class Refused extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}

export function failureOf(problem: unknown): Failure {
  if (problem instanceof Refused) return problem.failure;
  return { field: null, message: String(problem) };
}

export interface Listener<Part> {
  progress?: (done: number) => void;
  part?: (part: Part) => void;
}

function lost(): Refused {
  const message = "The program does not answer. Is `limelight studio` still running?";
  return new Refused({ field: null, message });
}

// What an answer comes to, however far it came: a program that ends may cut it anywhere.
async function heard<Answer>(signal: AbortSignal, answer: () => Promise<Answer>): Promise<Answer> {
  try {
    return await answer();
  } catch (problem) {
    throw problem instanceof Refused || signal.aborted ? problem : lost();
  }
}

async function send(name: string, body: object, signal: AbortSignal, accept: string): Promise<Response> {
  const response = await fetch(`api/${name}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: accept },
    body: JSON.stringify(body),
    signal,
  });
  if (!response.ok) throw await refused(response);
  return response;
}

async function refused(response: Response): Promise<Refused> {
  const found = await response.json().catch(() => null);
  return found?.error ? new Refused(found.error) : lost();
}

export function ask<Answer>(name: string, body: object, signal: AbortSignal): Promise<Answer> {
  return heard(signal, async () => (await send(name, body, signal, "application/json")).json());
}

interface Told {
  event: string;
  data: string;
}

function parsedEvent(block: string): Told {
  const told = { event: "message", data: "" };
  for (const line of block.split("\n")) {
    if (line.startsWith("event: ")) told.event = line.slice(7);
    if (line.startsWith("data: ")) told.data += line.slice(6);
  }
  return told;
}

// The events of a stream as they come, in any pieces: those of a large one are put together once, at its end.
async function* events(body: ReadableStream<Uint8Array>): AsyncGenerator<Told> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let kept: string[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const last = kept.at(-1)?.at(-1) ?? "";
    const piece = value.replaceAll("\r", "");
    if (piece) kept.push(piece);
    if (!(last + piece).includes("\n\n")) continue;
    const blocks = kept.join("").split("\n\n");
    kept = [blocks.pop() ?? ""];
    for (const block of blocks) yield parsedEvent(block);
  }
}

export function follow<Answer, Part = never>(
  name: string,
  body: object,
  signal: AbortSignal,
  to: Listener<Part>,
): Promise<Answer> {
  return heard(signal, async () => {
    const response = await send(name, body, signal, "text/event-stream");
    for await (const { event, data } of events(response.body!)) {
      const found = JSON.parse(data);
      if (event === "progress") to.progress?.(found.done);
      else if (event === "part") to.part?.(found);
      else if (event === "error") throw new Refused(found.error);
      else if (event === "result") return found;
    }
    throw lost();
  });
}

function bytesOf(text: string): ArrayBuffer {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
  return bytes.buffer;
}

export function floats(text: string): Float32Array {
  return new Float32Array(bytesOf(text));
}

export function integers(text: string): Int32Array {
  return new Int32Array(bytesOf(text));
}

export function halves(text: string): Uint16Array {
  return new Uint16Array(bytesOf(text));
}
