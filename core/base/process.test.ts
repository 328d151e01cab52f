import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'

let folder: string
let program: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-process-'))
  program = join(folder, 'program.mjs')
  const module = new URL('process.ts', import.meta.url).href
  await writeFile(
    program,
    `import { completeEnvironment, stopOnSignal } from '${module}'
     const { GIVEN, LATER } = await completeEnvironment()
     process.stdout.write(GIVEN + ' ' + LATER)
     stopOnSignal({ [Symbol.asyncDispose]: async () => void process.stdout.write(' stopped gracefully') })
     process.send('started')`,
  )
})
afterAll(() => rm(folder, { recursive: true }))

const start = () => {
  const env = { ...process.env, GIVEN: 'given', SETTINGS_FOLLOW: 'on' }
  const child = fork(program, { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  return { child, ended: once(child, 'exit'), printed: child.stdout ? text(child.stdout) : Promise.resolve('') }
}

test('a process waits for the settings of its launcher, and stops gracefully when the launcher ends', async () => {
  const { child, ended, printed } = start()
  child.send({ settings: { LATER: 'later' } })
  await once(child, 'message')
  child.disconnect()
  expect([await printed, (await ended)[0]]).toEqual(['given later stopped gracefully', 0])
})

test('a process that still waits ends with its launcher', async () => {
  const { child, ended, printed } = start()
  await once(child, 'spawn')
  child.disconnect()
  expect([await printed, (await ended)[0]]).toEqual(['', 0])
})
