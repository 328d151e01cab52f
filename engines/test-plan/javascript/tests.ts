import type { TestPlan } from '../ecosystem.ts'
import { shellStep } from '../ecosystem.ts'
import type { Folder } from '../folder.ts'
import { usualReports } from '../places.ts'
import type { PlanType, Step } from '../plan.ts'
import { notToldApart } from '../test-folders.ts'
import { reportedByNode, startsNodeTest } from './measure.ts'
import { isWorkspace, majorVersion, readPackage } from './package.ts'
import type { Package } from './package.ts'
import type { Runner } from './runner.ts'
import { planWith } from './runner.ts'
import { runners } from './runners.ts'
import type { Stage } from './scripts.ts'
import { stagesOfScript } from './scripts.ts'

/** Scripts of one type, the usual name first. */
const scriptsOfType: Record<Exclude<PlanType, 'ALL'>, RegExp> = {
  UNIT: /^(?:tests?[:_-]units?|units?(?:[:_-]tests?)?)(?:[:_-](?:run|ci|node))?$/i,
  INTEGRATION: /^(?:tests?[:_-](?:integration|int|functional|it)|integration(?:[:_-]tests?)?)(?:[:_-](?:run|ci))?$/i,
  E2E: /^(?:tests?[:_-](?:e2e|end-to-end|playwright)|e2e(?:[:_-]tests?)?)(?:[:_-](?:run|ci))?$/i,
}

const maxScriptLength = 10_000

/** Commands of a script that run before the tests need the programs of the installed packages. */
export const scriptPath = 'PATH="$PWD/node_modules/.bin:{root}/node_modules/.bin:{deps}/manager/bin:$PATH"'

/** What the scripts of package.json run; without a script that says so, the runner that is among the dependencies. */
export async function javascriptTests(folder: Folder, type: PlanType): Promise<TestPlan[]> {
  const project = await readPackage(folder)
  const script = scriptFor(project, type)
  if (script !== null) return plansOfScript(folder, project, script, stagesOfScript(script, project), type)
  const declared =
    type === 'ALL' && !(await isWorkspace(folder, project)) ? declaredRunner(folder, project, null) : null
  return declared ? [runDirectly(declared, folder, project, null)] : []
}

/**
 * Returns an empty list if the script runs the tests of the workspace's packages.
 *
 * @param stages - the stages of the script; null if it needs a shell
 */
export function plansOfScript(
  folder: Folder,
  project: Package,
  script: string,
  stages: readonly Stage[] | null,
  type: PlanType = 'ALL',
): TestPlan[] {
  const plans = stages === null ? [] : plansOf(stages, folder, project, script)
  if (plans.length > 0 || stages?.some(({ kind }) => kind === 'workspaces')) return plans
  const declared = type === 'ALL' ? declaredRunner(folder, project, script) : null
  const testsNothing = stages?.every(({ kind }) => kind === 'aside') ?? false
  if (declared && testsNothing) return [runDirectly(declared, folder, project, script)]
  return [runScript(script, project, declared?.name)]
}

function scriptFor(project: Package, type: PlanType): string | null {
  if (type !== 'ALL') {
    const found = [...project.scripts.keys()].find((name) => scriptsOfType[type].test(name))
    if (found === undefined) throw notToldApart(type)
    return found
  }
  return ['test', 'tests', 'test:run', 'test:ci', 'test:unit', 'unit'].find((name) => project.scripts.has(name)) ?? null
}

function plansOf(stages: readonly Stage[], folder: Folder, project: Package, script: string): TestPlan[] {
  const plans: TestPlan[] = []
  let prepare: Step[] = []
  const because = `the script "${script}" of package.json`
  const leftOut = stages.flatMap((stage) => (stage.kind === 'aside' ? [stage.line] : []))
  for (const stage of stages) {
    if (stage.kind === 'other') {
      prepare.push(
        shellStep(`${scriptPath}; ${stage.line}`, { because: `${because} runs it before`, command: stage.line }),
      )
    } else if (stage.kind === 'runner') {
      const context = { folder, project, because: `${because} runs ${stage.runner.name}` }
      plans.push({ ...planWith(stage.runner, stage.command, context), prepare })
      prepare = []
    }
  }
  const [first] = plans
  const later = prepare.map(({ command }) => `\`${command.slice(0, 100)}\``)
  const last = plans.at(-1)
  if (last && later.length > 0) {
    last.notes = [...last.notes, `Not run: ${later.slice(0, 5).join(', ')}, which ${because} runs after the tests.`]
  }
  if (first && leftOut.length > 0) {
    const commands = [...new Set(leftOut)].slice(0, 5).map((line) => `\`${line.slice(0, 100)}\``)
    first.notes = [...first.notes, `Skipped commands that test nothing: ${commands.join(', ')}.`]
  }
  return plans
}

function declaredRunner(folder: Folder, project: Package, script: string | null): Runner | null {
  const byName = (name: string) => runners.find((runner) => runner.name === name) ?? null
  const line = project.scripts.get(script ?? '')?.slice(0, maxScriptLength) ?? ''
  if (startsNodeTest.test(line) && !/--import|--loader|\btsx?\b|ts-node/.test(line)) return byName('node:test')
  const names = ['vitest', 'jest', 'mocha', 'ava', 'tape', 'tap']
  // A runner that the script names comes before one that is only a dependency.
  const mentioned = names.filter((name) => new RegExp(`\\b${name}\\b`).test(line))
  const declared = [...mentioned, ...names].find(
    (name) =>
      project.declared.has(name) ||
      project.settings.includes(name) ||
      folder.paths.some((path) => path.startsWith(`${name}.config.`) || path.startsWith(`.${name}rc`)),
  )
  if (declared) return byName(declared)
  if (project.declared.has('@playwright/test')) return byName('playwright')
  const ownTests = folder.paths.some((path) =>
    /^(?!.*node_modules\/)(?:.*\/)?(?:[\w.-]+\.test|test)\.[cm]?js$/.test(path),
  )
  return project.scripts.size === 0 && ownTests ? byName('node:test') : null
}

function runDirectly(runner: Runner, folder: Folder, project: Package, script: string | null): TestPlan {
  const why =
    script === null
      ? `package.json names ${runner.name}`
      : `package.json names ${runner.name}, and its script "${script}" runs no tests`
  const isOldTap = runner.name === 'tap' && (majorVersion(project.dependencies.get('tap')) ?? 16) < 16
  if (isOldTap && script !== null) return runScript(script, project, runner.name)
  const node = runner.name === 'node:test' ? ['node'] : []
  return planWith(runner, { environment: {}, node, coverage: null, words: [] }, { folder, project, because: why })
}

/**
 * Runs a script as the project wrote it, because it is more than the plain command of a runner. Reports are looked for in
 * the usual places; without one, each runner that the script starts writes one.
 */
function runScript(script: string, project: Package, declared?: string): TestPlan {
  const line = [...project.scripts.values()].join('\n').slice(0, maxScriptLength)
  const { writtenFor = declared, ...reported } = reportedByNode(
    `${scriptPath}; npm run ${JSON.stringify(script)}`,
    line,
    {
      because: `package.json has the script "${script}", which is more than the plain command of a test runner`,
      command: script === 'test' ? 'npm test' : `npm run ${script}`,
      environment: { CI: 'true', npm_config_update_notifier: 'false' },
    },
  )
  return {
    framework: null,
    ...(writtenFor !== undefined && { writtenFor }),
    ...reported,
    reports: usualReports,
    failureExitCodes: null,
    notes: ['If Assay finds no report, let the script write a JUnit report, or set "testCommand" and "reportGlobs".'],
  }
}
