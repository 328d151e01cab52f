import { randomUUID } from 'node:crypto'
import { acceptedContent, type CallToolResult, inputRequired } from '@modelcontextprotocol/server'
import { declaresTasks, requireTasks, type Task, taskCreated, type TaskSource } from '../protocol/tasks.ts'
import { type FixtureTool, text } from './tool.ts'

/** The end of a task, after the client has answered all its questions. */
interface Job {
  createdAt: number
  endsAt: number
  outcome: () => CallToolResult
  waitsFor: Record<string, unknown>
  cancelled: boolean
}

const confirmation = (message: string) => {
  const requestedSchema = { type: 'object', properties: { confirm: { type: 'boolean' } } } as const
  return inputRequired.elicit({ message, requestedSchema })
}

/** Slow tools with their tasks. */
export function createTaskTools(): { tools: readonly FixtureTool[]; source: TaskSource } {
  const jobs = new Map<string, Job>()

  const present = (taskId: string, { createdAt, endsAt, outcome, waitsFor, cancelled }: Job): Task => {
    const at = new Date(createdAt).toISOString()
    const head = { taskId, createdAt: at, lastUpdatedAt: at, ttlMs: 600_000, pollIntervalMs: 100 }
    if (cancelled) return { ...head, status: 'cancelled' }
    if (Object.keys(waitsFor).length > 0) return { ...head, status: 'input_required', inputRequests: { ...waitsFor } }
    if (Date.now() < endsAt) return { ...head, status: 'working' }
    try {
      return { ...head, status: 'completed', result: outcome() }
    } catch (error) {
      return { ...head, status: 'failed', error: { code: -32_603, message: String(error) } }
    }
  }

  const start = (seconds: number, outcome: () => CallToolResult, waitsFor: Record<string, unknown> = {}) => {
    const taskId = randomUUID()
    const createdAt = Date.now()
    const job = { createdAt, endsAt: createdAt + seconds * 1_000, outcome, waitsFor, cancelled: false }
    jobs.set(taskId, job)
    const { status: _, ...head } = present(taskId, job)
    return taskCreated({ ...head, status: 'working' })
  }

  const tools: FixtureTool[] = [
    { name: 'greet', properties: { name: { type: 'string' } }, run: ({ name }) => text(`Hello, ${String(name)}!`) },
    {
      name: 'slow_compute',
      properties: { seconds: { type: 'number' }, label: { type: 'string' } },
      run: ({ seconds, label }, ctx) => {
        const outcome = () => text(`computed ${String(label)}`)
        return declaresTasks(ctx) ? start(Number(seconds), outcome) : outcome()
      },
    },
    {
      name: 'failing_job',
      run: (_args, ctx) => {
        requireTasks(ctx)
        return start(1, () => ({ ...text('The job failed.'), isError: true }))
      },
    },
    {
      name: 'protocol_error_job',
      run: (_args, ctx) => {
        requireTasks(ctx)
        return start(0, () => {
          throw new Error('nothing can be said of it')
        })
      },
    },
    {
      name: 'confirm_delete',
      properties: { filename: { type: 'string' } },
      run: ({ filename }, ctx) => {
        requireTasks(ctx)
        return start(0, () => text('deleted'), { confirm: confirmation(`Delete ${String(filename)}?`) })
      },
    },
    {
      name: 'multi_input',
      run: (_args, ctx) => {
        requireTasks(ctx)
        return start(0, () => text('both answered'), { one: confirmation('One?'), two: confirmation('Two?') })
      },
    },
    {
      name: 'test_tool_with_task',
      run: (_args, ctx) => {
        requireTasks(ctx)
        const answer = acceptedContent<{ name: string }>(ctx.mcpReq.inputResponses, 'user_name')
        if (answer) return start(0, () => text(`Hello, ${answer.name}!`))
        const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } } as const
        return inputRequired({
          inputRequests: { user_name: inputRequired.elicit({ message: 'What is your name?', requestedSchema }) },
        })
      },
    },
  ]

  const source: TaskSource = {
    get: async (taskId) => {
      const job = jobs.get(taskId)
      return job && present(taskId, job)
    },
    update: async (taskId, answers) => {
      const job = jobs.get(taskId)
      for (const key of Object.keys(answers)) delete job?.waitsFor[key]
      return job !== undefined
    },
    cancel: async (taskId) => {
      const job = jobs.get(taskId)
      if (job && present(taskId, job).status !== 'completed') job.cancelled = true
      return job !== undefined
    },
  }
  return { tools, source }
}
