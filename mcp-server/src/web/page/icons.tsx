/** Small drawings. Meaning never hangs on them alone: a word stands beside each. */
import type { JSX } from 'preact';

type IconName =
  | 'step'
  | 'back'
  | 'block'
  | 'person'
  | 'git'
  | 'other'
  | 'fact'
  | 'assumption'
  | 'gap'
  | 'open'
  | 'closed'
  | 'check'
  | 'wait'
  | 'branch'
  | 'file'
  | 'key';

const STROKE = {
  fill: 'none',
  stroke: 'currentColor',
  'stroke-width': 1.8,
  'stroke-linecap': 'round',
  'stroke-linejoin': 'round',
} as const;

const DRAWINGS: Record<IconName, JSX.Element> = {
  step: <path d="M4 12h14M13 7l5 5-5 5" {...STROKE} />,
  back: <path d="M9 6 4 11l5 5M4 11h10a5 5 0 0 1 5 5v2" {...STROKE} />,
  block: <path d="M8.2 3h7.6L21 8.2v7.6L15.8 21H8.2L3 15.8V8.2zM12 8v5M12 16.2v.1" {...STROKE} />,
  person: <path d="M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20a7.5 7.5 0 0 1 15 0" {...STROKE} />,
  git: (
    <path
      d="M7 4v16M7 14c6 0 10-1 10-6M7 6.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM7 21.500a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM17 9a2 2 0 1 0 0-4 2 2 0 0 0 0 4z"
      {...STROKE}
    />
  ),
  other: <path d="M12 12v.1M6 12v.1M18 12v.1" {...STROKE} stroke-width={3} />,
  fact: (
    <>
      <rect x="3.500" y="3.500" width="17" height="17" rx="3" fill="currentColor" />
      <path
        d="m7.800 12.200 3 3 5.500-6.200"
        fill="none"
        stroke="var(--card)"
        stroke-width="2.200"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </>
  ),
  assumption: <path d="M12 2.800 21.200 12 12 21.200 2.800 12zM12 8v4.500M12 15.600v.1" {...STROKE} />,
  gap: <circle cx="12" cy="12" r="8.500" {...STROKE} stroke-dasharray="3.600 3.600" />,
  open: <path d="M5 11h14v9H5zM8 11V8a4 4 0 0 1 7.700-1.500" {...STROKE} />,
  closed: <path d="M5 11h14v9H5zM8 11V8a4 4 0 0 1 8 0v3" {...STROKE} />,
  check: <path d="m5 12.500 4.500 4.500L19 7.500" {...STROKE} stroke-width={2.4} />,
  wait: <path d="M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3.500 2" {...STROKE} />,
  branch: (
    <path
      d="M6 8v12M6 15c7 0 12-1 12-7M6 8a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM18 8a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5z"
      {...STROKE}
    />
  ),
  file: <path d="M6 3h8l4.500 4.500V21H6zM14 3v4.500h4.500M9 12.500h6M9 16.500h6" {...STROKE} />,
  key: <path d="M8 19a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9zM11.300 11.200 19.500 3M16 6.500l3 3" {...STROKE} />,
};

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" width={size} height={size} aria-hidden="true" focusable="false">
      {DRAWINGS[name]}
    </svg>
  );
}
