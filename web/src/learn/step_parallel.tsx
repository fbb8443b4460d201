// Step: with the mask, one pass over a sentence trains every next word at once.
import { useModels } from "../models";
import { headingOf } from "../parts/head_name";
import { shareText } from "../parts/number";
import { kCat } from "../sentences";
import { HeadGrid, useRows, useSpotlight } from "../spotlight";
import { linkTo } from "../store";
import { Figure, Prose, TryIt } from "./frame";
import { NumberGrid } from "./number_grid";

function Tasks({ head }: { head: HeadGrid }) {
  const words = head.grid.units;
  return (
    <table class="tasks">
      <thead>
        <tr>
          <th>what is seen</th>
          <th>what is to be guessed</th>
        </tr>
      </thead>
      <tbody>
        {words.slice(0, -1).map((_, i) => (
          <tr key={i}>
            <td>{words.slice(0, i + 1).join(" ")}</td>
            <td>
              <b>{words[i + 1]}</b>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function ParallelStep() {
  const models = useModels().value;
  const model = models?.models.find((one) => one.own_mask === "causal")?.name ?? models?.default_model;
  const light = useSpotlight(model ? { text: kCat, model, mask: "causal" } : null, []);
  const head = light.head;
  const rowAt = useRows(head);
  return (
    <>
      <Prose>
        <p>
          The mask is what makes training fast. A sentence of six words holds five exercises: after each word, guess the
          next. Without a mask they would have to be done one by one, for word 2 could simply look at word 3. With it,
          all are answered in a single pass, since each row sees only what it may.
        </p>
      </Prose>
      <Figure
        answer={light.answer}
        label={head ? headingOf(head.grid) : null}
        caption="One pass, all rows. The row of a word uses only that word and those before it."
      >
        {head ? (
          <div class="pair">
            <Tasks head={head} />
            <NumberGrid
              caption="Shares of every word under the causal mask"
              grid={head.grid.units.map(
                (_, i) => rowAt(i)?.row.map((share) => (share.blocked ? null : share.weight)) ?? [],
              )}
              rows={head.grid.units}
              columns={head.grid.units}
              paint="light"
              text={(_, i, j) => shareText(rowAt(i)!.row[j].percent, rowAt(i)!.row[j].weight)}
            />
          </div>
        ) : (
          <div class="map-space" />
        )}
      </Figure>
      <TryIt>
        <a href={linkTo({ room: "look", view: "write", text: kCat, pins: [] })}>Let a model write on</a> from this
        sentence, and see where each new word looked.
      </TryIt>
    </>
  );
}
