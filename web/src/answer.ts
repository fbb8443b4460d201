// An answer of the program as a component needs it: kept while the next one is on its way, dropped work is cancelled.
import { useEffect, useRef, useState } from "preact/hooks";
import { ask, failureOf, follow, Listener } from "./api";
import type { Failure } from "./contract";

interface Told<T> {
  value: T | null; // the last answer, perhaps to the question before
  of: object | null; // the question that it answers
  busy: boolean;
  failure: Failure | null;
  done: number; // 0 ... 1 of a stream
}

export interface Answered<T> extends Told<T> {
  fresh: boolean; // value answers what is asked now
}

const kept = new Map<string, unknown>(); // the latest answers, so that going back is at once
const kKept = 40;

function remember(key: string, value: unknown) {
  kept.delete(key);
  kept.set(key, value);
  if (kept.size > kKept) kept.delete(kept.keys().next().value as string);
}

interface AskOptions {
  wait?: number; // milliseconds of rest before asking, for what is typed
  stream?: boolean;
  keep?: boolean; // what is too large is asked again
}

function keyOf(name: string, body: object | null): string | null {
  return body && name + JSON.stringify(body);
}

function nothing<T>(busy: boolean): Told<T> {
  return { value: null, of: null, busy, failure: null, done: 0 };
}

function whole<T>(value: T, of: object): Told<T> {
  return { value, of, busy: false, failure: null, done: 1 };
}

// body null: nothing is asked. A question that hangs on another answer is asked once that one is fresh.
export function useAnswer<T>(
  name: string,
  body: object | null,
  { wait = 0, stream = false, keep = true }: AskOptions = {},
): Answered<T> {
  const key = keyOf(name, body);
  const known = key === null ? undefined : (kept.get(key) as T | undefined);
  const [told, tell] = useState<Told<T>>(() => (known ? whole(known, body!) : nothing(body !== null)));
  useEffect(() => {
    if (key === null) {
      tell(nothing(false));
      return undefined;
    }
    if (known) {
      remember(key, known);
      tell(whole(known, body!));
      return undefined;
    }
    const stop = new AbortController();
    tell((was) => ({ ...was, busy: true, failure: null, done: 0 }));
    const timer = setTimeout(async () => {
      try {
        const progress = (done: number) => tell((was) => ({ ...was, done }));
        const value = stream
          ? await follow<T>(name, body!, stop.signal, { progress })
          : await ask<T>(name, body!, stop.signal);
        if (keep) remember(key, value);
        if (!stop.signal.aborted) tell(whole(value, body!));
      } catch (failure) {
        if (!stop.signal.aborted) tell((was) => ({ ...was, busy: false, failure: failureOf(failure) }));
      }
    }, wait);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [key]);
  return { ...told, fresh: key !== null && keyOf(name, told.of) === key };
}

interface Run<T, Part> {
  parts: Part[];
  value: T | null;
  running: boolean;
  done: number;
  failure: Failure | null;
  start: (body: object) => void;
  stop: () => void;
}

// Work that a button starts; its parts are shown as they come, and leaving the component ends it.
export function useRun<T, Part>(name: string): Run<T, Part> {
  const [state, setState] = useState({
    parts: [] as Part[],
    value: null as T | null,
    running: false,
    done: 0,
    failure: null as Failure | null,
  });
  const work = useRef<AbortController | null>(null);
  const stop = () => {
    work.current?.abort();
    setState((was) => ({ ...was, running: false }));
  };
  const start = async (body: object) => {
    work.current?.abort();
    const mine = (work.current = new AbortController());
    setState({ parts: [], value: null, running: true, done: 0, failure: null });
    const listener: Listener<Part> = {
      progress: (done) => setState((was) => ({ ...was, done })),
      part: (part) => setState((was) => ({ ...was, parts: [...was.parts, part] })),
    };
    try {
      const value = await follow<T, Part>(name, body, mine.signal, listener);
      if (!mine.signal.aborted) setState((was) => ({ ...was, value, running: false, done: 1 }));
    } catch (failure) {
      if (!mine.signal.aborted) setState((was) => ({ ...was, running: false, failure: failureOf(failure) }));
    }
  };
  useEffect(() => () => work.current?.abort(), []);
  return { ...state, start, stop };
}
