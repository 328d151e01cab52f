import type { SimpleCommand, Word } from '../command-line.ts'
import { nameOf, parseCommandLine } from '../command-line.ts'
import type { Package } from './package.ts'
import type { Runner, RunnerCommand } from './runner.ts'
import { nodeScript } from './others.ts'
import { runners } from './runners.ts'

/** The stages of a script in order. */
export type Stage =
  | { kind: 'runner'; runner: Runner; command: RunnerCommand }
  /** Says nothing of whether tests pass: linters, formatters, uploads of coverage. */
  | { kind: 'aside'; line: string }
  | { kind: 'other'; line: string }
  /** Runs the tests of the workspace's packages. */
  | { kind: 'workspaces'; script: string }

const maxDepth = 5
const maxStages = 50
/** The reader of the manifest cuts longer ones. */
const maxLineLength = 999

const asides = new Set(
  (
    'eslint standard xo prettier biome oxlint oxfmt tslint tsd dtslint jshint jscs semistandard ts-standard stylelint ' +
    'publint attw knip depcheck commitlint cspell codecov coveralls nyc-report size-limit echo zuul snazzy lockfile-lint ' +
    'markdownlint markdownlint-cli2 remark alex nsp snyk flow tstyche'
  ).split(' '),
)

/** Returns null if the line needs a shell. `seen` are the outer scripts, so that recursion adds nothing. */
export function stagesOf(line: string, project: Package, seen: readonly string[] = []): Stage[] | null {
  const commands = parseCommandLine(line, { pipes: true })
  if (commands === null || commands.length > maxStages || line.length > maxLineLength) return null
  const stages: Stage[] = []
  for (const command of commands) {
    stages.push(...stagesOfCommand(unwrapped(command), project, seen))
    if (stages.length > maxStages) return null
  }
  return stages
}

/** Returns a script with its `pre` script. */
export function stagesOfScript(name: string, project: Package, seen: readonly string[] = []): Stage[] | null {
  if (seen.includes(name) || seen.length > maxDepth) return []
  const line = project.scripts.get(`pre${name}`)
  const before = line === undefined ? [] : (stagesOf(line, project, [...seen, name]) ?? [{ kind: 'other', line }])
  const own = stagesOf(project.scripts.get(name) ?? '', project, [...seen, name])
  return own && [...before, ...own]
}

/** Programs that show the output of tests. They decide nothing, so that a run can do without them. */
const formatter =
  /^(?:tap-(?:arc|colorize|diff|difflet|dot|html|json|junit|markdown|min|mocha-reporter|nirvana|notify|nyan|nyan-cat|out|parser|pessimist|prettify|simple|spec|spec-dot|summary|xunit)|faucet|colortape|tnyan|txm|tspec|tapspec|tee|cat|bunyan|pino-\w+|codecov|coveralls|snazzy)$/

function stagesOfCommand(command: SimpleCommand, project: Package, seen: readonly string[]): Stage[] {
  const { pipedInto = [], ...alone } = command
  if (pipedInto.length > 0) {
    const isShown = pipedInto.every(({ words }) => formatter.test(programName(launched(words)[0]?.text ?? '')))
    const stages = isShown ? stagesOfCommand(alone, project, seen) : []
    if (stages.some(({ kind }) => kind === 'runner')) return stages
    return [{ kind: isAside(command.words) ? 'aside' : 'other', line: sourceOf(command) }]
  }
  const workspaces = workspaceScript(command.words)
  if (workspaces) return [{ kind: 'workspaces', script: workspaces }]
  const called = calledScripts(command.words, project)
  if (called) {
    return called.flatMap((name) => {
      const whole: Stage = { kind: isAsideName(name) ? 'aside' : 'other', line: `npm run ${name}` }
      return (stagesOfScript(name, project, seen) ?? [whole]).map(withEnvironment(command))
    })
  }
  const found = runnerOf(command, project)
  if (found) return [{ kind: 'runner', ...found }]
  return [{ kind: isAside(command.words) ? 'aside' : 'other', line: command.source }]
}

const sourceOf = ({ source, pipedInto = [] }: SimpleCommand) =>
  [source, ...pipedInto.map((next) => next.source)].join(' | ')

/** Removes programs that only set variables: `cross-env`, `dotenv`. */
function unwrapped(command: SimpleCommand): SimpleCommand {
  const [first, ...rest] = command.words
  const program = programName(first?.text ?? '')
  if (program === 'cross-env' || program === 'env') {
    const environment = { ...command.environment }
    const end = rest.findIndex(({ text }) => !/^[A-Za-z_]\w*=/.test(text))
    if (end === -1) return command
    for (const { text } of rest.slice(0, end)) environment[nameOf(text)] = text.slice(text.indexOf('=') + 1)
    return { ...command, environment, words: rest.slice(end) }
  }
  if (program === 'dotenv' || program === 'dotenvx' || program === 'env-cmd') {
    const end = rest.findIndex(({ text }) => text === '--')
    return end === -1 ? command : { ...command, words: rest.slice(end + 1) }
  }
  return command
}

export function withEnvironment({ environment }: SimpleCommand) {
  return (stage: Stage): Stage =>
    stage.kind === 'runner'
      ? { ...stage, command: { ...stage.command, environment: { ...environment, ...stage.command.environment } } }
      : stage
}

/**
 * Returns the runner that a command starts, also through `cross-env`, `npx`, `c8` and similar programs.
 *
 * @param project - shows with which library the programs of the project test, such as `node test.js`
 */
export function runnerOf(command: SimpleCommand, project?: Package): { runner: Runner; command: RunnerCommand } | null {
  const environment: Record<string, string> = { ...command.environment }
  let coverage: RunnerCommand['coverage'] = null
  let words = command.words
  for (let count = 0; count < 8; count++) {
    const [first, ...rest] = words
    if (!first) return null
    const program = programName(first.text)
    if (program === 'node' || program === 'tsx' || program === 'ts-node')
      return nodeRunner(program, rest, environment) ?? tapScript(program, rest, environment, project)
    const inside = unwrapped({ environment: {}, words, source: '' })
    if (inside.words !== words) {
      Object.assign(environment, inside.environment)
      words = inside.words
    } else if (program === 'c8' || program === 'nyc') {
      const end = endOfOptions(rest)
      coverage = { tool: program, options: rest.slice(0, end).map(({ text }) => text) }
      words = rest.slice(end)
    } else {
      const inner = withoutLauncher(program, rest)
      if (inner === null) {
        const runner = runners.find(({ programs }) => programs.includes(program))
        const made = { environment, node: [], coverage, words: rest }
        return runner && belongs(runner, rest) ? { runner, command: made } : null
      }
      words = inner
    }
  }
  return null
}

/** Playwright and react-scripts have other commands besides `test`. */
function belongs(runner: Runner, words: readonly Word[]): boolean {
  const first = words[0]?.text
  return !['playwright', 'react-scripts'].some((name) => runner.programs.includes(name)) || first === 'test'
}

function nodeRunner(program: string, words: readonly Word[], environment: Record<string, string>) {
  const at = words.findIndex(({ text }) => /(?:^|\/)node_modules\//.test(text))
  const file = /(?:^|\/)node_modules\/(?:\.bin\/)?(.*)$/s.exec(words[at]?.text ?? '')?.[1] ?? ''
  const byFile = runners.find((runner) => file !== '' && (runner.file.test(file) || runner.programs.includes(file)))
  const options = words.slice(0, Math.max(at, 0)).map(({ text }) => text)
  if (byFile) {
    return { runner: byFile, command: { environment, node: options, coverage: null, words: words.slice(at + 1) } }
  }
  const test = runners.find(({ name }) => name === 'node:test')
  const asked = words.some(({ text }) => text === '--test')
  return asked && test ? { runner: test, command: { environment, node: [program], coverage: null, words } } : null
}

const testScript = /(?:^|\/)(?:tests?|specs?)(?:$|[./-])|[._-](?:tests?|spec)\.[cm]?[jt]s$/
const valuedByNode = /^(?:-r|--require|--import|--loader|--experimental-loader|-C|--conditions|--env-file)$/

/** A program of the project whose tests are written with tape, which prints their results. */
function tapScript(program: string, words: readonly Word[], environment: Record<string, string>, project?: Package) {
  if (!project?.dependencies.has('tape')) return null
  let at = 0
  while (words[at]?.text.startsWith('-')) at += valuedByNode.test(words[at]?.text ?? '') ? 2 : 1
  const files = words.slice(at)
  // Node runs the first file, and the others are its arguments.
  if (files.length !== 1 || !files.every(({ text }) => testScript.test(text))) return null
  const node = [program, ...words.slice(0, at).map(({ text }) => text)]
  return { runner: nodeScript, command: { environment, node, coverage: null, words: files } }
}

/** `npx --yes jest` is jest; null for a program that launches nothing. */
function withoutLauncher(program: string, words: readonly Word[]): readonly Word[] | null {
  const first = words[0]?.text ?? ''
  const afterOptions = (list: readonly Word[]) => list.slice(list.findIndex(({ text }) => !text.startsWith('-')))
  if (program === 'npx' || program === 'bunx' || program === 'pnpx') return afterOptions(words)
  if (program === 'npm') return first === 'exec' ? afterOptions(words.slice(1)) : null
  if (program === 'pnpm' || program === 'yarn' || program === 'bun') {
    if (first === 'exec' || first === 'x') return afterOptions(words.slice(1))
    if (first === 'run') return afterOptions(words.slice(1))
    return program === 'bun' ? null : afterOptions(words)
  }
  return null
}

/** Returns the names of the scripts of the package that a command runs; null if it runs none. */
function calledScripts(words: readonly Word[], project: Package): string[] | null {
  const [program = '', ...rest] = words.map(({ text }) => text)
  const plain = rest.filter((word) => !word.startsWith('-'))
  if (/^(?:run-s|npm-run-all2?|run-p)$/.test(program)) {
    const names = plain.flatMap((name) => matchingScripts(name, project))
    return names.length > 0 ? names : null
  }
  if (!/^(?:npm|pnpm|yarn|bun)$/.test(program)) return null
  // Arguments behind the name would get lost on the way to the runner.
  const [first = '', second = ''] = plain
  const name = /^(?:run|run-script|rum)$/.test(first) ? second : first === 't' || first === 'tst' ? 'test' : first
  if (program === 'npm' && name === first && name !== 'test') return null
  if (program === 'bun' && name === first) return null
  const count = name === first ? 1 : 2
  return project.scripts.has(name) && plain.length === count ? [name] : null
}

function matchingScripts(pattern: string, project: Package): string[] {
  if (!pattern.includes('*')) return project.scripts.has(pattern) ? [pattern] : []
  const prefix = pattern.slice(0, pattern.indexOf('*'))
  return [...project.scripts.keys()].filter((name) => name.startsWith(prefix) && name !== prefix)
}

function workspaceScript(words: readonly Word[]): string | null {
  const texts = words.map(({ text }) => text)
  const line = texts.join(' ')
  const patterns = [
    /^npm (?=.*(?:--workspaces|-ws)(?:\s|$)).*?(?:run )?(test[\w:-]*)/,
    /^pnpm (?=.*(?:-r|--recursive|--filter)(?:[\s=]|$)).*?(?:run )?(?:\s|^)?(test[\w:-]*)/,
    /^yarn workspaces (?:foreach .*?run |(?:run )+)(test[\w:-]*)/,
    /^(?:npx )?(?:lerna run|turbo(?: run)?|wsrun|ultra -r) .*?(test[\w:-]*)/,
    /^(?:npx )?nx run-many .*?(?:-t|--target)[= ](test[\w:-]*)/,
  ]
  return patterns.map((pattern) => pattern.exec(line)?.[1]).find((name) => name !== undefined) ?? null
}

const launched = (words: readonly Word[]) => withoutLauncher(words[0]?.text ?? '', words.slice(1)) ?? words

function isAside(words: readonly Word[]): boolean {
  const inner = launched(words)
  const program = programName(inner[0]?.text ?? '')
  const rest = inner.slice(1).map(({ text }) => text)
  if (program === 'tsc' || program === 'vue-tsc') return rest.includes('--noEmit')
  if (program === 'nyc' || program === 'c8') return rest.includes('report') || rest.includes('check-coverage')
  return asides.has(program) || isAsideName(rest[0] ?? '')
}

function isAsideName(script: string): boolean {
  return /(?:^|[:/-])(?:lint|format|typecheck|types?-?check)(?:$|:)/.test(script)
}

function programName(text: string): string {
  return text.replace(/^(?:\.\/)?node_modules\/\.bin\//, '')
}

/** Returns the first word that is neither an option nor its value. */
function endOfOptions(words: readonly Word[]): number {
  const valued =
    /^(?:-r|--reporter|--report-dir|--reports-dir|-o|-x|--exclude|-n|--include|--require|--extension|-e|--lines|--branches|--functions|--statements|--temp-dir|--src|--cwd)$/
  let at = 0
  while (words[at]?.text.startsWith('-')) at += valued.test(words[at]?.text ?? '') ? 2 : 1
  return Math.min(at, words.length)
}
