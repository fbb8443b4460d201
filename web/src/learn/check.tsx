// A check question: every answer has its own reply, and one may try again.
import { useId, useState } from "preact/hooks";

export interface Option {
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

export function Check({ question, onAnswer }: CheckProps) {
  const [chosen, setChosen] = useState(-1);
  const name = useId();
  const option = question.options[chosen];
  const choose = (i: number) => {
    setChosen(i);
    onAnswer?.(question.options[i].right ?? false);
  };
  return (
    <fieldset class="check">
      <legend>{question.ask}</legend>
      {question.options.map((choice, i) => (
        <label key={i} class={i === chosen ? (choice.right ? "answer right" : "answer not") : "answer"}>
          <input type="radio" name={name} checked={i === chosen} onChange={() => choose(i)} />
          <span>{choice.text}</span>
        </label>
      ))}
      <p class="reply" aria-live="polite">
        {option ? (
          <>
            <b>{option.right ? "Right." : "Not this."}</b> {option.reply}
          </>
        ) : null}
      </p>
    </fieldset>
  );
}
