import type { CallToolResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server'
import { declaresTasks, taskCreated, type TaskSource } from './tasks.ts'
import type { Tool } from '../tools/tool.ts'

type Result = CallToolResult | InputRequiredResult

/**
 * Calls a tool. Returns a task instead of waiting, where the work continues and the client supports tasks.
 *
 * @param call - calls the tool with these arguments
 */
export async function callAsTask(
  { task, inputSchema }: Tool,
  given: Record<string, unknown> | undefined,
  ctx: ServerContext,
  source: TaskSource,
  call: (given: Record<string, unknown> | undefined) => Promise<Result>,
): Promise<Result> {
  if (!task || !declaresTasks(ctx)) return call(given)
  const first = await call('waitSeconds' in inputSchema.shape ? { ...given, waitSeconds: 0 } : given)
  if (!('structuredContent' in first) || first.structuredContent === undefined) return first
  const taskId = task(first.structuredContent as Record<string, unknown>)
  const created = taskId === undefined ? undefined : await source.get(taskId, ctx)
  if (!created) return first
  return created.status === 'completed' ? created.result : taskCreated(created)
}
