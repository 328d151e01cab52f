const importTools = () => import('./index.ts')
let loading: ReturnType<typeof importTools> | undefined

/** Loads the definitions of all tools. Their schemas take a third of the time until the server can answer. */
export const loadTools = () => (loading ??= importTools())
