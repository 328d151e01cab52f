import { z } from 'zod'

/** Whether something works and, where it does not, why and what to do. */
const Check = z.object({
  ok: z.boolean(),
  problem: z.string().nullable(),
  /** What to do about the problem, or to get more out of what works. */
  advice: z.string().nullable(),
})
export type Check = z.infer<typeof Check>

export const DatabaseCheck = Check
export type DatabaseCheck = z.infer<typeof DatabaseCheck>

export const StorageCheck = Check.extend({ kind: z.enum(['folder', 's3']) })
export type StorageCheck = z.infer<typeof StorageCheck>

export const AiCheck = Check.extend({
  reachable: z.boolean(),
  /** What answers for the AI service; `mock` asks no model. */
  provider: z.string().nullable(),
})
export type AiCheck = z.infer<typeof AiCheck>

/** What the code of test runs is kept from. */
export const Isolation = z.object({
  /** The network, but for addresses of the internet while dependencies are installed. */
  network: z.boolean(),
  /** This machine's files, but for its toolchains. */
  filesystem: z.boolean(),
  /** Using more memory, processor, processes, disk and output than it may. */
  limits: z.boolean(),
})
export type Isolation = z.infer<typeof Isolation>

export const ExecutorCheck = Check.extend({
  /** Null where no sandbox can be used, or other processes run the tests. */
  name: z.string().nullable(),
  isolates: Isolation.nullable(),
  description: z.string().nullable(),
  /** True while the check is still running, so that `ok` says nothing yet. */
  pending: z.boolean().optional(),
})
export type ExecutorCheck = z.infer<typeof ExecutorCheck>

export const QueueCounts = z.object({
  waiting: z.int(),
  running: z.int(),
  /** Since when the first in the queue waits; null if nothing waits. */
  oldestWaitSeconds: z.int().nullable(),
  /** How many of them are worked on at a time; null where other processes decide that. */
  capacity: z.int().nullable(),
})
export type QueueCounts = z.infer<typeof QueueCounts>

/** Everything that users wait for, of the whole server. */
export const Queues = z.object({
  runs: QueueCounts,
  verifications: QueueCounts,
  changes: QueueCounts,
  /** Measurements of strength. */
  measurements: QueueCounts,
  analyses: QueueCounts,
  /** A delivery waits once it is due; one that is scheduled for a later retry does not. */
  deliveries: QueueCounts,
})
export type Queues = z.infer<typeof Queues>

/** The command that starts the MCP server over stdio. */
export const StdioServer = z.object({
  command: z.string(),
  args: z.array(z.string()),
  /** The settings that differ from the defaults. */
  env: z.record(z.string(), z.string()),
})
export type StdioServer = z.infer<typeof StdioServer>

/** How agents reach the MCP server. */
export const Connect = z.object({
  /** Its address over HTTP; null where core does not know it. */
  mcpUrl: z.string().nullable(),
  /** Null but for local mode. */
  stdio: StdioServer.nullable(),
})
export type Connect = z.infer<typeof Connect>

export const SystemStatus = z.object({
  version: z.string(),
  /** The server's clock. */
  time: z.iso.datetime(),
  /** Local mode: one machine, one person. */
  local: z.boolean(),
  database: DatabaseCheck,
  storage: StorageCheck,
  ai: AiCheck,
  executor: ExecutorCheck,
  /** Test runs, as in `queues`. Null while the database does not answer. */
  queue: QueueCounts.nullable(),
  /** Null while the database does not answer. */
  queues: Queues.nullable().optional(),
  connect: Connect.optional(),
  /** Whether the server sends mail. Without `SMTP_URL`, it writes it into its log. */
  sendsMail: z.boolean().optional(),
})
export type SystemStatus = z.infer<typeof SystemStatus>
