import {
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { CoreClient } from '../../client/core-client.ts'
import { cleanLine, shorten } from '../../client/sanitize.ts'
import { askCore } from './ask-core.ts'
import { callTool } from './call-tool.ts'
import { createAsker } from './confirmation.ts'
import { selectTools } from '../selection.ts'
import type { Runtime } from '../runtime.ts'
import type { TaskSource } from './tasks.ts'
import { loadTools } from '../tools/load.ts'
import type { TaskKind } from '../tools/tool.ts'

const pollIntervalMs = 1_000

/** Loaded with the first task, so that the server starts faster. */
const loadProgress = () => import('../../client/progress.ts')

/** The fields that analyses, runs, verifications and measurements share. */
const Work = z.object({
  status: z.string(),
  createdAt: z.string(),
  startedAt: z.string().nullable(),
  completedAt: z.string().nullable(),
})
type Work = z.infer<typeof Work>

interface Kind {
  /** Such tasks exist only where one of these tools is offered. */
  tools: readonly string[]
  get: (core: CoreClient, id: string) => Promise<{ work: Work; message: string | undefined }>
  /** Absent where core cannot cancel: the protocol allows a task to run to its end. */
  cancel?: {
    /** The tool that has to be offered. */
    like: string
    run: (core: CoreClient, id: string) => Promise<unknown>
  }
  /** The call that returns the outcome. */
  outcome: (id: string) => { tool: string; given: Record<string, unknown> }
}

const kinds: Readonly<Record<TaskKind, Kind>> = {
  analysis: {
    tools: ['analyze_repository'],
    get: async (core, analysisId) => {
      const work = await core.analysis.getAnalysis.query({ analysisId })
      return {
        work,
        message: work.progress ? (await loadProgress()).analysisProgress(work.progress).message : undefined,
      }
    },
    outcome: (analysisId) => ({ tool: 'analyze_repository', given: { analysisId, waitSeconds: 0 } }),
  },
  run: {
    tools: ['trigger_run', 'wait_for_run'],
    get: async (core, runId) => {
      const work = await core.testRuns.get.query({ runId })
      const { queue, progress } = work
      return { work, message: queue?.reason ?? (progress ? [progress.phase, progress.command].join(' ') : undefined) }
    },
    cancel: { like: 'cancel_run', run: (core, runId) => core.testRuns.cancel.mutate({ runId }) },
    outcome: (runId) => ({ tool: 'wait_for_run', given: { runId, waitSeconds: 0 } }),
  },
  verification: {
    tools: ['verify_test'],
    get: async (core, verificationId) => {
      const work = await core.tests.getVerification.query({ verificationId })
      return { work, message: work.progress ? (await loadProgress()).verificationProgress(work).message : undefined }
    },
    cancel: {
      like: 'verify_test',
      run: (core, verificationId) => core.tests.cancelVerification.mutate({ verificationId }),
    },
    outcome: (verificationId) => ({ tool: 'verify_test', given: { verificationId, waitSeconds: 0 } }),
  },
  change: {
    tools: ['verify_change'],
    get: async (core, changeId) => {
      const work = await core.changes.get.query({ changeId })
      return { work, message: work.progress ? (await loadProgress()).changeProgress(work).message : undefined }
    },
    cancel: { like: 'verify_change', run: (core, changeId) => core.changes.cancel.mutate({ changeId }) },
    outcome: (changeId) => ({ tool: 'verify_change', given: { changeId, waitSeconds: 0 } }),
  },
  measurement: {
    tools: ['find_weak_tests'],
    get: async (core, measurementId) => {
      const work = await core.strength.get.query({ measurementId })
      return { work, message: work.progress ? (await loadProgress()).measurementProgress(work).message : undefined }
    },
    cancel: {
      like: 'find_weak_tests',
      run: (core, measurementId) => core.strength.cancel.mutate({ measurementId }),
    },
    outcome: (measurementId) => ({ tool: 'find_weak_tests', given: { measurementId, waitSeconds: 0 } }),
  },
}

/**
 * Presents core's analyses, runs, verifications and measurements as tasks. The task id holds kind and id, so that the MCP server stores
 * nothing: tasks outlive restarts, and each look-up is a call with the caller's token.
 */
export function coreTasks(server: Server, runtime: Runtime): TaskSource {
  const look = async (taskId: string, ctx: ServerContext) => {
    const [, kindName, id] = /^(analysis|run|verification|change|measurement)_([0-9A-Z]{26})$/.exec(taskId) ?? []
    if (kindName === undefined || id === undefined) return undefined
    const kind = kinds[kindName as TaskKind]
    const { caller, ask } = await askCore(runtime, ctx)
    const offered = new Set(selectTools(caller.selection).map(({ name }) => name))
    if (!kind.tools.some((name) => offered.has(name))) return undefined
    const found = await ask(async (core) => {
      const { work, message } = await kind.get(core, id)
      return { work: Work.parse(work), message: message && shorten(cleanLine(message), 200) }
    })
    return found && { ...found, id, kind, caller, offered, ask }
  }

  return {
    get: async (taskId, ctx) => {
      const found = await look(taskId, ctx)
      if (!found) return undefined
      const { work, message, kind, id, caller } = found
      const head = {
        taskId,
        createdAt: work.createdAt,
        lastUpdatedAt: work.completedAt ?? work.startedAt ?? work.createdAt,
        ...(message === undefined ? {} : { statusMessage: message }),
        // Available as long as core stores the record.
        ttlMs: null,
        pollIntervalMs,
      }
      const status = work.status.toLowerCase()
      if (status === 'pending' || status === 'running') return { ...head, status: 'working' }
      if (status === 'cancelled') return { ...head, status: 'cancelled' }
      const { tool: name, given } = kind.outcome(id)
      const [tool] = (await loadTools()).definitionsOf([{ name }])
      if (!tool) throw new Error(`no tool ${name} returns the outcome`)
      const result = await callTool(tool, given, ctx, runtime, caller, createAsker(server, ctx))
      if (isInputRequiredResult(result)) throw new Error(`${name} asks although it only reads`)
      return { ...head, status: 'completed', result }
    },
    // No task asks its client while it runs.
    update: async (taskId, _answers, ctx) => (await look(taskId, ctx)) !== undefined,
    cancel: async (taskId, ctx) => {
      const found = await look(taskId, ctx)
      if (!found) return false
      const { kind, ask, id, offered } = found
      const { cancel } = kind
      if (!cancel) return true
      if (!offered.has(cancel.like)) {
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `The task was not cancelled, because ${cancel.like} is not available here.`,
        )
      }
      await ask((core) => cancel.run(core, id))
      return true
    },
  }
}
