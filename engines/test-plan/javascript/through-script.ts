import type { SimpleCommand, Word } from '../command-line.ts'
import type { TestPlan } from '../ecosystem.ts'
import type { Folder } from '../folder.ts'
import type { Package } from './package.ts'
import { readPackage } from './package.ts'
import type { Stage } from './scripts.ts'
import { stagesOfScript, withEnvironment } from './scripts.ts'
import { plansOfScript } from './tests.ts'

/**
 * What the script runs that a command such as `npm test` or `yarn test:unit --bail` names. Empty where it runs the tests
 * of the workspace's packages, null where the command names none, or one whose runner is not known.
 */
export async function testsThroughScript(folder: Folder, command: SimpleCommand): Promise<TestPlan[] | null> {
  const project = await readPackage(folder)
  const called = calledScript(command.words, project)
  if (!called) return null
  const stages = stagesOfScript(called.script, project)?.map(withEnvironment(command)) ?? null
  const passedOn = called.words.length === 0 ? stages : stages && withWords(stages, called.words)
  if (passedOn === null && called.words.length > 0) return null
  const plans = plansOfScript(folder, project, called.script, passedOn)
  return plans.some(({ framework }) => framework === null) ? null : plans
}

const harmless = /^(?:-s|--silent|--if-present)$/

function calledScript(words: readonly Word[], project: Package): { script: string; words: readonly Word[] } | null {
  const [first, ...rest] = words
  const program = first?.text ?? ''
  if (!/^(?:npm|pnpm|yarn|bun)$/.test(program)) return null
  let at = 0
  const skipFlags = () => {
    while (harmless.test(rest[at]?.text ?? '')) at++
  }
  skipFlags()
  const isRun = /^(?:run|run-script|rum)$/.test(rest[at]?.text ?? '')
  if (isRun) {
    at++
    skipFlags()
  }
  const given = rest[at]?.text ?? ''
  const script = !isRun && /^(?:t|tst)$/.test(given) ? 'test' : given
  // `bun test` is a runner, not a script, and npm runs other scripts only with `run`.
  const isNamed = isRun || (program === 'npm' ? script === 'test' : program !== 'bun')
  const more = rest.slice(at + 1)
  const [separator] = more
  // npm reads the options before the separator itself.
  const isLost = program === 'npm' && separator?.text !== '--' && more.some(({ text }) => text.startsWith('-'))
  if (!isNamed || isLost || !project.scripts.has(script)) return null
  return { script, words: separator?.text === '--' ? more.slice(1) : more }
}

/** Package managers put further arguments at the end of a script. */
function withWords(stages: readonly Stage[], words: readonly Word[]): Stage[] | null {
  const last = stages.at(-1)
  if (last?.kind !== 'runner') return null
  return [...stages.slice(0, -1), { ...last, command: { ...last.command, words: [...last.command.words, ...words] } }]
}
