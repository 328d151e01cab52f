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

/** The protocol's extension for calls that take long: the client gets a task and asks for it until it has ended. */
export const tasksExtension = 'io.modelcontextprotocol/tasks'

interface TaskHead {
  taskId: string
  statusMessage?: string
  createdAt: string
  lastUpdatedAt: string
  /** How long it can be asked for; null where that has no end. */
  ttlMs: number | null
  pollIntervalMs: number
}

/** A tool that failed has completed: `failed` is a task of which nothing can be said. */
export type Task = TaskHead &
  (
    | { status: 'working' | 'cancelled' }
    | { status: 'input_required'; inputRequests: Record<string, unknown> }
    | { status: 'completed'; result: CallToolResult }
    | { status: 'failed'; error: { code: number; message: string } }
  )

/** Where tasks come from. What is not there, and what is somebody else's, is undefined or false. */
export interface TaskSource {
  get: (taskId: string, ctx: ServerContext) => Promise<Task | undefined>
  /** Takes the client's answers to `inputRequests`. */
  update: (taskId: string, answers: Record<string, unknown>, ctx: ServerContext) => Promise<boolean>
  /** Asks for an end; a task that has ended stays as it is. */
  cancel: (taskId: string, ctx: ServerContext) => Promise<boolean>
}

const Declared = z.object({ [CLIENT_CAPABILITIES_META_KEY]: z.record(z.string(), z.unknown()) })
const WithTasks = z.object({ extensions: z.object({ [tasksExtension]: z.looseObject({}) }) })

/** What the client says with its request that it can do, as the newest era has it; nothing in the older one. */
export function declaredWith(ctx: ServerContext): Record<string, unknown> {
  return Declared.safeParse(ctx.mcpReq.envelope).data?.[CLIENT_CAPABILITIES_META_KEY] ?? {}
}

export const declaresTasks = (ctx: ServerContext): boolean => WithTasks.safeParse(declaredWith(ctx)).success

/** @throws the protocol's error for clients that did not declare the extension */
export function requireTasks(ctx: ServerContext): void {
  if (declaresTasks(ctx)) return
  const requiredCapabilities = { extensions: { [tasksExtension]: {} } }
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities }, `Declare the extension ${tasksExtension}.`)
}

/** What a call answers that has become a task, of which the rest is told when it is asked for. */
export function taskCreated(task: Task): CallToolResult {
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs } = task
  const head = { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs }
  // The type wants the content that `TaskServer` takes away again.
  return { ...head, resultType: 'task', content: [] }
}

const TaskParams = z.looseObject({ taskId: z.string() })

/** Answers for tasks, to clients that declare the extension. */
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
  new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no task ${shorten(cleanLine(taskId), 80)}.`)

/** A server whose tools may answer with a task. The SDK adds `content` to whatever a tool answers, tasks too. */
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
