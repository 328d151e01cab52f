import { execFile } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestCase } from '../../reports/report.ts'
import { readAll } from '../../reports/testing.ts'
import { executedWords, fillIn, toolsDirectory } from '../placeholders.ts'
import type { PlanPart, Step } from '../plan.ts'
import { partOf } from './tree.ts'

/** The packages of this project, including its test runners. */
const ownModules = fileURLToPath(new URL('../../../node_modules', import.meta.url))

export interface Ran {
  cases: TestCase[]
  code: number
  /** What the command printed. */
  text: string
}

export interface Project extends Disposable {
  part: PlanPart
  /** Runs a step of the part without a sandbox, and reads its reports. */
  run(step: Step): Promise<Ran>
}

/** Creates a project on disk that uses the packages of this project and the programs of this machine. */
export async function openProject(files: Record<string, string>): Promise<Project> {
  const part = await partOf(files)
  const place = mkdtempSync(join(tmpdir(), 'assay-project-'))
  const root = join(place, 'root')
  for (const [path, content] of Object.entries(files)) write(join(root, path), content)
  if (part.ecosystem === 'javascript') symlinkSync(ownModules, join(root, part.directory, 'node_modules'))
  const deps = join(place, 'deps')
  // Not a link, because Python would treat it as a virtual environment.
  write(join(deps, 'venv/bin/python'), '#!/bin/sh\nexec python3 "$@"\n', 0o755)
  let runs = 0
  return {
    part,
    async run(step) {
      const output = join(place, `output-${runs++}`)
      mkdirSync(output)
      const paths = { root, output, deps, tools: toolsDirectory }
      const own = Object.entries(step.environment).map(([name, value]) => [name, fillIn(value, paths)])
      const [program = '', ...args] = executedWords(step.argv, paths).map((word) => fillIn(word, paths))
      const { code, printed, errors } = await execute(program, args, {
        cwd: join(root, part.directory),
        env: {
          PATH: process.env.PATH,
          RUSTUP_HOME: join(homedir(), '.rustup'),
          HOME: place,
          // Those of this machine take seconds to load.
          PYTEST_DISABLE_PLUGIN_AUTOLOAD: '1',
          ...Object.fromEntries(own),
        },
      })
      if (step.stdoutReport) write(join(output, step.stdoutReport), printed)
      const cases: TestCase[] = []
      for (const glob of part.reports.map((text) => fillIn(text, paths))) {
        for (const path of globSync(glob)) {
          cases.push(...(await readAll(readFileSync(path), { name: path, roots: [root] })).cases)
        }
      }
      return { cases, code, text: `${printed}\n${errors}` }
    },
    [Symbol.dispose]: () => rmSync(place, { recursive: true, force: true }),
  }
}

interface Ended {
  code: number
  printed: string
  errors: string
}

function execute(program: string, args: string[], options: { cwd: string; env: NodeJS.ProcessEnv }) {
  return new Promise<Ended>((resolve) => {
    const child = execFile(program, args, { ...options, maxBuffer: 64 * 2 ** 20 }, (error, printed, errors) => {
      resolve({ code: child.exitCode ?? (error ? 1 : 0), printed, errors })
    })
  })
}

function write(path: string, content: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content, { mode })
}
