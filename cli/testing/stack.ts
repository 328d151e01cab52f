import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createTestApp, type TestApp } from '../../core/testing/app.ts'

/** Core on its own database, with the AI service beside it as a process of its own. */
export async function startCore(): Promise<TestApp> {
  await using opened = new AsyncDisposableStack()
  const ai = fork(resolve(import.meta.dirname, '../../ai-service/main.ts'), {
    env: { PATH: process.env['PATH'] ?? '', AI_PORT: '0', LOG_LEVEL: 'silent' },
    execArgv: [],
  })
  opened.defer(() => stop(ai))
  const url = `http://127.0.0.1:${await portOf(ai)}`
  const app = opened.use(await createTestApp({ ai: { url, secret: undefined, timeoutMs: 20_000 } }))
  const stack = opened.move()
  return { ...app, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

async function portOf(child: ChildProcess): Promise<number> {
  const said = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => undefined)])
  const [message] = said ?? []
  if (typeof message === 'object' && message !== null && typeof message.port === 'number') return message.port
  throw new Error('the AI service ended before it was ready')
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  await gone
}
