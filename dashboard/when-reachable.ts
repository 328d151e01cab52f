const pauseMs = 1_000

/**
 * Loads the code of a page. While the server cannot be reached, it waits and tries again; the router alone would reload
 * the page, which then is lost. An error from a reachable server means that it has a newer dashboard: the router reloads.
 */
export function whenReachable<Module>(load: () => Promise<Module>): () => Promise<Module> {
  return async () => {
    try {
      return await load()
    } catch {
      while (!(await isReachable())) await new Promise((done) => setTimeout(done, pauseMs))
      return load()
    }
  }
}

async function isReachable(): Promise<boolean> {
  return fetch('/health', { cache: 'no-store' }).then(
    () => true,
    () => false,
  )
}
