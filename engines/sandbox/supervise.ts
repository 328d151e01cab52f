import { constants } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { count, megabytes, seconds } from './amounts.ts'
import type { Egress } from './egress.ts'
import { createDiskMeter, type DiskMeter, type Excess, tooManyBytes } from './disk-usage.ts'
import type { EndReason, ExecutionOutcome, ExecutionSpec, OutputSink } from './executor.ts'
import { openOutput, type Output } from './output.ts'
import type { Usage } from './usage.ts'

/** A started command, as its executor controls it. */
export interface Started {
  /** Resolves when the command ends. `problem` is set if the sandbox failed and the command did not run. */
  ended: Promise<{ exitCode: number | null; problem: string | null }>
  usage(): Promise<Usage> | Usage
  pids(): Promise<number[]>
  /** Asks all processes of the command to end. */
  terminate(): void
  /** Kills all processes of the command and resolves when none is left. Always called. */
  kill(): Promise<void>
  /** Called last, after the final reading of the usage. */
  close(): Promise<void>
}

export type Start = (ends: { stdout: number; stderr: number }) => Promise<Started>

const lookEveryMs = 100
/** Time after SIGTERM for test runners to write their reports, which a cancelled run does not need. */
const graceMs = { wall: 2_000, cancelled: 500 }

/** Why a command ended. `message` is what the reason does not say: which limit of the disk, which address, or what is broken. */
interface Stop {
  reason: EndReason
  message?: string | null
}

/** Runs the command that `start` starts until it ends or exceeds a limit, and returns the reason. */
export async function supervise(
  spec: ExecutionSpec,
  signal: AbortSignal,
  sink: OutputSink,
  writable: readonly string[],
  egress: Pick<Egress, 'tooManyRefusals'> | null,
  start: Start,
): Promise<ExecutionOutcome> {
  const begun = performance.now()
  const stopped = Promise.withResolvers<Stop>()
  const onAbort = () => stopped.resolve({ reason: 'cancelled' })
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) onAbort()
  void egress?.tooManyRefusals.then((message) => stopped.resolve({ reason: 'network', message }))
  const wall = setTimeout(() => stopped.resolve({ reason: 'wall' }), spec.limits.wallMs)
  let usage: Usage = { cpuMs: null, peakMemoryBytes: null, exceeded: null }
  try {
    if (signal.aborted) return outcome(spec, { reason: 'cancelled' }, null, usage, begun)
    const disk = await createDiskMeter(writable, spec.limits)
    const output = await openOutput(spec.scratch, sink, spec.limits.outputBytes, () =>
      stopped.resolve({ reason: 'output' }),
    )
    const started = await startWith(output, start)
    const looking = new AbortController()
    const watch = watchLimits(spec, started, disk, looking.signal)
    watch.then(
      (stop) => stop && stopped.resolve(stop),
      (error: unknown) => stopped.reject(error),
    )
    let stop: Stop | undefined
    try {
      stop = await Promise.race([stopped.promise, started.ended.then(() => undefined)])
      if (stop?.reason === 'wall' || stop?.reason === 'cancelled') {
        started.terminate()
        await Promise.race([started.ended, sleep(graceMs[stop.reason], undefined, { ref: false })])
      }
    } finally {
      looking.abort()
      await started.kill()
      // Kill first: reading the usage of thousands of processes takes long.
      usage = await started.usage()
      await started.close()
    }
    const end = { ...(await started.ended) }
    await output.drained()
    if (stop === undefined && end.problem === null) {
      stop = late(spec, usage, end.exitCode, await disk.excessAtEnd())
    }
    if (end.problem !== null && output.stderrTail() !== '') end.problem += `: ${output.stderrTail()}`
    const how: Stop =
      end.problem !== null
        ? { reason: 'infra', message: end.problem }
        : { reason: end.exitCode === 0 ? 'ok' : 'failed' }
    return outcome(spec, stop ?? how, end.exitCode, usage, begun)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return outcome(spec, { reason: 'infra', message }, null, usage, begun)
  } finally {
    clearTimeout(wall)
    signal.removeEventListener('abort', onAbort)
  }
}

async function startWith(output: Output, start: Start): Promise<Started> {
  try {
    return await start(output)
  } finally {
    output.closeOwnEnds()
  }
}

/** Resolves with the first exceeded limit; null when the command has ended. */
async function watchLimits(
  spec: ExecutionSpec,
  started: Started,
  disk: DiskMeter,
  done: AbortSignal,
): Promise<Stop | null> {
  for (;;) {
    await sleep(lookEveryMs, undefined, { signal: done }).catch(() => undefined)
    if (done.aborted) return null
    const usage = await started.usage()
    if (usage.exceeded !== null) return { reason: usage.exceeded }
    if (usage.cpuMs !== null && usage.cpuMs > spec.limits.cpuMs) return { reason: 'cpu' }
    const excess = await disk.excess(() => started.pids())
    if (excess !== null) return excess
  }
}

/** Returns a limit that the command exceeded shortly before it ended by itself. */
function late(spec: ExecutionSpec, usage: Usage, exitCode: number | null, disk: Excess | null): Stop | undefined {
  if (usage.exceeded !== null) return { reason: usage.exceeded }
  if (usage.cpuMs !== null && usage.cpuMs > spec.limits.cpuMs) return { reason: 'cpu' }
  if (disk !== null) return disk
  // The limit on the size of one file ended its writer before the next measurement.
  if (signalOf(exitCode) !== 'SIGXFSZ') return undefined
  return tooManyBytes(spec.limits.diskBytes)
}

function outcome(
  spec: ExecutionSpec,
  { reason, message = null }: Stop,
  exitCode: number | null,
  usage: Usage,
  begun: number,
): ExecutionOutcome {
  const signal = signalOf(exitCode)
  return {
    reason,
    exitCode,
    signal,
    message: describe(spec, reason, exitCode, signal, message),
    usage: {
      wallMs: Math.round(performance.now() - begun),
      cpuMs: usage.cpuMs === null ? null : Math.round(usage.cpuMs),
      peakMemoryBytes: usage.peakMemoryBytes,
    },
  }
}

/** Makes the outcome of an execution that could not be prepared. */
export function brokenOutcome(error: unknown): ExecutionOutcome {
  return {
    reason: 'infra',
    exitCode: null,
    signal: null,
    message: `The sandbox failed: ${error instanceof Error ? error.message : String(error)}`,
    usage: { wallMs: 0, cpuMs: null, peakMemoryBytes: null },
  }
}

/** Returns the signal behind an exit code, by the convention of shells, which sandboxes follow. */
function signalOf(exitCode: number | null): string | null {
  const found = Object.entries(constants.signals).find(([, value]) => exitCode === 128 + value)
  return found?.[0] ?? null
}

function describe(
  { limits }: ExecutionSpec,
  reason: EndReason,
  exitCode: number | null,
  signal: string | null,
  detail: string | null,
): string | null {
  const messages: Record<EndReason, string | null> = {
    ok: null,
    failed: signal === null ? `The command exited with code ${exitCode}.` : `${signal} ended the command.`,
    wall: `The command ran for more than ${seconds(limits.wallMs)}.`,
    cpu: `The command used more than ${seconds(limits.cpuMs)} of processor time.`,
    memory: `The command used more than ${megabytes(limits.memoryBytes)} of memory.`,
    processes: `The command started more than ${count(limits.processes)} processes and threads at once.`,
    output: `The command printed more than ${megabytes(limits.outputBytes)}.`,
    disk: detail,
    files: detail,
    network: detail,
    cancelled: 'The command was cancelled.',
    infra: `The sandbox failed: ${detail ?? 'it ended without a reason'}`,
  }
  return messages[reason]
}
