import { type ChildProcess, type ChildProcessOptions, lowerPriority, startChildProcess } from './child-processes.ts'

/** A child process that answers one job after the other. */
export interface JobProcess {
  child: ChildProcess<object>
  /** Gets the messages of the child. */
  receive: (message: object) => void
}

export function startJobProcess(program: string, options: ChildProcessOptions): JobProcess {
  const child = startChildProcess<object, object>(program, (message) => started.receive(message), options)
  const started: JobProcess = { child, receive: () => undefined }
  lowerPriority(child.pid)
  return started
}

/** An agent asks again within this time. Longer, and the memory is worth more to others. */
const keptMs = 60_000
/** What must be left. The idle processes of a large repository take up to 0.8 GiB. */
const minFreeBytes = 2 * 1024 ** 3
/** The time for a process to end its own children. */
const endMs = 2_000

let kept: { key: string; process: JobProcess; expiry: NodeJS.Timeout } | undefined

/** Returns the process that was kept for the key, if it still runs. The caller keeps it again or ends it. */
export function takeKept(key: string): JobProcess | undefined {
  if (kept?.key !== key) return undefined
  const { process, expiry } = kept
  kept = undefined
  clearTimeout(expiry)
  process.child.keepAlive(true)
  return process
}

/**
 * Keeps an idle process for a while, instead of the one that was kept before: what it has read and compiled is of use only
 * to the next job of the same kind. It never keeps this process from ending, and ends with it.
 */
export function keepProcess(key: string, process: JobProcess): void {
  if (kept) end(kept.process)
  kept = undefined
  if (globalThis.process.availableMemory() < minFreeBytes) return end(process)
  process.receive = () => undefined
  process.child.keepAlive(false)
  const forget = () => {
    if (kept?.process === process) kept = undefined
  }
  const expiry = setTimeout(() => {
    forget()
    end(process)
  }, keptMs)
  expiry.unref()
  void process.child.ended.then(forget)
  kept = { key, process, expiry }
}

/** The process closes what it has open when it is disconnected. */
function end({ child }: JobProcess): void {
  child.disconnect()
  const timeout = setTimeout(() => child.kill(), endMs)
  timeout.unref()
  void child.ended.then(() => clearTimeout(timeout))
}
