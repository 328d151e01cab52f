import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { measuredByCoverage } from './measure.ts'

/** An interpreter with a package coverage that ends with `code`, such as for a plugin that is not installed. */
function runWith(code: number, program: string) {
  const folder = mkdtempSync(join(tmpdir(), 'assay-coverage-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const python = join(folder, 'python')
  writeFileSync(
    python,
    `#!/bin/sh
case "$*" in
  *'import coverage'*) exit 0 ;;
  *'coverage run'*) [ ${code} = 0 ] || { echo 'Plugin file covdefaults could not be imported' >&2; exit ${code}; } ;;
  *coverage*) exit 0 ;;
esac
case "$*" in *${program}*) echo "tests: $*"; exit 3 ;; esac
`,
  )
  chmodSync(python, 0o755)
  const { test: made } = measuredByCoverage(python, ['-m', program, 'tests'], { because: '', environment: {} })
  const [shell = '', ...args] = made.argv
  const ended = spawnSync(shell, args, {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', COVERAGE_FILE: join(folder, '.coverage') },
  })
  return { status: ended.status, stdout: ended.stdout, stderr: ended.stderr }
}

test('runs the tests with coverage, and ends as they do', () => {
  expect(runWith(0, 'pytest')).toMatchObject({
    status: 3,
    stdout: 'tests: -m coverage run --branch -m pytest tests\n',
  })
})

test('runs the tests without coverage where coverage does not start with the settings of the project', () => {
  const { status, stdout, stderr } = runWith(1, 'pytest')
  expect({ status, stdout }).toEqual({ status: 3, stdout: 'tests: -m pytest tests\n' })
  expect(stderr).toContain('# No coverage: coverage does not start with the settings of the project.')
})
