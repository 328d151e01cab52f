import { z } from 'zod'
import { number, once, parseAnswer, unlessMissing } from './answers.ts'
import type { CallHost, CheckRuns, FoundCheckRun, HostAnnotation, HostCheckRun } from './api.ts'

const CheckRun = z.object({
  id: number,
  external_id: z.string().nullish(),
  status: z.string(),
  output: z.object({ annotations_count: z.int().nonnegative().nullish() }).nullish(),
})

/** The check runs of a GitHub App in a repository. */
export function gitHubCheckRuns(call: CallHost, at: { owner: string; repo: string }, appId: string): CheckRuns {
  return {
    async list(commitSha, context) {
      const query = { check_name: context, app_id: Number(appId), filter: 'all' as const, per_page: 100 }
      const path = 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs'
      const found = await unlessMissing(call((client) => client.request(path, { ...at, ref: commitSha, ...query })))
      const { check_runs: runs } = parseAnswer(
        z.object({ check_runs: z.array(CheckRun) }),
        found?.data ?? { check_runs: [] },
      )
      return runs.map(present).toSorted((a, b) => Number(b.id) - Number(a.id))
    },

    async get(id) {
      const path = 'GET /repos/{owner}/{repo}/check-runs/{check_run_id}'
      const { data } = await call((client) => client.request(path, { ...at, check_run_id: Number(id) }))
      return present(parseAnswer(CheckRun, data))
    },

    async create(run, annotations) {
      const fields = { ...at, head_sha: run.commitSha, ...fieldsOf(run, annotations), ...once }
      const { data } = await call((client) => client.request('POST /repos/{owner}/{repo}/check-runs', fields))
      return present(parseAnswer(CheckRun, data))
    },

    async update(id, run, annotations) {
      const fields = { ...at, check_run_id: Number(id), ...fieldsOf(run, annotations), ...once }
      const path = 'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}'
      const { data } = await call((client) => client.request(path, fields))
      return present(parseAnswer(CheckRun, data))
    },
  }
}

const conclusions = { success: 'success', failure: 'failure', error: 'failure', neutral: 'neutral' } as const

function fieldsOf(run: HostCheckRun, annotations: readonly HostAnnotation[]) {
  const { context: name, state, title, summary, targetUrl, externalId } = run
  return {
    name,
    external_id: externalId,
    ...(targetUrl === null ? {} : { details_url: targetUrl }),
    ...(state === 'pending'
      ? { status: 'in_progress' as const }
      : { status: 'completed' as const, conclusion: conclusions[state] }),
    output: {
      title,
      summary,
      ...(annotations.length === 0
        ? {}
        : {
            annotations: annotations.map(({ path, startLine, endLine, level, title, message }) => ({
              path,
              start_line: startLine,
              end_line: endLine,
              annotation_level: level,
              title,
              message,
            })),
          }),
    },
  }
}

function present({ id, external_id: externalId, status, output }: z.infer<typeof CheckRun>): FoundCheckRun {
  const isCompleted = status === 'completed'
  return { id: String(id), externalId: externalId ?? '', annotations: output?.annotations_count ?? 0, isCompleted }
}
