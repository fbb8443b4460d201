// The frame of the three rooms: name, rooms, light or dark, and the room itself.
import { useEffect, useRef } from "preact/hooks";
import { LearnRoom } from "./learn/room";
import { LongRoom } from "./long/room";
import { LookRoom } from "./look/room";
import { Mark } from "./mark";
import { useModels } from "./models";
import { Alarm } from "./parts/notice";
import { threadsText } from "./parts/number";
import type { Room, State } from "./state";
import { linkTo, useStudio } from "./store";
import { ThemeSwitch } from "./theme";

const kRooms: readonly (readonly [Room, string])[] = [
  ["learn", "Learn"],
  ["look", "Look"],
  ["long", "Long"],
];

function RoomLinks({ state }: { state: State }) {
  return (
    <nav class="rooms" aria-label="Rooms">
      {kRooms.map(([room, name]) => (
        <a key={room} href={linkTo({ room })} aria-current={state.room === room ? "page" : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}

export function App() {
  const state = useStudio();
  const models = useModels();
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  useEffect(() => {
    document.title = `${kRooms.find(([room]) => room === state.room)![1]} · Limelight`;
    if (!first.current) main.current?.focus({ preventScroll: true });
    first.current = false;
  }, [state.room]);
  return (
    <>
      <header class="head">
        <a class="mark" href={linkTo({ room: "learn", step: "" })}>
          <Mark />
          Limelight
        </a>
        <RoomLinks state={state} />
        <ThemeSwitch />
      </header>
      <main ref={main} tabIndex={-1}>
        <Alarm failure={models.failure} />
        {state.room === "learn" && models.value?.default_model === null ? (
          <p class="alarm">
            No model is here yet, so figures of real models stay empty. {models.value.models[0]?.command} brings one.
          </p>
        ) : null}
        {state.room === "learn" ? <LearnRoom state={state} /> : null}
        {state.room === "look" ? <LookRoom state={state} models={models.value} /> : null}
        {state.room === "long" ? <LongRoom state={state} models={models.value} /> : null}
      </main>
      <footer class="foot">
        Attention weights show where a head reads, not why the model answers.
        {models.value
          ? ` Limelight ${models.value.version}, ${models.value.isa}, ${threadsText(models.value.threads)}.`
          : ""}
      </footer>
    </>
  );
}
