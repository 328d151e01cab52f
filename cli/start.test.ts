import { execFile } from 'node:child_process'
import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { createFolder } from '../client/testing/repository.ts'

const run = promisify(execFile)
const checkout = resolve(import.meta.dirname, '..')
const start = resolve(import.meta.dirname, 'start.mjs')
const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], DATA_DIR: '/nonexistent' }

const saidBy = (program: string, args: string[], options: { cwd: string; env?: NodeJS.ProcessEnv }) =>
  run(program, args, { env, ...options }).then(
    ({ stdout }) => stdout,
    ({ stderr }: { stderr: string }) => stderr,
  )

test("resolves paths in the user's folder when npm runs the script of the checkout", async () => {
  await using folder = await createFolder()
  const cwd = await realpath(folder.path)
  const said = await saidBy('npm', ['--prefix', checkout, 'run', '-s', 'assay', '--', 'analyze', '.'], { cwd })
  expect(said).toContain(`${cwd} is not inside a git checkout`)
})

test('keeps its folder when npm runs a script of that name in another project', async () => {
  await using folder = await createFolder()
  const cwd = await realpath(folder.path)
  const npm = { npm_lifecycle_event: 'assay', npm_package_json: '/elsewhere/package.json', INIT_CWD: checkout }
  const said = await saidBy(process.execPath, [start, 'analyze', '.'], { cwd, env: { ...env, ...npm } })
  expect(said).toContain(`${cwd} is not inside a git checkout`)
})
