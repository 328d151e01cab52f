/** Paths on a grid of 16. Shapes differ, so that no meaning depends on color alone. */
const paths = {
  passed: 'M3 8.5l3.2 3.2L13 4.8',
  failed: 'M4 4l8 8M12 4l-8 8',
  error: 'M8 3v6M8 12v.6',
  running: 'M8 3a5 5 0 1 0 5 5',
  pending: 'M8 4.5V8l2.5 1.5M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11z',
  skipped: 'M4 8h8',
  cancelled: 'M4.2 11.8l7.6-7.6M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11z',
  flaky: 'M2.5 8c1.5-5 3.5-5 5.5 0s4 5 5.5 0',
  muted: 'M2.5 6.3H5L8.3 3.5v9L5 9.7H2.5zM10.5 6.2l3 3.6M13.5 6.2l-3 3.6',
  unknown: 'M6 6a2 2 0 1 1 2.6 1.9c-.4.2-.6.5-.6 1v.4M8 12v.4',
  search: 'M7 2.8a4.2 4.2 0 1 1 0 8.4 4.2 4.2 0 0 1 0-8.4zM10.2 10.2l3.3 3.3',
  copy: 'M5.5 5.5h7v7h-7zM3.5 10.5v-7h7',
  download: 'M8 3v7M5 7.5L8 10.5l3-3M3.5 13h9',
  close: 'M4 4l8 8M12 4l-8 8',
  next: 'M6 3.5L10.5 8 6 12.5',
  down: 'M3.5 6L8 10.5 12.5 6',
  up: 'M3.5 10L8 5.5l4.5 4.5',
  external: 'M6.5 4H4v8h8V9.5M9 3.5h3.5V7M12.5 3.5L7.5 8.5',
  folder: 'M2.5 4.5h4l1.3 1.5h5.7v6.5h-11z',
  file: 'M4.5 2.5h4.5L11.5 5v8.5h-7zM9 2.5V5h2.5',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
} as const

export type IconName = keyof typeof paths

/** A picture without a name: put text, visible or hidden, next to it. */
export function Icon({ name, className }: { name: IconName; className?: string | undefined }) {
  return (
    <svg className={className ? `icon ${className}` : 'icon'} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  )
}
