// The Look room: a sentence, a head, and five views of where the words look.
import type { Models } from "../contract";
import { HeadControls, ShownHead } from "../parts/head_controls";
import { Alarm, Notes } from "../parts/notice";
import { questionOf } from "../question";
import { Spotlight, useSpotlight } from "../spotlight";
import type { LookView, State } from "../state";
import { linkTo } from "../store";
import { CompareView } from "./compare";
import { ExportRow } from "./export";
import { useHeadKeys } from "./head_keys";
import { HeadsView } from "./heads";
import { MapView } from "./map";
import { SpotlightView } from "./spotlight_view";
import { TextField } from "./text_field";
import { WriteView } from "./write";

const kViews: readonly (readonly [LookView, string])[] = [
  ["arcs", "Spotlight"],
  ["map", "Map"],
  ["heads", "All heads"],
  ["compare", "Compare"],
  ["write", "Write on"],
];

const kSaved: LookView[] = ["arcs", "map"]; // what a file can hold

function ViewLinks({ view }: { view: LookView }) {
  return (
    <nav aria-label="Views">
      {kViews.map(([key, name]) => (
        <a key={key} href={linkTo({ view: key })} aria-current={key === view ? "page" : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}

interface RoomProps {
  state: State;
  models: Models | null;
}

function View({ state, models, light }: RoomProps & { light: Spotlight }) {
  if (state.view === "map") return <MapView state={state} light={light} />;
  if (state.view === "heads") return <HeadsView state={state} models={models} light={light} />;
  if (state.view === "compare") return <CompareView state={state} models={models} light={light} />;
  if (state.view === "write") return <WriteView state={state} models={models} />;
  return <SpotlightView state={state} light={light} />;
}

export function LookRoom({ state, models }: RoomProps) {
  const asked = state.text.trim() !== "" ? questionOf(state) : null;
  const light = useSpotlight(asked, state.pins);
  useHeadKeys(light, models, state);
  const tooLong = light.answer.failure?.field === "text" && state.text.length > 1000;
  return (
    <>
      <h1 class="unseen">Look: where words look</h1>
      <TextField text={state.text} />
      <HeadControls state={state} models={models} />
      <div class="views">
        <ViewLinks view={state.view} />
        <ShownHead shown={state.view === "write" ? null : (light.head?.grid ?? null)} />
      </div>
      <Alarm failure={light.answer.failure} />
      {tooLong ? (
        <p>
          A text of this length has a room of its own: <a href={linkTo({ room: "long" })}>open it in Long</a>.
        </p>
      ) : null}
      {state.text.trim() === "" ? (
        <p class="dim">Type a sentence above, and see where each of its words looks.</p>
      ) : null}
      {asked ? <View state={state} models={models} light={light} /> : null}
      <Notes notes={light.head?.grid.notes} />
      {kSaved.includes(state.view) && light.head && light.of ? (
        <ExportRow
          state={state}
          question={light.of}
          from={state.view === "map" || state.pieces ? [] : light.from}
          pin={light.from[0]}
          specials={light.head.grid.special_name !== ""}
        />
      ) : null}
    </>
  );
}
