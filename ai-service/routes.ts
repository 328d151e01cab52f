import Router from '@koa/router'
import type { ParameterizedContext } from 'koa'
import packageJson from '../package.json' with { type: 'json' }
import { AppError, analysisFailed } from './errors.ts'
import type { State } from './http/announce.ts'
import { readJson } from './http/read-json.ts'
import type { Provider } from './providers/provider.ts'
import {
  ActiveProvider,
  AnalyzeRequest,
  AnalyzeResponse,
  GenerateTestsRequest,
  GenerateTestsResponse,
  Health,
  ServiceInfo,
  SuggestTestsRequest,
  SuggestTestsResponse,
} from './schema.ts'

/** `/analyze` is deprecated since the first release, and stays for at least half a year after it. */
const deprecation = {
  Deprecation: `@${Date.UTC(2026, 10, 20) / 1_000}`,
  Sunset: new Date(Date.UTC(2027, 5, 1)).toUTCString(),
  Link: '</suggest-tests>; rel="successor-version"',
}

/** Every method and path of the service. */
export function createRouter(provider: Provider): Router<State> {
  const router = new Router<State>()

  router.get('/', (ctx) => {
    ctx.body = ServiceInfo.parse({ message: 'Assay AI service', version: packageJson.version, status: 'healthy' })
  })

  router.get('/health', (ctx) => {
    ctx.body = Health.parse({
      status: 'healthy',
      timestamp: new Date().toISOString(),
      ai_provider: provider.name,
    })
  })

  router.get('/provider', (ctx) => {
    ctx.body = ActiveProvider.parse({ provider: provider.name })
  })

  router.post('/suggest-tests', async (ctx) => {
    ctx.body = await suggestTests(ctx, provider)
  })

  router.post('/analyze', async (ctx) => {
    ctx.set(deprecation)
    const request = await readJson(ctx, AnalyzeRequest)
    const advice = await provider.analyze(request, { signal: ctx.state.signal })
    ctx.body = AnalyzeResponse.parse({
      repository_url: request.repository_url,
      language: request.language ?? null,
      framework: request.framework ?? null,
      branch: request.branch ?? null,
      ...advice,
      deprecated: true,
    })
  })

  router.post('/generate-tests', async (ctx) => {
    const request = await readJson(ctx, GenerateTestsRequest)
    const generated = await provider.generateTests(request.code_analysis, {
      testType: request.test_type === 'all' ? undefined : (request.test_type ?? undefined),
      framework: request.framework ?? undefined,
      signal: ctx.state.signal,
    })
    ctx.body = GenerateTestsResponse.parse(generated)
  })

  return router
}

/** The specification answers malformed input and a provider's failure alike: 500. */
async function suggestTests(ctx: ParameterizedContext<State>, provider: Provider): Promise<SuggestTestsResponse> {
  const request = await readJson(ctx, SuggestTestsRequest).catch((error: unknown) => {
    throw error instanceof AppError && error.code === 'VALIDATION_ERROR' ? analysisFailed(error.message) : error
  })
  try {
    const { summary, suggestions } = await provider.suggestTests(request.analysis, {
      maxSuggestions: request.max_suggestions,
      signal: ctx.state.signal,
    })
    return SuggestTestsResponse.parse({
      commit_sha: request.analysis.commitSha,
      summary,
      suggestions,
      suggestion_count: suggestions.length,
    })
  } catch (error) {
    throw analysisFailed(
      `${provider.name} could not suggest tests. Try again, or see the log of the AI service.`,
      error,
    )
  }
}
