// Step: the final check over the whole lesson.
import { useState } from "preact/hooks";
import { Check, Question } from "./check";
import { Prose } from "./frame";

const kQuestions: Question[] = [
  {
    ask: "1. How many steps is the last word of a long text away from the first, in self-attention?",
    options: [
      { text: "One.", right: true, reply: "Every pair is linked directly." },
      { text: "As many as there are words between them.", reply: "That is the recurrent chain." },
      {
        text: "It depends on the number of heads.",
        reply: "More heads are more lamps, each of which reaches every word in one step.",
      },
    ],
  },
  {
    ask: "2. Which of the three roles of a word is blended into another word's new vector?",
    options: [
      { text: "Its value.", right: true, reply: "The key is for being found, the value for being used." },
      { text: "Its key.", reply: "The key only meets queries, to make scores." },
      { text: "Its query.", reply: "The query asks on the word's own behalf." },
    ],
  },
  {
    ask: "3. In which order?",
    options: [
      {
        text: "Score, divide, mask, softmax, blend.",
        right: true,
        reply: "The mask stands before softmax, so that rows add up to 1 without what is hidden.",
      },
      { text: "Score, softmax, divide, mask, blend.", reply: "Dividing or masking after softmax breaks the sum of 1." },
      {
        text: "Blend, score, divide, softmax, mask.",
        reply: "There is nothing to blend by before the shares are known.",
      },
    ],
  },
  {
    ask: "4. What does the causal mask make possible in training?",
    options: [
      {
        text: "Guessing all next words of a text in one pass.",
        right: true,
        reply: "No row can see the word that it has to guess.",
      },
      { text: "Leaving out the division.", reply: "The two have nothing to do with each other." },
      { text: "Reading a text from both ends.", reply: "That is what it forbids." },
    ],
  },
  {
    ask: "5. Your texts become four times as long. What about the plain grid, and about FlashAttention's memory?",
    options: [
      { text: "The grid grows sixteenfold, FlashAttention's memory fourfold.", right: true, reply: "T × T against T." },
      { text: "Both grow fourfold.", reply: "The grid has rows and columns that both grow." },
      { text: "Both stay the same, only the time grows.", reply: "Even the result alone has a row for every word." },
    ],
  },
];

export function FinalStep() {
  const [right, setRight] = useState<boolean[]>([]);
  const count = kQuestions.filter((_, i) => right[i]).length;
  return (
    <>
      <Prose>
        <p>Five questions, one for each thing worth keeping. You can try again as often as you like.</p>
      </Prose>
      {kQuestions.map((question, i) => (
        <Check
          key={i}
          question={question}
          onAnswer={(answer) => setRight((was) => Object.assign([...was], { [i]: answer }))}
        />
      ))}
      <p aria-live="polite">
        <b>
          {count} of {kQuestions.length}
        </b>{" "}
        {count === kQuestions.length ? "right. You know how attention works." : "right so far."}
      </p>
    </>
  );
}
