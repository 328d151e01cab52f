import type { Writable } from 'node:stream'

/**
 * Why an execution ended. `ok` and `failed` are the command's own end, by exit code 0 or any other; the others name the
 * limit that stopped it (`network`: too many refused connections), the caller who cancelled it, or `infra` if the
 * sandbox failed.
 */
export type EndReason =
  | 'ok'
  | 'failed'
  | 'wall'
  | 'cpu'
  | 'memory'
  | 'processes'
  | 'output'
  | 'disk'
  | 'files'
  | 'network'
  | 'cancelled'
  | 'infra'

/** The limits of one execution with all its child processes. */
export interface ExecutionLimits {
  wallMs: number
  /** Of all processes together. */
  cpuMs: number
  /** Of all processes together. */
  memoryBytes: number
  processes: number
  /** Output to stdout and stderr together. */
  outputBytes: number
  /** Data written to writable volumes and the temporary folder together. */
  diskBytes: number
  /** Files and folders created in them. */
  files: number
}

/**
 * A folder that the command sees. `lower` are read-only layers on the host, topmost first; `upper` is where its writes
 * go, null for a volume that is read-only. Without `lower`, `upper` itself is what it sees. The layers never change.
 */
export interface Volume {
  /** Where the command sees it: absolute. An executor that cannot mount says so by `fixedPaths`. */
  path: string
  lower: readonly string[]
  upper: string | null
}

/** Networks that the command may reach: none, or the internet through the egress proxy; never the host. */
export type NetworkAccess = 'none' | 'internet'

export interface ExecutionSpec {
  /** Program, looked up in the sandbox's PATH, and its arguments; no shell unless it is named here. */
  argv: readonly string[]
  /** A path as the command sees it. */
  cwd: string
  /** Environment variables of the command, besides PATH, HOME, TMPDIR and similar ones. */
  environment: Readonly<Record<string, string>>
  volumes: readonly Volume[]
  network: NetworkAccess
  limits: ExecutionLimits
  /** An empty folder on the host for the executor's files of this execution. The caller removes it. */
  scratch: string
}

/** Receives the output while the command runs. */
export interface OutputSink {
  stdout: Writable
  stderr: Writable
}

export interface ExecutionOutcome {
  reason: EndReason
  exitCode: number | null
  /** Name of the signal that ended the command, if one did. */
  signal: string | null
  /** One sentence for users, such as "The command used more than 2,048 MB of memory." Null for `ok`. */
  message: string | null
  usage: { wallMs: number; cpuMs: number | null; peakMemoryBytes: number | null }
}

export type ExecutorName = 'bwrap' | 'gvisor' | 'docker' | 'local'

/** Whether an executor works on this machine, shown by running a canary in it. */
export type Probe =
  | {
      usable: true
      description: string
      /** Sentences about what this machine lacks, and what the executor does instead. */
      gaps: string[]
    }
  | { usable: false; problem: string }

export interface Executor {
  name: ExecutorName
  /** False if commands see the paths of the host (`local`). The paths of volumes are then their `upper`. */
  mounts: boolean
  probe(signal: AbortSignal): Promise<Probe>
  /**
   * Runs the command to its end, which it never outlives: when this resolves, no process of it is left. Never rejects
   * for what the command does; an abort ends it with reason `cancelled`.
   */
  run(spec: ExecutionSpec, signal: AbortSignal, sink: OutputSink): Promise<ExecutionOutcome>
}
