// A check question: every answer has its own reply, and one may try again.
import { useId, useState } from "preact/hooks";

interface Option {
  text: string;
  right?: boolean;
  reply: string;
}

export interface Question {
  ask: string;
  options: Option[];
}

interface CheckProps {
  question: Question;
  onAnswer?: (right: boolean) => void;
}

// The right answer stands first where questions are written, and somewhere, always the same, where they are asked.
function turned({ ask, options }: Question): Option[] {
  const by = ask.length % options.length;
  return [...options.slice(by), ...options.slice(0, by)];
}

function Reply({ option }: { option: Option }) {
  return (
    <>
      <b>{option.right ? "Right." : "Not this."}</b> {option.reply}
    </>
  );
}

// Below the answers there is room for the longest reply, so that nothing jumps.
export function Check({ question, onAnswer }: CheckProps) {
  const options = turned(question);
  const [chosen, setChosen] = useState(-1);
  const name = useId();
  const option = options[chosen];
  const choose = (i: number) => {
    setChosen(i);
    onAnswer?.(options[i].right ?? false);
  };
  return (
    <fieldset class="check">
      <legend>{question.ask}</legend>
      {options.map((choice, i) => (
        <label key={i} class={i === chosen ? (choice.right ? "answer right" : "answer not") : "answer"}>
          <input type="radio" name={name} checked={i === chosen} onChange={() => choose(i)} />
          <span>{choice.text}</span>
        </label>
      ))}
      <div class="reply">
        <p aria-live="polite">{option ? <Reply option={option} /> : null}</p>
        {options.map((one, i) => (
          <p key={i} class="kept" aria-hidden="true">
            <Reply option={one} />
          </p>
        ))}
      </div>
    </fieldset>
  );
}
