import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { quote } from '../../engines/sandbox/shell.ts'
import { fillIn, toolsDirectory } from '../../engines/test-plan/placeholders.ts'
import type { PlanPart, Step } from '../../engines/test-plan/plan.ts'

/** A checkout with installed dependencies, in which a shell runs the tests. */
export interface ShellCheckout {
  root: string
  /** Runs the tests once and returns the milliseconds. */
  test(): Promise<number>
  /** Runs any step of the plan, which may fail. */
  run(step: Step): Promise<{ ms: number; exitCode: number | null }>
}

/** Clones the repository and runs the install step of the plan. */
export async function checkOutForShell(
  repository: string,
  directory: string,
  { install, test }: Pick<PlanPart, 'install' | 'test'>,
): Promise<ShellCheckout> {
  const root = join(directory, 'checkout')
  const paths = { root, output: join(directory, 'output'), deps: join(directory, 'deps'), tools: toolsDirectory }
  await promisify(execFile)('git', ['clone', '--quiet', repository, root])
  await mkdir(paths.deps, { recursive: true })

  async function inShell({ argv, environment }: Step) {
    await rm(paths.output, { recursive: true, force: true })
    await mkdir(paths.output)
    const own = Object.entries(environment).map(([name, value]) => [name, fillIn(value, paths)])
    const command = argv.map((word) => quote(fillIn(word, paths))).join(' ')
    const child = spawn('sh', ['-c', command], {
      cwd: root,
      // The sandbox uses the same Node.
      env: {
        ...process.env,
        CI: 'true',
        PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
        ...Object.fromEntries(own),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let printed = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => void (printed += text))
    const [exitCode] = (await once(child, 'close')) as [number | null]
    return { exitCode, complaint: `${command} ended with ${exitCode}:\n${printed}` }
  }
  async function mustSucceed(step: Step): Promise<void> {
    const { exitCode, complaint } = await inShell(step)
    if (exitCode !== 0) throw new Error(complaint)
  }

  if (install) await mustSucceed(install)
  return {
    root,
    async test() {
      const startedAt = performance.now()
      await mustSucceed(test)
      return performance.now() - startedAt
    },
    async run(step) {
      const startedAt = performance.now()
      const { exitCode } = await inShell(step)
      return { ms: performance.now() - startedAt, exitCode }
    },
  }
}
