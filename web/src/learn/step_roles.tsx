// Step: query, key and value, first as a search for a video, then as the real vectors of a word.
import { useAnswer } from "../answer";
import type { Recipe } from "../contract_lesson";
import { numbered, Pick } from "../parts/choices";
import { headingOf } from "../parts/head_name";
import { fixed } from "../parts/number";
import type { State } from "../state";
import { Check, Question } from "./check";
import { Projection } from "./formula";
import { Figure, OwnSentence, Prose, TryIt } from "./frame";
import { lessonBody, tokenNames, usePicked } from "./recipe_answer";
import { largestIn, Vector } from "./vector";

const kQuestion: Question = {
  ask: "Which two vectors are multiplied for the score of how well “animal” fits what “it” looks for?",
  options: [
    {
      text: "The query of “it” and the key of “animal”.",
      right: true,
      reply: "What is asked for meets what is on offer, as a search meets titles.",
    },
    {
      text: "The value of “it” and the value of “animal”.",
      reply: "Values are what is watched. They are blended only after the scores exist.",
    },
    {
      text: "The key of “it” and the key of “animal”.",
      reply: "Two titles do not search for each other: one side has to ask.",
    },
    {
      text: "The query of “it” and the value of “animal”.",
      reply: "A search is compared with titles, not with the films themselves.",
    },
  ],
};

function Search() {
  const videos = [
    ["Cats at home", "twelve minutes of a purring cat", true],
    ["Mending a bicycle", "a wheel, a spanner, some oil", false],
    ["Dogs in the park", "a ball, thrown again and again", false],
  ] as const;
  return (
    <figure class="search" aria-label="A search: the query is typed, the key is each title, the value is the film">
      <p class="search-box">
        <span class="role q">query</span> fluffy pet that meows
      </p>
      <ul>
        {videos.map(([title, film, match]) => (
          <li key={title} class={match ? "match" : undefined}>
            <span>
              <span class="role k">key</span> {title}
            </span>
            <span class="dim">
              <span class="role v">value</span> {film}
            </span>
          </li>
        ))}
      </ul>
    </figure>
  );
}

export function Roles({ state }: { state: State }) {
  const answer = useAnswer<Recipe>("recipe", lessonBody(state), { wait: 60 });
  const found = answer.value;
  const [query, setQuery] = usePicked(found, "it");
  const [key, setKey] = usePicked(found, "animal");
  const steps = found?.steps;
  const largest = steps ? largestIn(steps.q[query], steps.k[key]) : 1;
  return (
    <>
      <Prose>
        <p>
          Think of looking for a video. What you type is the <b>query</b>. Every video has a title, its <b>key</b>. The
          titles that fit best are opened, and what you then watch is the <b>value</b>. In attention every word plays
          all three parts at once: it asks, it can be found, and it has something to give.
        </p>
      </Prose>
      <Search />
      <Prose>
        <p>
          A word enters as a vector <i>x</i>: its meaning and its place in the sentence as a list of numbers. Three
          matrices, learned in training, turn it into the three parts.
        </p>
        <Projection />
        <p>
          Words that the model does not know whole are cut into pieces, each a token with vectors of its own:{" "}
          <i>didn't</i> is read as <i>didn ' t</i>.
        </p>
      </Prose>
      <Figure
        answer={answer}
        label={found ? headingOf(found) : null}
        caption="The real vectors of this head: each cell is one number, blue below zero, orange above. Where query and key have the same colours in the same places, the score is high."
      >
        <OwnSentence text={state.text} />
        {found && steps ? (
          <>
            <div class="controls">
              <Pick label="Who asks" options={numbered(tokenNames(found))} value={query} onPick={setQuery} />
              <Pick label="Who is found" options={numbered(tokenNames(found))} value={key} onPick={setKey} />
            </div>
            <Vector name={`q of ${found.tokens[query].piece}`} values={steps.q[query]} largest={largest} />
            <Vector name={`k of ${found.tokens[key].piece}`} values={steps.k[key]} largest={largest} />
            <Vector name={`v of ${found.tokens[key].piece}`} values={steps.v[key]} />
            <p>
              Score: q · k = <b class="number">{fixed(steps.scores[query][key], 2)}</b>
            </p>
          </>
        ) : (
          <div class="chart-space" />
        )}
      </Figure>
      <TryIt>Let the same word ask, and try which other word gives it the highest score.</TryIt>
      <Check question={kQuestion} />
    </>
  );
}
