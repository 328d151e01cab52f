import { resolve } from 'node:path'
import type { InlineConfig } from 'vite'

export const projectRoot = resolve(import.meta.dirname, '../..')
export const dashboardRoot = resolve(projectRoot, 'dashboard')

/** The settings that the build and the development server share. */
export const viteConfig: InlineConfig = {
  configFile: false,
  root: dashboardRoot,
  cacheDir: resolve(projectRoot, 'node_modules/.cache/assay/vite'),
  publicDir: false,
  logLevel: 'warn',
  // TanStack's packages and our pages use React's interface. Preact has the same one in a sixth of the size.
  resolve: {
    alias: [
      { find: /^react(-dom)?$/, replacement: 'preact/compat' },
      { find: 'react-dom/client', replacement: 'preact/compat/client' },
      { find: /^react\/(jsx-(?:dev-)?runtime)$/, replacement: 'preact/$1' },
    ],
  },
}
