// Where the long text comes from: pasted, opened from a file of this computer, or a story to try.
import { go, tune } from "../store";

const kStory = `The keeper of the lighthouse had one lamp and one rule: the lamp must never rest. For thirty years he had turned it by hand, and for thirty years it had thrown its long white arm over the water, touching each wave once and letting it go. Ships knew him by that light, though none of them knew his name.

One autumn his granddaughter came to stay. She watched the lamp go round and asked why it looked at everything for the same short time. "Because it does not know what matters," he said. "It is only a lamp." She thought about this for three evenings. On the fourth she brought a small mirror and held it where the light came past, so that the beam bent and stayed on a fishing boat that was late.

The boat saw the light stay. It turned, slowly, and came in between the rocks. When the fishermen climbed up to thank the keeper, he shook his head and pointed at the girl. "The lamp sees all of it," he told them. "She showed it where to look."

After that they built a lamp with many mirrors. One followed the boats, one followed the weather, one did nothing but look for whatever the others had missed. The keeper grew old beside it. When people asked him how a lamp could know so much, he gave them the answer that the girl had given him: it does not know, it only looks at everything at once, and shines most on what it is asked for.`;

async function open(input: HTMLInputElement) {
  const file = input.files?.[0];
  if (file) go({ text: await file.text(), pins: [], zoom: [] });
  input.value = "";
}

export function TextSource({ text }: { text: string }) {
  return (
    <div class="text">
      <label class="control">
        <span>A text of up to some thousand words</span>
        <textarea
          class="field"
          rows={4}
          spellcheck={false}
          value={text}
          onInput={(event) => tune({ text: event.currentTarget.value, pins: [], zoom: [] })}
        />
      </label>
      <div class="row presets">
        <label class="button file">
          Open a file
          <input type="file" accept=".txt,.md,text/*" onChange={(event) => open(event.currentTarget)} />
        </label>
        <button class="button" type="button" onClick={() => go({ text: kStory, pins: [], zoom: [] })}>
          Try a story
        </button>
      </div>
    </div>
  );
}
