import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { assay, ended, hasTerminals, spawnAssay, spawnAtTerminal } from './testing/assay.ts'
import { startCommand } from './run-command.ts'
import { createGateScene, type GateScene } from './testing/gate-scene.ts'

// Every test starts processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let scene: GateScene
beforeAll(async () => void (scene = await createGateScene()))
afterAll(() => scene[Symbol.asyncDispose]())

test('exits with the code of the command', async () => {
  // Without a server, so that nothing else decides.
  const alone = { SVC_API_TOKEN: '', SVC_BASE_URL: 'http://127.0.0.1:9' }
  for (const code of [0, 1, 70, 127, 128, 130, 255]) {
    expect(await scene.gate(['--', 'sh', '-c', `exit ${code}`], alone)).toMatchObject({ exitCode: code })
  }
})

test('passes on each exit code from 0 to 255', async () => {
  const { stdin, stdout, stderr, env } = process
  const exitCodeOf = async (code: number) => {
    const place = { cwd: scene.checkout.path, env, stdin, stdout, stderr }
    return (await startCommand(['sh', '-c', `exit ${code}`], place).ended).exitCode
  }
  for (let code = 0; code < 256; code++) expect(await exitCodeOf(code)).toBe(code)
})

test('says 127 for a missing program, and 126 for one that may not be executed', async () => {
  await scene.checkout.write({ 'plain.txt': 'x' })
  const [missing, plain] = await Promise.all([
    scene.gate(['--', 'no-such-program-7']),
    scene.gate(['--', './plain.txt']),
  ])
  expect(missing).toMatchObject({
    exitCode: 127,
    stderr: 'Assay uploaded nothing, because there is no program no-such-program-7 (exit code 127).\n',
  })
  expect(plain).toMatchObject({
    exitCode: 126,
    stderr:
      'Assay uploaded nothing, because ./plain.txt could not be started: it may not be executed (exit code 126).\n',
  })
})

test('gives the command the streams, the environment and the arguments as they are', async () => {
  const script =
    'process.stdin.pipe(process.stdout); console.error(process.env.SVC_BASE_URL, process.argv.slice(1).join("|"))'
  const child = spawnAssay(['gate', '--', process.execPath, '-e', script, '--', '--json', 'a b', '$HOME'], {
    cwd: scene.checkout.path,
    env: scene.env,
    input: 'over stdin',
  })
  const { exitCode, stdout, stderr } = await ended(child)
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'over stdin' })
  expect(stderr).toContain(`${scene.env['SVC_BASE_URL']} --json|a b|$HOME\n`)
})

test('passes thousands of lines through, in order', async () => {
  const script =
    'for (let line = 0; line < 20000; line++) console.log(`line ${line} ${"x".repeat(80)}`); process.exitCode = 4'
  const { exitCode, stdout } = await scene.gate(['--', process.execPath, '-e', script])
  const lines = stdout.trimEnd().split('\n')
  expect(exitCode).toBe(4)
  expect(lines).toHaveLength(20_000)
  expect(lines.every((line, index) => line.startsWith(`line ${index} `))).toBe(true)
})

/** A command that says that it runs, and what it does with signals. */
const waiting = (onSignal: string) => `
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => { ${onSignal} })
  console.log('running')
  setInterval(() => {}, 1000)`

async function untilRunning(child: ChildProcess): Promise<void> {
  if (child.stdout) await once(child.stdout, 'data')
}

test.skipIf(!hasTerminals)('Ctrl-C at a terminal reaches the command once', async () => {
  const script = waiting("console.log('got ' + signal); setTimeout(() => process.exit(), 500)")
  const child = spawnAtTerminal(['gate', '--', process.execPath, '-e', script], {
    cwd: scene.checkout.path,
    env: scene.env,
  })
  let seen = ''
  child.stdout?.on('data', (chunk: Buffer) => (seen += chunk.toString()))
  await expect.poll(() => seen, { timeout: 20_000 }).toContain('running')
  child.stdin?.write('\u0003')
  await once(child, 'close')
  expect(seen.match(/got SIGINT/g)).toHaveLength(1)
  expect(seen).toContain('Assay uploaded nothing, because a signal stopped the command.')
})

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'passes %s on, and waits for the end of the command',
  async (signal) => {
    const script = waiting("console.log('got ' + signal); setTimeout(() => process.exit(42), 300)")
    const child = spawnAssay(['gate', '--', process.execPath, '-e', script], {
      cwd: scene.checkout.path,
      env: scene.env,
    })
    const output = ended(child)
    await untilRunning(child)
    child.kill(signal)
    const { exitCode, stdout, stderr } = await output
    expect({ exitCode, stdout }).toEqual({ exitCode: 42, stdout: `running\ngot ${signal}\n` })
    expect(stderr).toBe('Assay uploaded nothing, because a signal stopped the command.\n')
  },
)

test.each([
  ['SIGTERM', 143],
  ['SIGKILL', 137],
  ['SIGSEGV', 139],
] as const)('exits with 128 and the number of %s if it killed the command', async (signal, code) => {
  const { exitCode, stderr } = await scene.gate(['--', 'sh', '-c', `kill -${signal.slice(3)} $$`])
  expect(exitCode).toBe(code)
  expect(stderr).toBe(`Assay uploaded nothing, because ${signal} ended the command.\n`)
})

test('keeps the exit code if the reader of its output is gone', async () => {
  const main = resolve(import.meta.dirname, 'main.ts')
  const child = spawn(process.execPath, [main, 'gate', '--json', '--', process.execPath, 'suite.mjs', '9', 'none'], {
    cwd: scene.checkout.path,
    env: { ...process.env, ...scene.env },
  })
  child.stdout.destroy()
  const said = text(child.stderr)
  await once(child, 'close')
  expect({ exitCode: child.exitCode, said: await said }).toEqual({
    exitCode: 9,
    said: expect.stringContaining('no report'),
  })
})

test.each([
  [['npm', 'test'], 'Write the command after two dashes'],
  [['npm', '--', 'test'], 'Write the command after two dashes'],
  [['--'], 'Write the command after two dashes'],
  [['--timeout', '0', '--', 'true'], 'It must be a time from 1s to 60m'],
  [['--ran-at', 'yesterday', '--', 'true'], 'It must be a time such as'],
])('refuses %j before the command runs', async (words, message) => {
  const { exitCode, stdout, stderr } = await assay(['gate', ...words], { cwd: scene.checkout.path, env: scene.env })
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(stderr).toContain(message)
})

test('a failure with --json before the dashes is a document, and one after them is none', async () => {
  const before = await assay(['gate', '--json', 'npm'], { env: scene.env })
  expect(JSON.parse(before.stdout)).toMatchObject({ error: { code: 'WRONG_USAGE', exitCode: 2 } })
  const after = await assay(['gate', 'x', '--', 'npm', '--json'], { env: scene.env })
  expect(after).toMatchObject({ exitCode: 2, stdout: '' })
})
