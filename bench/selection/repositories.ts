/** A public repository whose history is replayed. */
export interface ReplayedRepository {
  /** `owner/name` at the code host. Checkouts are found as `owner+name`. */
  name: string
  /** For the table. */
  runner: string
  /** The newest commit that the toolchain of the machine can run; by default that of the default branch. */
  tip?: string
  /** The rules were not changed after its figures were seen. */
  isAside?: true
}

export const repositories: readonly ReplayedRepository[] = [
  { name: 'unjs/ufo', runner: 'Vitest' },
  { name: 'expressjs/express', runner: 'mocha' },
  { name: 'delvedor/find-my-way', runner: 'node:test' },
  { name: 'pallets/click', runner: 'pytest' },
  { name: 'emirpasic/gods', runner: 'Go', tip: '10d6c5b' },
  { name: 'fb55/css-select', runner: 'Vitest', isAside: true },
  { name: 'moment/luxon', runner: 'Jest', isAside: true },
  { name: 'koajs/koa', runner: 'node:test', isAside: true },
  { name: 'mahmoud/boltons', runner: 'pytest', isAside: true },
  { name: 'go-chi/chi', runner: 'Go', tip: 'v5.0.10', isAside: true },
]
