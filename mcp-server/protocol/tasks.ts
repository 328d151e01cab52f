import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
  type Transport,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { cleanLine, shorten } from '../../client/sanitize.ts'

/** The protocol's extension for long calls: the client gets a task and polls it until it has ended. */
export const tasksExtension = 'io.modelcontextprotocol/tasks'

interface TaskHead {
  taskId: string
  statusMessage?: string
  createdAt: string
  lastUpdatedAt: string
  /** How long the task can be polled; null for no limit. */
  ttlMs: number | null
  pollIntervalMs: number
}

/** A failed tool call is a completed task. `failed` is a task without a result. */
export type Task = TaskHead &
  (
    | { status: 'working' | 'cancelled' }
    | { status: 'input_required'; inputRequests: Record<string, unknown> }
    | { status: 'completed'; result: CallToolResult }
    | { status: 'failed'; error: { code: number; message: string } }
  )

/** The source of tasks. Returns undefined or false for unknown tasks and those of other callers. */
export interface TaskSource {
  get: (taskId: string, ctx: ServerContext) => Promise<Task | undefined>
  /** Accepts the client's answers to `inputRequests`. */
  update: (taskId: string, answers: Record<string, unknown>, ctx: ServerContext) => Promise<boolean>
  /** Requests cancellation; a task that has ended does not change. */
  cancel: (taskId: string, ctx: ServerContext) => Promise<boolean>
}

const Declared = z.object({ [CLIENT_CAPABILITIES_META_KEY]: z.record(z.string(), z.unknown()) })
const WithTasks = z.object({ extensions: z.object({ [tasksExtension]: z.looseObject({}) }) })

/** Returns the capabilities that the client declares in its request. In the older era there are none. */
export function declaredWith(ctx: ServerContext): Record<string, unknown> {
  return Declared.safeParse(ctx.mcpReq.envelope).data?.[CLIENT_CAPABILITIES_META_KEY] ?? {}
}

export const declaresTasks = (ctx: ServerContext): boolean => WithTasks.safeParse(declaredWith(ctx)).success

/** @throws ProtocolError for clients that did not declare the extension */
export function requireTasks(ctx: ServerContext): void {
  if (declaresTasks(ctx)) return
  const requiredCapabilities = { extensions: { [tasksExtension]: {} } }
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities }, `Declare the extension ${tasksExtension}.`)
}

/** Returns the result of a call that became a task; the client polls for the rest. */
export function taskCreated(task: Task): CallToolResult {
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs } = task
  const head = { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs }
  // The type requires the content that `TaskServer` removes.
  return { ...head, resultType: 'task', content: [] }
}

const TaskParams = z.looseObject({ taskId: z.string() })

/** Serves tasks to clients that declare the extension. */
export function serveTasks({ server }: McpServer, source: TaskSource): void {
  server.registerCapabilities({ extensions: { [tasksExtension]: {} } })
  const handle = <T>(
    method: string,
    act: (taskId: string, ctx: ServerContext) => Promise<T>,
    present: (outcome: Exclude<T, false | undefined>) => Record<string, unknown>,
  ) =>
    server.setRequestHandler(method, { params: TaskParams }, async ({ taskId }, ctx) => {
      requireTasks(ctx)
      const outcome = await act(taskId, ctx)
      if (outcome === undefined || outcome === false) throw unknownTask(taskId)
      return present(outcome as Exclude<T, false | undefined>)
    })
  const acknowledge = () => ({})
  handle('tasks/get', source.get, (task) => ({ ...task }))
  handle('tasks/update', (taskId, ctx) => source.update(taskId, ctx.mcpReq.inputResponses ?? {}, ctx), acknowledge)
  handle('tasks/cancel', source.cancel, acknowledge)
}

const unknownTask = (taskId: string) =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, `No such task: ${shorten(cleanLine(taskId), 80)}.`)

/** A server whose tools can return a task. The SDK adds `content` to every result, tasks included. */
export class TaskServer extends McpServer {
  override connect(transport: Transport): Promise<void> {
    const send = transport.send.bind(transport)
    transport.send = (message, options) => {
      if (!('result' in message) || message.result['resultType'] !== 'task') return send(message, options)
      const { content: _, ...result } = message.result
      return send({ ...message, result }, options)
    }
    return super.connect(transport)
  }
}
