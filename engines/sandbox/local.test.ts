import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createLocalExecutor } from './local.ts'
import { createBench, mebibyte, type Bench } from './testing.ts'

const executor = createLocalExecutor({ hostEnvironment: process.env })
let bench: Bench
beforeAll(async () => {
  bench = await createBench(executor)
})
afterAll(() => bench[Symbol.asyncDispose]())

function running(text: string): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').includes(text)
    } catch {
      return false
    }
  })
}

test('runs a command where its files are, with a clean environment', async () => {
  process.env.ASSAY_TEST_SECRET = 'do-not-show'
  const run = await bench.run('pwd; env; echo err >&2; ls -A "$HOME"; exit 4', { environment: { GREETING: 'hello' } })
  expect(run).toMatchObject({ reason: 'failed', exitCode: 4, stderr: 'err\n' })
  expect(run.stdout).toContain(`${bench.workspace}\n`)
  expect(run.stdout).toContain('GREETING=hello\n')
  expect(run.stdout).not.toContain('do-not-show')
  expect(await bench.run('', { argv: ['no-such-program'] })).toMatchObject({
    reason: 'failed',
    exitCode: 127,
    stderr: 'no-such-program: not found\n',
  })
})

test('copies layers into the upper folder once and leaves them as they are', async () => {
  const at = (name: string) => join(bench.folder, name)
  for (const name of ['base', 'over', 'upper']) await mkdir(at(name))
  await writeFile(join(at('base'), 'file'), 'base')
  await writeFile(join(at('over'), 'file'), 'over')
  const volumes = [{ path: '/ignored', lower: [at('over'), at('base')], upper: at('upper') }]
  const first = await bench.run('cat file; echo changed > file', { volumes, cwd: at('upper') })
  expect(first.stdout).toBe('over')
  const second = await bench.run('cat file', { volumes, cwd: at('upper') })
  expect(second.stdout).toBe('changed\n')
  expect(await readFile(join(at('base'), 'file'), 'utf8')).toBe('base')
  expect(await readdir(at('upper'))).toEqual(['file'])
})

test('stops what uses too much, each with its own reason', async () => {
  const reasonOf = async (...given: Parameters<Bench['run']>) => (await bench.run(...given)).reason
  expect(await reasonOf('sleep 60', { limits: { wallMs: 200 } })).toBe('wall')
  expect(await reasonOf('while :; do :; done', { limits: { cpuMs: 300 } })).toBe('cpu')
  expect(await reasonOf('head -c 2000000000 /dev/zero | tail -c 1900000000 > /dev/null')).toBe('memory')
  expect(await reasonOf('for i in $(seq 80); do sleep 60 & done; wait')).toBe('processes')
  expect(await reasonOf('yes', { limits: { outputBytes: 10_000 } })).toBe('output')
  const fill = 'while :; do head -c 4000000 /dev/zero > $RANDOM; done'
  expect(await reasonOf(fill, { limits: { diskBytes: 32 * mebibyte } })).toBe('disk')
  expect(await reasonOf('sleep 60', { signal: AbortSignal.timeout(200) })).toBe('cancelled')
})

test('leaves no process, however it hides one', async () => {
  const run = await bench.run('(setsid sleep 4811.1 >/dev/null 2>&1 &); trap "" TERM; sleep 4811.2 & exit 0')
  expect(run.reason).toBe('ok')
  expect(running('sleep 4811.')).toEqual([])
})

test('ends with the process that started it', async () => {
  const scratch = join(bench.folder, 'scratch-elsewhere')
  await mkdir(scratch)
  const spec = {
    argv: ['bash', '-c', '(setsid sleep 4812 &); trap "" TERM; echo started; sleep 4812'],
    cwd: bench.workspace,
    environment: {},
    volumes: [],
    network: 'none',
    limits: { wallMs: 1e6, cpuMs: 1e6, memoryBytes: 1e9, processes: 50, outputBytes: 1e6, diskBytes: 1e9, files: 1e6 },
    scratch,
  }
  const program = `
    import { createLocalExecutor } from ${JSON.stringify(join(import.meta.dirname, 'local.ts'))}
    await createLocalExecutor({ hostEnvironment: process.env }).run(${JSON.stringify(spec)}, new AbortController().signal, process)`
  const words = ['--input-type=module-typescript', '-e', program]
  const parent = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise((resolve) => parent.stdout.once('data', resolve))
  await vi.waitFor(() => expect(running('sleep 4812').length).toBeGreaterThan(0), 10_000)
  parent.kill('SIGKILL')
  await vi.waitFor(() => expect(running('sleep 4812')).toEqual([]), 10_000)
})

test('starts its own programs without the variables of the command', async () => {
  const loaded = join(bench.workspace, 'loaded')
  await writeFile(join(bench.workspace, 'preload.cjs'), `require('fs').appendFileSync(${JSON.stringify(loaded)}, 'x')`)
  const environment = { NODE_OPTIONS: `--require ${join(bench.workspace, 'preload.cjs')}`, OTHER: 'two\nlines' }
  const run = await bench.run('printf "%s|%s" "$NODE_OPTIONS" "$OTHER"', { environment })
  expect(run).toMatchObject({ reason: 'ok', stdout: `${environment.NODE_OPTIONS}|${environment.OTHER}` })
  expect(existsSync(loaded)).toBe(false)
})
