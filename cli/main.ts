import type { Invocation } from './invocation.ts'
import { invoke, reportFailure } from './invoke.ts'

const { env, stdin, stdout, stderr } = process
const invocation: Invocation = {
  args: process.argv.slice(2),
  env,
  cwd: process.cwd(),
  stdin,
  stdout,
  stderr,
  signals: process,
  fallBackTo: (exitCode) => void (process.exitCode = exitCode),
}

// The reader has closed the pipe, as `head` does.
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })
}
// An error outside of the command's own promise is reported in one line too.
process.on('uncaughtException', (error) => void exitWith(error))
async function exitWith(error: Error): Promise<void> {
  const exitCode = await reportFailure(error, invocation)
  process.exit(process.exitCode ?? exitCode)
}

process.exitCode = await invoke(invocation)
// Connections of an interrupted command would keep the process alive.
if (process.exitCode > 128) process.exit()
