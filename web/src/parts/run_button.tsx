// The button of work that takes its time: starts it, and stops it while it runs.

interface RunButtonProps {
  label: string;
  run: { running: boolean; stop: () => void };
  disabled?: boolean;
  onStart: () => void;
}

export function RunButton({ label, run, disabled, onStart }: RunButtonProps) {
  return run.running ? (
    <button class="button" type="button" onClick={run.stop}>
      Stop
    </button>
  ) : (
    <button class="button main" type="button" onClick={onStart} disabled={disabled}>
      {label}
    </button>
  );
}
