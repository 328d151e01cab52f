import type { UpdateProjectSettings } from '../../core/projects/schema.ts'

/** A public repository whose strength is measured and into which mutants are planted. */
export interface ReachRepository {
  /** `owner/name` at the code host. Checkouts are found as `owner+name`. */
  name: string
  /** For the table. */
  runner: string
  /** The test command without checks of style and types. */
  command?: string
  /** Where mutants are planted. */
  code: RegExp
  /** Files that the subject has in addition, or other texts of files. */
  files?: Readonly<Record<string, string>>
  edits?: readonly { path: string; from: string; to: string; because: string }[]
  /** For a machine that reaches no other registry than npm's. */
  settings?: UpdateProjectSettings['settings'] & { environment?: Record<string, string> }
}

export const repositories: readonly ReachRepository[] = [
  {
    name: 'expressjs/express',
    runner: 'mocha',
    command: 'mocha --require test/support/env --check-leaks test/ test/acceptance/',
    code: /^(?:index|lib\/.+|examples\/.+)\.js$/,
  },
  { name: 'koajs/koa', runner: 'node:test', command: 'node --test', code: /^lib\/.+\.js$/ },
  {
    name: 'moment/luxon',
    runner: 'Jest',
    command: 'jest',
    code: /^src\/.+\.js$/,
    edits: [
      {
        path: 'jest.config.js',
        from: 'module.exports = {',
        to: "process.env.TZ = 'America/New_York'\nmodule.exports = {",
        because: 'Its tests expect the time zone of its author.',
      },
    ],
  },
  { name: 'unjs/ufo', runner: 'Vitest', command: 'vitest run', code: /^src\/.+\.ts$/ },
  { name: 'fb55/css-select', runner: 'Vitest', command: 'vitest run', code: /^src\/(?!.*\.spec\.).+\.ts$/ },
  { name: 'delvedor/find-my-way', runner: 'node:test', command: 'node --test', code: /^(?:index|lib\/.+)\.js$/ },
  { name: 'fastify/fast-json-stringify', runner: 'node:test', command: 'node --test', code: /^(?:index|lib\/.+)\.js$/ },
  { name: 'iamkun/dayjs', runner: 'Jest', command: 'jest', code: /^src\/(?!locale\/).+\.js$/ },
  {
    name: 'pallets/click',
    runner: 'pytest',
    code: /^src\/.+\.py$/,
    // Its tests ask for the version of the installed package.
    files: { 'src/click-8.5.0.dist-info/METADATA': 'Metadata-Version: 2.1\nName: click\nVersion: 8.5.0\n' },
    settings: { installCommand: 'true', environment: { PYTHONPATH: 'src' } },
  },
  { name: 'mahmoud/boltons', runner: 'pytest', code: /^boltons\/.+\.py$/, settings: { installCommand: 'true' } },
]
