import type { App } from '../app.ts'
import type { Context } from '../base/context.ts'

/** Returns a context like that of background jobs. */
export function contextFor({ services, dataSource }: Pick<App, 'services' | 'dataSource'>): Context {
  return {
    ...services,
    db: dataSource.manager,
    actor: { kind: 'system' },
    client: { ipAddress: null, userAgent: null },
    requestId: 'test',
    forgetSession: () => {},
    signal: new AbortController().signal,
  }
}
