import type { SimpleCommand } from './command-line.ts'
import { parseCommandLine } from './command-line.ts'
import type { Ecosystem, InstallPlan, TestPlan } from './ecosystem.ts'
import { installStep, shellStep } from './ecosystem.ts'
import type { Folder } from './folder.ts'
import { reportedByNode } from './javascript/measure.ts'
import { makeVenv, venv } from './python/install.ts'
import { usualCoverage, usualReports } from './places.ts'
import type { PlanPart } from './plan.ts'

/** Makes tests of the setting "testCommand": with Assay's reporters if it is a plain command of a known runner, else unchanged. */
export async function ownersTests(
  folder: Folder,
  line: string,
  ecosystems: readonly Ecosystem[],
  claimed: readonly Ecosystem[],
): Promise<{ tests: TestPlan; ecosystem: Ecosystem | null }> {
  const [command, ...more] = parseCommandLine(line) ?? []
  if (command && more.length === 0) {
    const adopted = await adoptedBy([...claimed, ...ecosystems], folder, command)
    if (adopted) return adopted
  }
  const python = claimed.some(({ name }) => name === 'python')
  const node = claimed.some(({ name }) => name === 'javascript')
  const path = `PATH="$PWD/node_modules/.bin:${python ? '{deps}/venv/bin:' : ''}{deps}/manager/bin:$PATH"; export PATH`
  const because = 'the setting "testCommand" names it'
  const details = { because, command: line, environment: { CI: 'true' } }
  const commands = node
    ? reportedByNode(`${path}\n${line}`, line, details)
    : { test: shellStep(`${path}\n${line}`, details), coverage: usualCoverage }
  return {
    ecosystem: null,
    tests: {
      framework: null,
      ...commands,
      reports: alsoInOutput(line, usualReports),
      coverage: [...new Set([...commands.coverage, ...alsoInOutput(line, usualCoverage)])],
      failureExitCodes: null,
      notes: [],
    },
  }
}

async function adoptedBy(ecosystems: readonly Ecosystem[], folder: Folder, command: SimpleCommand) {
  for (const ecosystem of new Set(ecosystems)) {
    const tests = await ecosystem.adopt(folder, command)
    if (tests) return { tests: { ...tests, notes: [...notesOnDropped(command, tests), ...tests.notes] }, ecosystem }
  }
  return null
}

/** What they ask for is done without them. */
const doneAnyway =
  /^(?:-y|--yes|-v|--verbose|--run|--ci|--json|--coverage|--no-watch(?:All)?|--watch(?:All)?=false|--watch(?:All)?=0)$/

function notesOnDropped({ words }: SimpleCommand, { test }: TestPlan): string[] {
  const passedOn = (option: string) => test.argv.some((word) => word === option || word.split(' ').includes(option))
  const dropped = words
    .map(({ text }) => text)
    .filter((word) => /^--?\w/.test(word) && !doneAnyway.test(word) && !passedOn(word))
  if (dropped.length === 0) return []
  const options = [...new Set(dropped)].slice(0, 10).map((option) => `\`${option.slice(0, 100)}\``)
  return [
    `Options that Assay does not pass on: ${options.join(', ')}. Assay sets them itself or cannot use them in a run.`,
  ]
}

function alsoInOutput(line: string, globs: readonly string[]): string[] {
  return line.includes('{output}') ? [...globs, ...globs.map((glob) => `{output}/${glob}`)] : [...globs]
}

const doesNothing = /^(?:|true|:|none|skip)$/

/** Returns the install of the setting "installCommand"; nothing if it is empty or `true`. */
export function ownersInstall(
  setting: string,
  part: PlanPart,
  first: boolean,
): Pick<InstallPlan, 'manager' | 'install' | 'prepare'> {
  const line = setting.trim()
  const { manager } = part
  const isPython = part.ecosystem === 'python'
  // Python tests always run in a separate virtual environment.
  if (!first || (doesNothing.test(line) && !isPython)) return { manager, install: null, prepare: part.prepare }
  // `pip` is to mean that of the environment that the tests run in.
  const inside = isPython ? `${makeVenv} && PATH="${venv}/bin:$PATH" && export PATH\n${line}` : line
  const made = shellStep(inside, {
    command: line,
    because: 'the setting "installCommand" names it',
    environment: part.install?.environment ?? {},
  })
  const { folders = [], lockfiles = [], fillsDeps = true } = part.install ?? {}
  return {
    manager,
    // The command may read any file. It fills the same `folders` as the usual install.
    install: installStep(made, { lockfiles: [...lockfiles], readsTree: true, folders: [...folders], fillsDeps }),
    prepare: part.prepare,
  }
}
